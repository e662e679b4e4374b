#pragma once
/// \file
/// The cuts of cells whose keys fit the registers of a team: one launch, each key is read once.

#include <copse/backend/backends.hpp>
#include <copse/tree/detail/packet_search.hpp>
#include <copse/tree/tree_level.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::detail {

/// One team per cell; for policies that divide ties.
template <class ExecutionSpace, class Shape, class Keys, class LevelT>
struct TeamCuts {
  using Key = typename LevelT::Key;
  using Packet = typename Shape::Packet;
  using Words = Kokkos::View<std::uint32_t*, typename ExecutionSpace::scratch_memory_space,
                             Kokkos::MemoryUnmanaged>;
  static_assert(divides_ties<typename LevelT::Policy>);

  Keys keys;
  LevelT level;

  static std::size_t scratch_bytes() {
    return Words::shmem_size(2 * exchanged_words * Shape::packets);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto s = static_cast<Count>(team.league_rank());
    const int rank = static_cast<int>(level.ranks(s));
    if (rank == 0) return;
    const Segment segment = level.segments(s);
    const int n = static_cast<int>(segment.size());
    const int thread = team.team_rank();
    const Words words(team.team_scratch(0), 2 * exchanged_words * Shape::packets);
    ChipTogether<Shape, Team> join{
        team, words.data(), thread / Shape::width, thread % Shape::width, 0, Shape::packets};
    const auto key_of = keys.segment(s);
    std::uint32_t key[Shape::per_lane];
    std::uint32_t low = no_key, high = 0;
    COPSE_UNROLL
    for (int j = 0; j < Shape::per_lane; ++j) {
      const int i = thread + j * Shape::threads;
      key[j] = no_key;
      if (i < n) key[j] = static_cast<std::uint32_t>(key_of(segment.begin + i) >> 32);
    }
    COPSE_UNROLL
    for (int j = 0; j < Shape::per_lane; ++j) {
      if (thread + j * Shape::threads >= n) continue;
      low = key[j] < low ? key[j] : low;
      high = key[j] > high ? key[j] : high;
    }
    const ChipThreshold found = find_threshold(key, low, high, true, n, rank, join);
    std::uint32_t last_row = no_key;
    if (found.divided)
      last_row = static_cast<std::uint32_t>(segment.begin) + tied_row(key, n, thread, found, join);
    if (thread == 0) level.threshold(s) = (Key{found.key} << 32) | last_row;
  }

 private:
  /// The last row of the tie that goes left.
  template <class Join>
  KOKKOS_FUNCTION std::uint32_t tied_row(const std::uint32_t (&key)[Shape::per_lane], int n,
                                         int thread, const ChipThreshold& found, Join& join) const {
    int low = 0, high = n - 1;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      std::uint32_t count = 0;
      COPSE_UNROLL
      for (int j = 0; j < Shape::per_lane; ++j)
        count += key[j] == found.key && thread + j * Shape::threads <= middle;
      join.sum(count, true);
      if (count < found.ties) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return static_cast<std::uint32_t>(low);
  }
};

/// Finds the cuts of a level whose cells have at most Shape::rows particles.
template <class Shape, class ExecutionSpace, class Keys, class LevelT>
void launch_team_cuts(const ExecutionSpace& space, const Keys& keys, const LevelT& level) {
  using Kernel = TeamCuts<ExecutionSpace, Shape, Keys, LevelT>;
  Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Shape::threads, Shape::teams>> policy(
      space, static_cast<int>(level.segments.extent(0)), Shape::threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes()));
  Kokkos::parallel_for("copse::bisect::team_cuts", policy, Kernel{keys, level});
}

}  // namespace copse::detail
