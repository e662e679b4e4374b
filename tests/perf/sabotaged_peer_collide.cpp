/// \file
/// Linked with the program peer_collide, this corrupts the outcome of the method that the
/// environment variable COPSE_SABOTAGE_OF names, as COPSE_SABOTAGE says, by COPSE_AMOUNT.
/// check_peer_tolerances.py names the check that must detect it.

#include "../../perf/peers/collide/outcome.hpp"
#include "sabotage_asked.hpp"
#include <copse/app/corruptible.hpp>

namespace copse::peers {
namespace {

template <int D>
void corrupt_outcome(Outcome<D>& outcome, const std::string& name) {
  const Asked asked(name);
  if (asked.to("energy")) outcome.energy *= 1.0 + asked.amount();
  if (asked.to("position")) outcome.state.position(outcome.state.rows() / 2, 1) += asked.amount();
  if (asked.to("contact")) ++outcome.contacts.fingerprint;  // as many, but another one
}

[[maybe_unused]] const bool armed =
    (app::corrupt<Outcome<2>, std::string> = corrupt_outcome<2>) != nullptr &&
    (app::corrupt<Outcome<3>, std::string> = corrupt_outcome<3>) != nullptr;

}  // namespace
}  // namespace copse::peers
