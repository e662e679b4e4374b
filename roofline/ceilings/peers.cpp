#include "peers.hpp"

#include <cmath>

namespace copse::roofline {

void compare_with_peers(const Ceilings& ceilings, app::Verification& verification) {
  const StreamPeers& p = ceilings.peers;
  if (ceilings.on_host) {
    verification.check(ceilings.backend + "_triad_differs_from_plain_loop",
                       std::abs(p.kernel_triad / p.plain_triad - 1.0), plain_tolerance);
  } else {
    verification.check(ceilings.backend + "_copy_slower_than_vendors",
                       p.vendor_copy / p.kernel_copy - 1.0, vendor_tolerance);
  }
}

}  // namespace copse::roofline
