/// \file
/// Linked with the program collide, this corrupts what --verify compares with the reference, as
/// selected by the environment variable COPSE_SABOTAGE, once by COPSE_AMOUNT. check_exact.py and
/// check_tolerances.py name what must fail.

#include <copse/app/corruptible.hpp>
#include <copse/backend/split_mix.hpp>

#include <collide/contacts.hpp>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace copse::collide {
namespace {

std::string asked() {
  const char* const what = std::getenv("COPSE_SABOTAGE");
  return what == nullptr ? "" : what;
}

void corrupt_sums(ContactSums& sums) {
  if (sums.contacts < 2) return;
  const std::uint64_t pair = split_mix((std::uint64_t{1} << 32) | 0);
  if (asked() == "contact-missing") {
    // Both directions of one contact.
    sums.contacts -= 2;
    sums.fingerprint -= 2 * pair;
  }
  if (asked() == "contact-exchanged") sums.fingerprint += 2 * pair;  // as many, but another one
}

template <int D>
void corrupt_state(State<D, Kokkos::HostSpace>& state) {
  const std::string what = asked();
  const Count row = state.rows() / 2;
  const auto flip = [](double& value) {
    value = Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(value) ^ 1);
  };
  if (what == "position-bit") flip(state.position(row, 1));
  if (what == "velocity-bit") flip(state.velocity(row, 0));
  if (what == "velocity-nudged") state.velocity(row, 0) += std::stod(std::getenv("COPSE_AMOUNT"));
  if (what == "velocity-nan") state.velocity(row, 0) = std::numeric_limits<double>::quiet_NaN();
  if (what == "particle-lost") state.tag(row) = state.tag(row + 1);
  if (what == "id-impossible") state.tag(row) = static_cast<Tag>(state.rows());
}

[[maybe_unused]] const bool armed =
    (app::corrupt<ContactSums> = corrupt_sums) != nullptr &&
    (app::corrupt<State<2, Kokkos::HostSpace>> = corrupt_state<2>) != nullptr &&
    (app::corrupt<State<3, Kokkos::HostSpace>> = corrupt_state<3>) != nullptr;

}  // namespace
}  // namespace copse::collide
