// Oracle: rates made up from the tolerances, and the rates of roofline/machines.
#include <catch2/catch_test_macros.hpp>

#include <ceilings/peers.hpp>
#include <limits>

namespace copse::roofline {
namespace {

/// The ceilings of a host whose triad has `times` the rate of the plain loop.
Ceilings host_with_triad(double times) {
  Ceilings c;
  c.backend = "openmp";
  c.peers = {1e9, 3e9, 2e10, times * 2e10};  // copies are not compared
  return c;
}

/// The ceilings of a device whose copy takes `times` the time of the vendor's.
Ceilings device_with_copy(double times) {
  Ceilings c;
  c.backend = "cuda";
  c.on_host = false;
  c.peers = {4e12, 4e12 / times, 0.0, 0.0};  // it has no triads
  return c;
}

/// Does a run with these ceilings pass its only check, of this name?
bool passes(const Ceilings& ceilings, const std::string& name) {
  app::Verification verification;
  compare_with_peers(ceilings, verification);
  REQUIRE(verification.checks().size() == 1);
  CHECK(verification.checks().front().name == name);
  return verification.passed();
}

TEST_CASE("A host's triad that differs from the plain loop by three tolerances is noticed") {
  const std::string name = "openmp_triad_differs_from_plain_loop";
  for (const double sign : {-1.0, 1.0}) {
    CHECK(passes(host_with_triad(1.0 + sign * 0.9 * plain_tolerance), name));
    CHECK_FALSE(passes(host_with_triad(1.0 + sign * 3.0 * plain_tolerance), name));
  }
  CHECK_FALSE(passes(host_with_triad(0.0), name));
  CHECK_FALSE(passes(host_with_triad(std::numeric_limits<double>::quiet_NaN()), name));
}

TEST_CASE("A device's copy that is slower than the vendor's by three tolerances is noticed") {
  const std::string name = "cuda_copy_slower_than_vendors";
  CHECK(passes(device_with_copy(1.0 + 0.9 * vendor_tolerance), name));
  CHECK_FALSE(passes(device_with_copy(1.0 + 3.0 * vendor_tolerance), name));
  // The kernel may be faster.
  CHECK(passes(device_with_copy(1.0 - 3.0 * vendor_tolerance), name));
  CHECK_FALSE(passes(device_with_copy(std::numeric_limits<double>::infinity()), name));
  CHECK_FALSE(passes(device_with_copy(std::numeric_limits<double>::quiet_NaN()), name));
}

}  // namespace
}  // namespace copse::roofline
