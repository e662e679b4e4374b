#pragma once
/// \file
/// What walks read of a node, column by column, and how it travels to another rank.

#include "../body_tree.hpp"

#include <Kokkos_Core.hpp>

namespace copse::gravity {

/// Numbers of a node's moments above the monopole, in `Real`.
constexpr int higher_reals(Count order) {
  constexpr int reals[] = {0, 6, 16, 24};
  return reals[order - 1];
}

/// Which columns nodes have; the same on every rank.
struct NodeFormat {
  int reals = 0;          ///< numbers of the higher moments
  bool relative = false;  ///< cubes of the relative criterion
  bool spline = false;    ///< softening lengths of nodes and bodies
};

/// Pointers to the columns of some nodes.
struct NodeColumns {
  NodeFormat format;

  OctreeNode* nodes = nullptr;
  Monopole* monopole = nullptr;
  Real* opening2 = nullptr;
  Real* higher = nullptr;
  OctreeCell* cubes = nullptr;
  NodeSoftening* softening = nullptr;

  /// Copies all columns of a node but its topology.
  KOKKOS_FUNCTION void take(Count to, const NodeColumns& from, Count i) const {
    monopole[to] = from.monopole[i];
    opening2[to] = from.opening2[i];
    const auto reals = static_cast<Count>(format.reals);
    for (Count k = 0; k < reals; ++k) higher[to * reals + k] = from.higher[i * reals + k];
    if (format.relative) cubes[to] = from.cubes[i];
    if (format.spline) softening[to] = from.softening[i];
  }
};

/// The columns of a tree.
template <class MemorySpace>
NodeColumns columns_of(const NodeFormat& format, const Octree<MemorySpace>& tree,
                       const GravityTree<MemorySpace>& gravity,
                       const AnyMultipoles<MemorySpace>& moments) {
  NodeColumns columns;
  columns.format = format;
  columns.nodes = tree.nodes.data();
  columns.opening2 = gravity.opening2.data();
  columns.cubes = gravity.cubes.data();
  columns.softening = gravity.node_softening.data();
  std::visit(
      [&](const auto& m) {
        columns.monopole = m.monopole.data();
        columns.higher = reinterpret_cast<Real*>(m.higher.data());
      },
      moments);
  return columns;
}

/// Unit of messages: sections begin at multiples of it.
struct alignas(16) MessageWord {
  std::uint32_t part[4];
};

/// A node that the receiver has without its parts, which the message brings. Node and row numbers
/// count from the beginning of the message.
struct OpenedTop {
  LocalIndex slot;  ///< in the receiver's array
  OctreeNode node;
};

/// The only row of a node whose children or bodies are not in the message. It is a leaf whose
/// `first_child` is the node's number in the forest of its owner.
inline constexpr LocalIndex missing_row = ~LocalIndex{0};
/// Of a node that is in a message as another node's child.
inline constexpr LocalIndex no_slot = ~LocalIndex{0};

/// The sizes of one rank's message to another.
struct EssentialSizes {
  Count tops = 0, nodes = 0, bodies = 0;

  KOKKOS_FUNCTION EssentialSizes& operator+=(const EssentialSizes& other) {
    tops += other.tops;
    nodes += other.nodes;
    bodies += other.bodies;
    return *this;
  }
};

/// One rank's message to another: the nodes that the receiver has and opens, the nodes below them
/// that it tests, and the bodies of the leaves that it opens.
struct EssentialMessage {
  OpenedTop* tops = nullptr;
  NodeColumns nodes;
  Monopole* bodies = nullptr;
  Real* lengths = nullptr;  ///< spline softening of the bodies, or none
  Count words = 0;          ///< its whole length

  /// Lays a message out from `begin` on, or measures it.
  static EssentialMessage at(MessageWord* begin, const EssentialSizes& sizes,
                             const NodeFormat& format) {
    EssentialMessage message;
    const auto section = [&]<class T>(T*& pointer, Count count) {
      if (begin != nullptr) pointer = reinterpret_cast<T*>(begin + message.words);
      message.words += (count * sizeof(T) + sizeof(MessageWord) - 1) / sizeof(MessageWord);
    };
    NodeColumns& nodes = message.nodes;
    nodes.format = format;
    section(message.tops, sizes.tops);
    section(nodes.nodes, sizes.nodes);
    section(nodes.monopole, sizes.nodes);
    section(nodes.opening2, sizes.nodes);
    section(nodes.higher, sizes.nodes * static_cast<Count>(format.reals));
    if (format.relative) section(nodes.cubes, sizes.nodes);
    if (format.spline) section(nodes.softening, sizes.nodes);
    section(message.bodies, sizes.bodies);
    if (format.spline) section(message.lengths, sizes.bodies);
    return message;
  }
};

}  // namespace copse::gravity
