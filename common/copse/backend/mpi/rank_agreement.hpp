#pragma once
/// \file
/// How all ranks of a run end together.
///
/// If one rank failed alone, the others would wait in a collective forever. At points that all
/// ranks pass, `together` and `run_on_all_ranks` let them agree: `together` leaves each error on
/// the rank that threw it, `run_on_all_ranks` throws the same InputError on every rank. For a
/// failure anywhere else, `Ending` waits briefly for the other ranks and then aborts the job.

#include <copse/backend/error.hpp>

#include <mpi.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace copse {

/// Thrown on ranks without an error of their own because another rank failed; prints no message.
class OtherRankFailed : public std::runtime_error {
 public:
  OtherRankFailed() : std::runtime_error("another rank failed") {}
};

/// Calls `body` on every rank; returns on all or throws on all. A rank whose own `body` threw
/// rethrows that exception, the others throw OtherRankFailed. Collective; `body` must not call
/// collectives after a statement that can fail on only some ranks.
void together(MPI_Comm comm, const std::function<void()>& body);

/// Calls `body` on every rank; if it throws on any, every rank throws InputError with the message
/// of the lowest rank that failed. An error that is not an InputError becomes a message that starts
/// with `subject`, the file or option that `body` processes. Collective; `body` must not call
/// collectives of `comm` itself, or must call them on every path.
void run_on_all_ranks(MPI_Comm comm, const std::string& subject, const std::function<void()>& body);

/// The end of a run on one rank. Collective; must be constructed before any rank can have failed.
class Ending {
 public:
  explicit Ending(MPI_Comm comm);
  ~Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  /// Ends this rank's run with `code`, 0 for success. The lowest rank that failed with a message of
  /// its own prints it on stderr; the function returns the largest code of all ranks. `sentence`
  /// may be empty. If this rank failed and others do not arrive within about two seconds, prints
  /// the message and aborts the job with `code`; it then does not return.
  int arrive(int code, const std::string& sentence);

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace copse
