/// \file
/// The program orb, linked with this: its result is corrupted before it is verified, in the way
/// that the environment variable COPSE_SABOTAGE names.

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
