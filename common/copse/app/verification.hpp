#pragma once
/// \file
/// The named checks of `--verify`.

#include <copse/app/table.hpp>

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace copse::app {

/// One check: it passes if `value <= tolerance`, so a value that is not a number fails.
struct Check {
  std::string name;
  bool passed = false;
  double value = 0.0;      ///< what was found: violations counted, or a deviation
  double tolerance = 0.0;  ///< the most it may be
};

/// Collects checks of a result. Every rank makes the same checks in the same order, each on its own
/// data; a check passes only if it does on every rank.
class Verification {
 public:
  /// \return whether the check passed on this rank
  bool check(const std::string& name, double value, double tolerance = 0.0);
  /// A check without a measure; its value is 0 if `condition` holds and 1 if not.
  bool require(const std::string& name, bool condition);

  /// Replaces each check by the worst of all ranks. Collective.
  /// \throws VerificationError if the ranks did not make the same checks.
  void agree(MPI_Comm comm);

  bool passed() const;
  const std::vector<Check>& checks() const { return checks_; }
  Table table() const;

  /// \throws VerificationError naming the failed checks, if any
  void throw_if_failed() const;

 private:
  std::vector<Check> checks_;
};

}  // namespace copse::app
