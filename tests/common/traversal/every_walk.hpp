#pragma once
/// \file
/// All walks of a backend, and query orders on which results must not depend.

#include "common/algorithms/on_each_backend.hpp"
#include <copse/traversal/walk.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace copse::test {

/// The walks of the backend; `boxed` includes the group walk of visitors over boxes.
template <class Space>
std::vector<WalkKind> walks(bool boxed = false) {
  std::vector<WalkKind> kinds{WalkKind::stack, WalkKind::lockstep, WalkKind::fsm};
  if (runs_on_host<Space>) kinds.push_back(WalkKind::recursive);
  if (boxed) kinds.push_back(WalkKind::group);
  return kinds;
}

/// Input order and a random order, which puts unrelated queries into each packet.
template <class Space>
std::vector<QueryList<typename Space::memory_space>> query_orders(Count n) {
  std::vector<LocalIndex> shuffled(n);
  std::iota(shuffled.begin(), shuffled.end(), LocalIndex{0});
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  return {{n, {}}, {n, to_backend<Space>(shuffled)}};
}

}  // namespace copse::test
