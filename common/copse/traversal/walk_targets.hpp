#pragma once
/// \file
/// What a walk gets besides its visitor: the queries in their order or in buckets, and the nodes at
/// which it begins.

#include <copse/algorithms/segments.hpp>
#include <copse/backend/types.hpp>
#include <copse/traversal/packet.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// The queries to walk and their order: the i-th of `count` queries is `order[i]`, or `first` + i
/// without an order. Consecutive queries share a packet.
template <class MemorySpace>
struct QueryList {
  static constexpr bool are_buckets = false;

  Count count = 0;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> order;  ///< [count] or empty
  Count first = 0;

  KOKKOS_FORCEINLINE_FUNCTION LocalIndex operator()(Count i) const {
    return order.data() == nullptr ? static_cast<LocalIndex>(first + i) : order(i);
  }
  Count packets(int width) const {
    return (count + static_cast<Count>(width) - 1) / static_cast<Count>(width);
  }
  /// The range of i (as in operator()) that packet p covers.
  KOKKOS_FORCEINLINE_FUNCTION Segment packet(Count p, int width) const {
    const Count begin = p * static_cast<Count>(width);
    const Count end = begin + static_cast<Count>(width);
    return {begin, end < count ? end : count};
  }
};

/// Queries in buckets, such as the leaves of a tree: each packet is one bucket. Buckets must not be
/// empty or larger than a packet (`walk_width`).
template <class MemorySpace>
struct BucketList : QueryList<MemorySpace> {
  static constexpr bool are_buckets = true;

  Kokkos::View<const Count*, MemorySpace> begin;  ///< [buckets + 1], the last entry is `count`

  /// A query that walks alone (`width` 1) is a packet by itself.
  Count packets(int width) const { return width == 1 ? this->count : begin.extent(0) - 1; }
  KOKKOS_FORCEINLINE_FUNCTION Segment packet(Count p, int) const {
    return {begin(p), begin(p + 1)};
  }
};

/// All packets begin at the root. With `Resumes`, results are added to the previous ones (the
/// visitor's `resume`), otherwise they replace them.
template <bool Resumes = false>
struct FromRoot {
  static constexpr bool resumes = Resumes;
  static constexpr bool at_root = true;

  KOKKOS_FORCEINLINE_FUNCTION static Segment entries_of(Count) { return {0, 1}; }
  template <class Tree>
  KOKKOS_FORCEINLINE_FUNCTION static MaskedNode entry(const Tree& tree, Count) {
    return {tree.root(), ~std::uint32_t{0}};
  }
};

/// Each packet begins at its own nodes; in the recursive and the stack walk, each query. The
/// subtrees of a packet's entries must not overlap. The group walk of a BoxSearchVisitor ignores
/// the lanes of an entry and uses it for the whole packet. A packet without entries finds nothing;
/// if it resumes, its results stay unchanged.
template <class MemorySpace, bool Resumes = false>
struct FromEntries {
  static constexpr bool resumes = Resumes;
  static constexpr bool at_root = false;

  /// [packets + 1] Packet p begins at `nodes` first(p) to first(p + 1) - 1.
  Kokkos::View<const Count*, MemorySpace> first;
  Kokkos::View<const MaskedNode*, MemorySpace> nodes;  ///< [entries]

  KOKKOS_FORCEINLINE_FUNCTION Segment entries_of(Count packet) const {
    return {first(packet), first(packet + 1)};
  }
  template <class Tree>
  KOKKOS_FORCEINLINE_FUNCTION MaskedNode entry(const Tree&, Count e) const {
    return nodes(e);
  }
};

}  // namespace copse
