#pragma once
/// \file
/// One node as a target of the method "fmm" (fmm.hpp): the fate of a source, and the conversion of
/// accepted nodes to its local expansion.

#include "../body_tree.hpp"
#include <copse/backend/lanes.hpp>
#include <copse/gravity/local_expansion.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::gravity {

template <int Order>
struct LocalExpansion {
  static constexpr int rank = local_rank(Order);
  static constexpr int components = component_count(rank);
  Real of[components];
};

/// Sources that a depth of targets left to their children: `count(node)` of them from
/// `begin(node)`.
template <class MemorySpace>
struct DeferredLists {
  Kokkos::View<Count*, MemorySpace> begin;          ///< [nodes]
  Kokkos::View<std::uint32_t*, MemorySpace> count;  ///< [nodes]
  Kokkos::View<Node*, MemorySpace> sources;
};

/// What a sweep did: conversions, pairs of bodies, tests, tests for each body of the target.
template <class MemorySpace>
using FmmTotals = Kokkos::View<Count[4], MemorySpace>;

enum class Fate : std::uint8_t { accepted, opened, deferred, near };

/// One depth of targets. A first sweep counts the deferred sources, a second one (`Evaluates`)
/// lists them and computes.
template <class MemorySpace, int Order>
struct FmmSweep {
  using Expansion = LocalExpansion<Order>;
  static constexpr int components = Expansion::components;
  static constexpr int stored = Order == 1 ? 0 : Order == 2 ? 6 : Order == 3 ? 14 : 23;
  static constexpr std::uint32_t stride = sizeof(Moments<Order>) / sizeof(Real);

  BarnesHut<Order, MemorySpace> from;
  Kokkos::View<const Real*, MemorySpace> reach;
  Kokkos::View<const Node*, MemorySpace> parents;
  DeferredLists<MemorySpace> before, after;
  Kokkos::View<Expansion*, MemorySpace> locals;
  Kokkos::View<Node*, MemorySpace> leaf_of;  ///< [bodies]
  FmmTotals<MemorySpace> totals;             ///< if it is allocated
  Kokkos::Array<Real, 3> shift{};            ///< targets are at their places less this
  Node first = 0, end = 0;                   ///< the targets

  struct Target {
    Node index;
    OctreeNode node;
    Monopole mass;
    Real radius, reach, length;
    Count list;  ///< of undecided sources
    std::uint32_t undecided;
  };

  KOKKOS_FORCEINLINE_FUNCTION Target target_of(Node index) const {
    const Node parent = parents(index);
    const Real b = reach(index);
    Monopole mass = from.gravity.monopole(index);
    for (int a = 0; a < 3; ++a) mass.centre[a] -= shift[a];
    return {index,
            from.tree.nodes(index),
            mass,
            lane_sqrt(from.gravity.opening2(index)),
            b,
            unit_length(b),
            before.begin(parent),
            before.count(parent)};
  }

  KOKKOS_FORCEINLINE_FUNCTION Fate fate(const Target& target, Node source) const {
    const ToMass<OneLane> d(LanePoint<OneLane, 3>(target.mass.centre),
                            from.gravity.monopole(source));
    const Real apart = target.radius + lane_sqrt(from.gravity.opening2(source));
    if (d.square > apart * apart) return Fate::accepted;
    const bool leaf = from.tree.is_leaf(source);
    if (!leaf && (target.node.is_leaf() || reach(source) >= target.reach)) return Fate::opened;
    return target.node.is_leaf() ? Fate::near : Fate::deferred;
  }

  /// Adds the expansions of the lanes' nodes in `valid`.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void convert(typename L::Real (&local)[components],
                                           const Target& target, typename L::Index source,
                                           typename L::Mask valid) const {
    using LaneReal = typename L::Real;
    const LaneReal zero(Real(0));
    const auto* const monopole =
        reinterpret_cast<const Real*>(static_cast<const Monopole*>(from.gravity.monopole.data()));
    const typename L::Index first_real = source * typename L::Index(4u);
    LaneReal d[3], square(from.targets.softening2);
    for (std::uint32_t a = 0; a < 3; ++a) {
      d[a] = gather(monopole, first_real + typename L::Index(a)) - LaneReal(target.mass.centre[a]);
      square = square + d[a] * d[a];
    }
    const LaneReal mass = select(valid, gather(monopole, first_real + typename L::Index(3u)), zero);
    LaneReal raw[stored + 1];
    if constexpr (Order > 1) {
      const auto* const moments = reinterpret_cast<const Real*>(from.moments.data());
      const typename L::Index here = source * typename L::Index(stride);
      for (std::uint32_t c = 0; c < stored; ++c)
        raw[c] = select(valid, gather(moments, here + typename L::Index(c)), zero);
    }
    add_to_local<Order, LaneReal>(local, d, lane_rsqrt(square), mass, raw, LaneReal(target.length));
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_totals(const Count (&counts)[4]) const {
    if (totals.data() == nullptr) return;
    for (int c = 0; c < 4; ++c) Kokkos::atomic_add(&totals(c), counts[c]);
  }
};

}  // namespace copse::gravity
