#pragma once
/// \file
/// All interleavings of the steps of a few threads, for exhaustive proofs about shared-memory
/// algorithms.
///
/// A thread is a value: copyable, with an order (any), `done()`, and `step(memory)`, which does one
/// access to the shared memory and the private work that follows from it. Memory is a value with an
/// order, too. Each step is atomic and immediately visible to all threads.

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace copse::test {

/// Calls at_state(memory) once for each reachable state, and at_end(memory, threads) when all
/// threads are done. \return the number of states
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
