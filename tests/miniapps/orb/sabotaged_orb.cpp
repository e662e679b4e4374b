/// \file
/// Linked with the program orb, this corrupts the result before it is verified, as selected by the
/// environment variable COPSE_SABOTAGE. The selection `byte` corrupts compressed positions instead,
/// before they are sent to the backend.

#include "sabotage.hpp"
#include <copse/app/corruptible.hpp>

#include <cstddef>
#include <cstdlib>
#include <orb/compression.hpp>
#include <orb/measured_build.hpp>
#include <string_view>

namespace copse::test {
namespace {

/// The selection, or nullptr.
const char* selected() {
  return std::getenv("COPSE_SABOTAGE");
}

bool selects_byte() {
  return selected() != nullptr && std::string_view(selected()) == "byte";
}

using Packed = CompressedPositions<Kokkos::SharedHostPinnedSpace>;

/// Changes a bit of the first coordinate that is not lost by rounding to float.
void corrupt_packed(Packed& packed) {
  if (selects_byte() && packed.extent(0) > 0) packed(1) ^= std::byte{1 << 6};
}

void corrupt_result(orb::MeasuredBuild& build, const Communicator& comm) {
  const char* const name = selected();
  if (name == nullptr || selects_byte()) return;
  if (build.is_distributed()) return sabotage_distributed(comm, name, build.after, build.tree);
  apply_sabotage(sabotage_named(name), build.after.points.position, build.permutation, build.tree);
}

[[maybe_unused]] const bool armed =
    (app::corrupt<orb::MeasuredBuild, Communicator> = corrupt_result) != nullptr &&
    (app::corrupt<Packed> = corrupt_packed) != nullptr;

}  // namespace
}  // namespace copse::test
