#pragma once
/// \file
/// The tree of orthogonal recursive bisection (ORB) as a 1-based heap of cells.
///
/// Invariants ([Rehmann 2022] section 5.3.1)
///  - Cell 1 is the root; the children of cell i are 2i (left) and 2i + 1 (right). Slot 0
///    is unused.
///  - A cell with `leaves == 0` does not exist; `leaves == 1` is a leaf; more is an inner cell.
///  - A cell's particles are [begin, end); its children split that range at the left child's end.
///  - Left holds exactly the particles with x[cut_axis] <= cut, right those with x[cut_axis] > cut.
///    Particles with equal coordinates therefore stay on one side.
///  - The children's boxes are the parent's, cut at `cut` along `cut_axis`, which the axis rule
///    chose. Leaf boxes are disjoint up to shared faces and cover the root.

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace copse {

/// How a cell's leaves are divided between its children.
enum class LeafRule : std::uint8_t {
  /// [Rehmann 2022] eq. 4: a nearly complete heap whose last level fills from the left, so cells 1
  /// .. 2d-1 all exist. Left gets floor(N d_left / d) particles.
  complete,
  /// [Rehmann draft]: left gets ceil(d / 2) leaves and ceil(N d_left / d) particles. Leaf sizes
  /// differ by at most one at each cut, but the last level has gaps.
  halves
};

/// Which axis a cell is cut along.
enum class AxisRule : std::uint8_t {
  longest,  ///< the longest side of its box, the first of equally long ones ([Rehmann 2022]
            ///< section 2.2)
  cyclic    ///< the axes in turn, level by level, as a kd-tree does
};

/// Level of a slot of a 1-based heap; the root's is 0.
KOKKOS_INLINE_FUNCTION constexpr int heap_level(std::uint32_t slot) {
  return static_cast<int>(Kokkos::bit_width(slot)) - 1;
}

/// The axis of a cell's cut, if axes are cyclic and the root has `first_axis`.
template <int Dim>
KOKKOS_INLINE_FUNCTION int axis_in_turn(std::uint32_t slot, int first_axis) {
  return (first_axis + heap_level(slot)) % Dim;
}
/// The axis of a cell's cut by either rule.
template <int Dim>
KOKKOS_INLINE_FUNCTION int cut_axis(AxisRule rule, std::uint32_t slot, const Box<Dim>& cell,
                                    int first_axis = 0) {
  return rule == AxisRule::cyclic ? axis_in_turn<Dim>(slot, first_axis) : cell.longest_axis();
}

/// Number of leaves that go to the left child of a cell with d >= 2 leaves.
KOKKOS_INLINE_FUNCTION constexpr std::uint32_t left_leaves(std::uint32_t d, LeafRule rule) {
  if (rule == LeafRule::halves) return d - d / 2;
  // Eq. 4 with depth l = ceil(log2 d): min(d - 2^(l-2), 2^(l-1)). For d = 2 the paper's 2^(l-2) is
  // one half, so integers need a special case.
  if (d == 2) return 1;
  int depth = 0;
  while ((std::uint32_t{1} << depth) < d) ++depth;
  const std::uint32_t grown = d - (std::uint32_t{1} << (depth - 2));
  const std::uint32_t full = std::uint32_t{1} << (depth - 1);
  return grown < full ? grown : full;
}

/// Number of particles that go left, without ties: the rank of the cut.
KOKKOS_INLINE_FUNCTION constexpr Count left_particles(Count n, std::uint32_t d_left,
                                                      std::uint32_t d, LeafRule rule) {
  // n * d_left / d without overflow for n up to 2^63: split n = q d + r.
  const Count q = n / d;
  const Count r = n % d;
  const Count round_up = rule == LeafRule::halves ? d - 1 : 0;
  return q * d_left + (r * d_left + round_up) / d;
}

struct OrbCell {
  Kokkos::Array<Real, 3> lower{};
  Kokkos::Array<Real, 3> upper{};
  Count begin = 0;             ///< first particle of the cell
  Count end = 0;               ///< one past the last
  std::uint32_t leaves = 0;    ///< leaf cells in this subtree; 0: no such cell
  std::int32_t cut_axis = -1;  ///< -1 in a leaf
  Real cut = Real{0};          ///< position of the cut plane along cut_axis

  KOKKOS_FUNCTION Box<3> box() const { return {lower, upper, {}}; }
  KOKKOS_FUNCTION Count size() const { return end - begin; }
};

/// A finished ORB tree; `cells` has 2^(ceil(log2 d) + 1) slots.
template <class MemorySpace>
struct OrbTree {
  Kokkos::View<OrbCell*, MemorySpace> cells;
  std::uint32_t leaves = 1;
  LeafRule rule = LeafRule::complete;
  AxisRule axis_rule = AxisRule::longest;
};

/// Levels below the root: ceil(log2 d).
constexpr int orb_depth(std::uint32_t leaves) {
  return leaves <= 1 ? 0 : std::bit_width(leaves - 1);
}

/// Bytes of the finished tree.
constexpr Count orb_tree_bytes(std::uint32_t leaves) {
  return (Count{2} << orb_depth(leaves)) * sizeof(OrbCell);
}

/// Bytes of a point and its index.
inline constexpr Count point_row_bytes = 3 * sizeof(Real) + sizeof(LocalIndex);

}  // namespace copse
