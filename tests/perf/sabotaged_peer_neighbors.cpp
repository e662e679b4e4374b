/// \file
/// Linked with the program peer_neighbors, this corrupts the answers of the library that the
/// environment variable COPSE_SABOTAGE_OF names to its first query, as COPSE_SABOTAGE says.
/// check_peer_tolerances.py names the checks that must detect it.

#include "../../perf/peers/neighbors/answers.hpp"
#include "sabotage_asked.hpp"
#include <copse/app/corruptible.hpp>

#include <algorithm>

namespace copse::peers {
namespace {

void corrupt_answers(Answers& answers) {
  const Asked asked(answers.library);
  const std::size_t k = answers.rows.size() / answers.counts.size();
  const auto first = answers.rows.begin(), last = first + static_cast<std::ptrdiff_t>(k);
  if (asked.to("neighbor")) {
    LocalIndex other = 0;
    while (std::find(first, last, other) != last) ++other;
    *first = other;
  }
  if (asked.to("repeated")) *first = *(first + 1);
  if (asked.to("count")) ++answers.counts.front();
}

[[maybe_unused]] const bool armed = (app::corrupt<Answers> = corrupt_answers) != nullptr;

}  // namespace
}  // namespace copse::peers
