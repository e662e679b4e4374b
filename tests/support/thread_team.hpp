#pragma once
/// \file
/// Runs the device version of a kernel on a host: a team is as many threads as it has on a device,
/// with scratch memory and barriers. For kernels that do not use packets.
///
/// Slow, as a barrier of that many threads on a few cores is: for a handful of teams.

#include <Kokkos_Core.hpp>

#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

namespace copse::test {

/// What the kernels use of a Kokkos team.
class ThreadTeam {
 public:
  using Scratch = Kokkos::Serial::scratch_memory_space;
  ThreadTeam(int league_rank, int rank, void* scratch, int bytes, std::barrier<>& barrier)
      : league_rank_(league_rank), rank_(rank), scratch_(scratch, bytes), barrier_(barrier) {}

  KOKKOS_FUNCTION int league_rank() const { return league_rank_; }
  KOKKOS_FUNCTION int team_rank() const { return rank_; }
  KOKKOS_FUNCTION const Scratch& team_scratch(int) const { return scratch_; }
  KOKKOS_FUNCTION void team_barrier() const { KOKKOS_IF_ON_HOST((barrier_.arrive_and_wait();)) }

 private:
  int league_rank_;
  int rank_;
  Scratch scratch_;
  std::barrier<>& barrier_;
};

/// kernel(team) for `teams` teams, one after the other, by `threads` threads each.
template <class Kernel>
void run_by_thread_teams(int teams, int threads, std::size_t scratch_bytes, const Kernel& kernel) {
  std::vector<std::max_align_t> scratch(scratch_bytes / sizeof(std::max_align_t) + 1);
  const int bytes = static_cast<int>(scratch.size() * sizeof(std::max_align_t));
  std::barrier<> barrier(threads);
  std::vector<std::thread> running;
  for (int rank = 0; rank < threads; ++rank)
    running.emplace_back([&, rank] {
      for (int t = 0; t < teams; ++t) {
        kernel(ThreadTeam(t, rank, scratch.data(), bytes, barrier));
        barrier.arrive_and_wait();
      }
    });
  for (std::thread& thread : running) thread.join();
}

}  // namespace copse::test
