#include <copse/app/verification.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

namespace copse::app {

bool Verification::check(const std::string& name, double value, double tolerance) {
  const bool passed = value <= tolerance;
  checks_.push_back({name, passed, value, tolerance});
  return passed;
}

bool Verification::require(const std::string& name, bool condition) {
  return check(name, condition ? 0.0 : 1.0);
}

void Verification::agree(MPI_Comm comm) {
  // Ranks compare the names by a digest: equal on all ranks means minimum equals maximum.
  std::string names;
  for (const auto& c : checks_) names += c.name + '\n';
  const std::uint64_t digest = std::hash<std::string>{}(names);
  std::array<std::uint64_t, 2> extremes{digest, ~digest};
  MPI_Allreduce(MPI_IN_PLACE, extremes.data(), 2, MPI_UINT64_T, MPI_MAX, comm);
  if (extremes[0] != ~extremes[1])
    throw VerificationError("verification failed: the ranks did not make the same checks");
  for (auto& c : checks_) {
    // A maximum would lose NaN.
    double worst = std::isnan(c.value) ? std::numeric_limits<double>::infinity() : c.value;
    int passed = c.passed ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, &passed, 1, MPI_INT, MPI_MIN, comm);
    c.value = worst;
    c.passed = passed == 1;
  }
}

bool Verification::passed() const {
  return std::all_of(checks_.begin(), checks_.end(), [](const Check& c) { return c.passed; });
}

Table Verification::table() const {
  Table table({"check", "result", "value", "tolerance"});
  for (const auto& c : checks_)
    table.add_row({c.name, c.passed ? "passed" : "FAILED", fmt::format("{:.6g}", c.value),
                   fmt::format("{:.6g}", c.tolerance)});
  return table;
}

void Verification::throw_if_failed() const {
  std::string failed;
  for (const auto& c : checks_)
    if (!c.passed) failed += (failed.empty() ? "" : ", ") + c.name;
  if (!failed.empty()) throw VerificationError("verification failed: " + failed);
}

}  // namespace copse::app
