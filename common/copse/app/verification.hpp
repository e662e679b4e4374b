#pragma once
/// \file
/// The named checks of `--verify`.

#include <copse/app/table.hpp>

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace copse::app {

/// One check: it passes if `value <= tolerance`, so NaN fails.
struct Check {
  std::string name;
  bool passed = false;
  double value = 0.0;      ///< measured: number of violations, or a deviation
  double tolerance = 0.0;  ///< largest value that passes
};

/// Collects checks of a result. Every rank makes the same checks in the same order, each on its own
/// data; a check passes only if it passes on every rank.
class Verification {
 public:
  /// \return true if the check passed on this rank
  bool check(const std::string& name, double value, double tolerance = 0.0);
  /// A check of a condition; its value is 0 if `condition` holds and 1 otherwise.
  bool require(const std::string& name, bool condition);

  /// Replaces each check by the worst one over all ranks. Collective.
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
