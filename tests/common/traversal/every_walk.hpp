#pragma once
/// \file
/// The walks that a backend has, and orders of queries that they must not depend on.

#include "common/algorithms/on_each_backend.hpp"
#include <copse/traversal/walk.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace copse::test {

/// Those that a visitor over boxes can take too: `boxed`.
template <class Space>
std::vector<WalkKind> walks(bool boxed = false) {
  std::vector<WalkKind> kinds{WalkKind::stack, WalkKind::lockstep, WalkKind::fsm};
  if (runs_on_host<Space>) kinds.push_back(WalkKind::recursive);
  if (boxed) kinds.push_back(WalkKind::group);
  return kinds;
}

/// Input order and a random one, which fills packets with queries that have nothing in common.
template <class Space>
std::vector<QueryList<typename Space::memory_space>> query_orders(Count n) {
  std::vector<LocalIndex> shuffled(n);
  std::iota(shuffled.begin(), shuffled.end(), LocalIndex{0});
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  return {{n, {}}, {n, to_backend<Space>(shuffled)}};
}

}  // namespace copse::test
