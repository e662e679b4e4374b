/// \file
/// Linked with the program orb, this corrupts the result before it is verified, as selected by the
/// environment variable COPSE_SABOTAGE. These selections corrupt something else: `byte` compressed
/// positions before they are sent to the backend, `coarser` the grid to which positions are
/// rounded, by the relative COPSE_AMOUNT, `other-backend` the builds on backends other than serial,
/// `sum:KERNEL` the result of one kernel of --count-bandwidth.

#include "sabotage.hpp"
#include <copse/app/corruptible.hpp>

#include <cstddef>
#include <cstdlib>
#include <orb/compression.hpp>
#include <orb/measured_build.hpp>
#include <orb/verify/checks.hpp>
#include <string>
#include <string_view>

namespace copse::test {
namespace {

/// The selection, or nullptr.
const char* selected() {
  return std::getenv("COPSE_SABOTAGE");
}

bool selects(std::string_view name) {
  return selected() != nullptr && name == selected();
}

using Packed = CompressedPositions<Kokkos::SharedHostPinnedSpace>;

/// Changes a bit of the first coordinate that is not lost by rounding to float.
void corrupt_packed(Packed& packed) {
  if (selects("byte") && packed.extent(0) > 0) packed(1) ^= std::byte{1 << 6};
}

void corrupt_grid(FixedPoint& grid) {
  if (!selects("coarser")) return;
  const double amount = std::stod(std::getenv("COPSE_AMOUNT"));
  for (int a = 0; a < 3; ++a) grid.step[a] *= 1.0 + amount;
}

template <class Sum>
void corrupt_sum(Sum& sum, const std::string& kernel) {
  if (selects("sum:" + kernel)) ++sum;
}

void corrupt_result(orb::MeasuredBuild& build, const Communicator& comm) {
  const char* const name = selected();
  if (name == nullptr || selects("byte") || selects("coarser")) return;
  if (selects("other-backend")) {
    if (build.backend == "serial") return;
    return apply_sabotage(Sabotage::coordinate, build.after.points.position, build.permutation,
                          build.tree);
  }
  if (build.is_distributed()) return sabotage_distributed(comm, name, build.after, build.tree);
  apply_sabotage(sabotage_named(name), build.after.points.position, build.permutation, build.tree);
}

[[maybe_unused]] const bool armed =
    (app::corrupt<orb::MeasuredBuild, Communicator> = corrupt_result) != nullptr &&
    (app::corrupt<Packed> = corrupt_packed) != nullptr &&
    (app::corrupt<FixedPoint> = corrupt_grid) != nullptr &&
    (app::corrupt<Count, std::string> = corrupt_sum<Count>) != nullptr &&
    (app::corrupt<orb::RealBits, std::string> = corrupt_sum<orb::RealBits>) != nullptr;

}  // namespace
}  // namespace copse::test
