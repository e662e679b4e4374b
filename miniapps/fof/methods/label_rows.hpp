#pragma once
/// \file
/// Converts disjoint sets of particles in tree order to labels in input order.

#include "tree_points.hpp"
#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet_reduction.hpp>
#include <copse/backend/relaxed_access.hpp>

#include <Kokkos_Core.hpp>

#include <bit>

namespace copse::fof {

namespace detail {
/// Flattens a particle's path to its root, and lowers the root's minimum to the particle's input
/// index.
template <class MemorySpace>
struct FindSmallest {
  TreeSets<MemorySpace> sets;
  Kokkos::View<const LocalIndex*, MemorySpace> permutation;
  /// by root: smallest input index of its set; initially the root's own
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> smallest;

  KOKKOS_FUNCTION void operator()(const Count row) const {
    const LocalIndex root = sets.find(static_cast<LocalIndex>(row));
    relaxed_store(&sets.parent(row), root);
    if (root != row) lower(root, permutation(row));
  }

  /// The same for the particles of a packet, one per thread; all threads must call it.
  ///
  /// Bytes per particle, at least: 4 parent read, 4 written, 4 permutation; and 8 for the initial
  /// values of the roots. Following parents adds reads of words shared with neighbours, mostly one
  /// per packet, which hit L2. Only the atomics wait for other particles. For 10^8 particles on an
  /// H200 (4 TB/s) this is 0.3 ms of memory traffic and 0.2 ms for the roots; a chain of four
  /// dependent reads of 300 to 600 cycles for each of the 270,000 particles in flight takes 0.5 ms.
  KOKKOS_FUNCTION void together(const Count row, bool valid, int lane) const {
    const LocalIndex root = valid ? sets.root_by_now(static_cast<LocalIndex>(row)) : 0;
    if (valid) relaxed_store(&sets.parent(row), root);
    const LocalIndex particle = valid ? permutation(row) : ~LocalIndex{0};
    // Most packets lie in one set: one lane writes the packet's minimum. Otherwise every particle
    // of a large group would update the same root, serialised.
    const LocalIndex common = packet_broadcast(root, 0);
    if (packet_ballot(!valid || root == common) == ~0u) {
      const LocalIndex least = packet_min(particle);
      if (lane == 0 && valid) lower(common, least);
    } else if (valid && root != row) {
      lower(root, particle);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void lower(LocalIndex root, LocalIndex particle) const {
    LocalIndex& least = smallest(root);
    // In a large group this load saves most particles the atomic.
    if (particle < relaxed_load(&least)) Kokkos::atomic_min(&least, particle);
  }
};

/// One device thread per particle, in teams of whole packets.
template <class ExecutionSpace>
struct FindSmallestInPackets {
  using MemorySpace = typename ExecutionSpace::memory_space;
  static constexpr int team_size = 8 * packet_width;
  FindSmallest<MemorySpace> find;
  Count rows;
  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<ExecutionSpace>::member_type& team) const {
    const Count row =
        static_cast<Count>(team.league_rank()) * team_size + static_cast<Count>(team.team_rank());
    find.together(row, row < rows, team.team_rank() % packet_width);
  }
};

/// In place: the parent of a particle becomes its label.
template <class MemorySpace>
struct LabelInOrder {
  TreeSets<MemorySpace> sets;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> smallest;
  KOKKOS_FUNCTION void operator()(const Count row) const {
    sets.parent(row) = smallest(sets.parent(row));
  }
};

template <class MemorySpace>
struct SendLabels {
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> particle;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> label;
  Labels<MemorySpace> labels;
  KOKKOS_FUNCTION void operator()(const Count row) const { labels(particle(row)) = label(row); }
};

template <class MemorySpace>
struct WriteLabels {
  TreeSets<MemorySpace> sets;
  Kokkos::View<const LocalIndex*, MemorySpace> permutation;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> smallest;
  Labels<MemorySpace> labels;
  KOKKOS_FUNCTION void operator()(const Count row) const {
    labels(permutation(row)) = smallest(sets.parent(row));
  }
};
}  // namespace detail

/// labels(permutation(i)) becomes the smallest permutation() in the set of particle i of the tree.
/// Overwrites `sets`; `smallest` is scratch memory of one index per particle. No synchronisation.
///
/// Bytes per particle: 28 sequential, 8 random. A device with labels beyond its cache moves 32
/// bytes of memory for each label that it writes at random. There, if `sorted` has one more index
/// per particle, it first splits labels by the highest eight bits of their particles, so that all
/// threads write to one small part of the labels: 56 bytes, all sequential.
template <class ExecutionSpace, class MemorySpace = typename ExecutionSpace::memory_space>
void label_rows(const ExecutionSpace& space, const TreeSets<MemorySpace>& sets,
                const Kokkos::View<LocalIndex*, MemorySpace>& permutation,
                const Labels<MemorySpace>& labels,
                const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>& smallest,
                const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>& sorted,
                Workspace<MemorySpace>& workspace) {
  const Count n = labels.extent(0);
  const CountRange<ExecutionSpace> rows(space, 0, n);
  Kokkos::deep_copy(space, smallest, permutation);
  const detail::FindSmallest<MemorySpace> find{sets, permutation, smallest};
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::parallel_for("copse::fof::smallest", rows, find);
  } else {
    using Packets = detail::FindSmallestInPackets<ExecutionSpace>;
    const auto teams = static_cast<int>((n + Packets::team_size - 1) / Packets::team_size);
    Kokkos::parallel_for("copse::fof::smallest",
                         Kokkos::TeamPolicy<ExecutionSpace>(space, teams, Packets::team_size),
                         Packets{find, n});
    if (n * sizeof(LocalIndex) > device_cache_bytes && sorted.extent(0) == n) {
      Kokkos::parallel_for("copse::fof::labels_in_order", rows,
                           detail::LabelInOrder<MemorySpace>{sets, smallest});
      const int bits = std::bit_width(n - 1);
      copy_sorted_on_device(space, permutation, sorted, sets.parent, smallest, {bits - 8, bits},
                            workspace);
      Kokkos::parallel_for("copse::fof::labels", rows,
                           detail::SendLabels<MemorySpace>{sorted, smallest, labels});
      return;
    }
  }
  Kokkos::parallel_for("copse::fof::labels", rows,
                       detail::WriteLabels<MemorySpace>{sets, permutation, smallest, labels});
}

}  // namespace copse::fof
