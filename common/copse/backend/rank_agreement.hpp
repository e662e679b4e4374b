#pragma once
/// \file
/// How all ranks of a run come to one end.
///
/// A rank that fails alone would leave the others waiting in a collective for ever. Where all ranks
/// pass the same point anyway, `together` and `run_on_all_ranks` let them agree there: the first
/// leaves each error on the rank that made it, the second gives every rank the same InputError. For
/// a failure anywhere else, `Ending` waits a moment for the others to arrive and then aborts the
/// job.

#include <copse/backend/error.hpp>

#include <mpi.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace copse {

/// Thrown on ranks that did nothing wrong because another one failed; it says nothing to the user.
class OtherRankFailed : public std::runtime_error {
 public:
  OtherRankFailed() : std::runtime_error("another rank failed") {}
};

/// Calls `body` on every rank; returns on all or throws on all. A rank whose own `body` threw
/// rethrows that, the others throw OtherRankFailed. Collective; `body` must not call collectives
/// after something that only some ranks may fail at.
void together(MPI_Comm comm, const std::function<void()>& body);

/// Calls `body` on every rank; if it throws on any, every rank throws InputError with the sentence
/// of the lowest rank that failed. An error that is no InputError becomes a sentence that starts
/// with `subject`, the file or option that `body` deals with. Collective; `body` must not call
/// collectives of `comm` itself, or must call them on every path.
void run_on_all_ranks(MPI_Comm comm, const std::string& subject, const std::function<void()>& body);

/// The end of a run on one rank. Must be made while no rank can have failed yet: collective.
class Ending {
 public:
  explicit Ending(MPI_Comm comm);
  ~Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  /// Ends this rank's run with `code`, 0 for success. Returns the largest code of all ranks, after
  /// the lowest rank that failed with a sentence of its own has printed it on stderr. `sentence`
  /// may be empty. If this rank failed and others do not arrive within two seconds or so, prints
  /// the sentence and aborts the job with `code`; then it does not return.
  int arrive(int code, const std::string& sentence);

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace copse
