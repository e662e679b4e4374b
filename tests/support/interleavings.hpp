#pragma once
/// \file
/// Every way in which the steps of a few threads can follow each other, for proofs by exhaustion
/// about algorithms of shared memory.
///
/// A thread is a value: copyable, with an order (any), `done()`, and `step(memory)`, which does one
/// access to the shared memory and what follows from it privately. Memory is a value with an order,
/// too. Each step is atomic and seen by all at once.

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace copse::test {

/// Calls at_state(memory) for each state that can be reached, once for each, and
/// at_end(memory, threads) where all threads are done. \return the number of states
template <class Memory, class Thread, class AtState, class AtEnd>
std::uint64_t explore_interleavings(const Memory& memory, const std::vector<Thread>& threads,
                                    AtState&& at_state, AtEnd&& at_end) {
  using State = std::pair<Memory, std::vector<Thread>>;
  std::set<State> seen{{memory, threads}};
  std::vector<const State*> front{&*seen.begin()};
  while (!front.empty()) {
    const State& state = *front.back();
    front.pop_back();
    at_state(state.first);
    bool ended = true;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      if (state.second[t].done()) continue;
      ended = false;
      State next = state;
      next.second[t].step(next.first);
      const auto [place, is_new] = seen.insert(std::move(next));
      if (is_new) front.push_back(&*place);
    }
    if (ended) at_end(state.first, state.second);
  }
  return seen.size();
}

}  // namespace copse::test
