/// \file
/// Linked with the program orb, this corrupts the result before it is verified, as selected by the
/// environment variable COPSE_SABOTAGE.

#include "sabotage.hpp"

#include <cstdlib>
#include <orb/results.hpp>

namespace copse::test {
namespace {

void corrupt(const Communicator& comm, orb::MeasuredBuild& build) {
  const char* const name = std::getenv("COPSE_SABOTAGE");
  if (name == nullptr) return;
  if (build.is_distributed()) return sabotage_distributed(comm, name, build.after, build.tree);
  apply_sabotage(sabotage_named(name), build.after.points.position, build.permutation, build.tree);
}

[[maybe_unused]] const bool armed = (orb::corrupt_before_verification = corrupt) != nullptr;

}  // namespace
}  // namespace copse::test
