#pragma once
/// \file
/// Runs the device version of a kernel on a host: a team is as many threads as it has on a device,
/// with scratch memory and barriers. Kernels that use packets get them as a template argument
/// (ThreadPacket).
///
/// Slow, as a barrier of that many threads on a few cores is: for a handful of teams.

#include <Kokkos_Core.hpp>

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <memory>
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

/// The packet operations of a thread of run_by_thread_packets().
class ThreadPacket {
 public:
  struct Shared {
    explicit Shared(int width) : barrier(width), lanes(width) {}
    std::barrier<> barrier;
    int lanes;
    std::uint32_t value[32] = {};
  };
  static void enter(Shared& packet, int lane) {
    packet_ = &packet;
    lane_ = lane;
  }

  static KOKKOS_FUNCTION std::uint32_t ballot(bool vote) {
    const Values all = exchanged(vote);
    std::uint32_t mask = 0;
    for (int l = 0; l < all.lanes; ++l) mask |= all.of[l] << l;
    return mask;
  }
  static KOKKOS_FUNCTION std::uint32_t broadcast(std::uint32_t value, int lane) {
    return exchanged(value).of[lane];
  }
  static KOKKOS_FUNCTION void sync() { exchanged(0); }
  static KOKKOS_FUNCTION std::uint32_t min(std::uint32_t value) {
    const Values all = exchanged(value);
    for (int l = 0; l < all.lanes; ++l) value = all.of[l] < value ? all.of[l] : value;
    return value;
  }
  static KOKKOS_FUNCTION std::uint32_t max(std::uint32_t value) {
    const Values all = exchanged(value);
    for (int l = 0; l < all.lanes; ++l) value = all.of[l] > value ? all.of[l] : value;
    return value;
  }
  static KOKKOS_FUNCTION std::uint32_t sum(std::uint32_t value) {
    const Values all = exchanged(value);
    value = 0;
    for (int l = 0; l < all.lanes; ++l) value += all.of[l];
    return value;
  }

 private:
  /// The values of all lanes.
  struct Values {
    int lanes = 0;
    std::uint32_t of[32] = {};
  };
  static KOKKOS_FUNCTION Values exchanged(std::uint32_t value) {
    Values all;
    KOKKOS_IF_ON_HOST((packet_->value[lane_] = value; packet_->barrier.arrive_and_wait();
                       all.lanes = packet_->lanes;
                       for (int l = 0; l < all.lanes; ++l) all.of[l] = packet_->value[l];
                       packet_->barrier.arrive_and_wait();))
    KOKKOS_IF_ON_DEVICE(((void)value;))
    return all;
  }

  static inline thread_local Shared* packet_ = nullptr;
  static inline thread_local int lane_ = 0;
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

/// The same for a kernel whose packet operations are those of ThreadPacket, with `lanes` lanes.
template <class Kernel>
void run_by_thread_packets(int teams, int threads, int lanes, std::size_t scratch_bytes,
                           const Kernel& kernel) {
  std::vector<std::unique_ptr<ThreadPacket::Shared>> packets;
  for (int first = 0; first < threads; first += lanes)
    packets.push_back(std::make_unique<ThreadPacket::Shared>(lanes));
  run_by_thread_teams(teams, threads, scratch_bytes, [&](const ThreadTeam& team) {
    const int rank = team.team_rank();
    ThreadPacket::enter(*packets[static_cast<std::size_t>(rank / lanes)], rank % lanes);
    kernel(team);
  });
}

}  // namespace copse::test
