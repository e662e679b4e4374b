/// \file
/// Linked with the program orb, this corrupts the result before it is verified, as selected by the
/// environment variable COPSE_SABOTAGE.

#include "sabotage.hpp"
#include <copse/app/corruptible.hpp>

#include <cstdlib>
#include <orb/measured_build.hpp>

namespace copse::test {
namespace {

void corrupt_result(orb::MeasuredBuild& build, const Communicator& comm) {
  const char* const name = std::getenv("COPSE_SABOTAGE");
  if (name == nullptr) return;
  if (build.is_distributed()) return sabotage_distributed(comm, name, build.after, build.tree);
  apply_sabotage(sabotage_named(name), build.after.points.position, build.permutation, build.tree);
}

[[maybe_unused]] const bool armed =
    (app::corrupt<orb::MeasuredBuild, Communicator> = corrupt_result) != nullptr;

}  // namespace
}  // namespace copse::test
