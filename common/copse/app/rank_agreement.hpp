#pragma once
/// \file
/// How all ranks of a run come to one end.
///
/// A rank that fails alone would leave the others waiting in a collective for ever. Where all ranks
/// pass the same point anyway, `together` lets them agree there. For a failure anywhere else,
/// `Ending` waits a moment for the others to arrive and then aborts the job.

#include <mpi.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace copse::app {

/// Thrown on ranks that did nothing wrong because another one failed; it says nothing to the user.
class OtherRankFailed : public std::runtime_error {
 public:
  OtherRankFailed() : std::runtime_error("another rank failed") {}
};

/// Calls `body` on every rank; returns on all or throws on all. A rank whose own `body` threw
/// rethrows that, the others throw OtherRankFailed. Collective; `body` must not call collectives
/// after something that only some ranks may fail at.
void together(MPI_Comm comm, const std::function<void()>& body);

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

}  // namespace copse::app
