#pragma once
/// \file
/// Builds ORB trees on any backend.

#include <copse/algorithms/workspace.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// How a tree is built; every way gives the same tree and order, bitwise.
enum class OrbEngine : std::uint8_t {
  best,    ///< what was measured to be fastest: on a device fused, by levels below 2^26 points;
           ///< depth first on a host
  levels,  ///< cut and move level by level (bisection.hpp)
  fused    ///< several levels per movement (fused_bisection.hpp)
};

struct OrbOptions {
  std::uint32_t leaves = 1;  ///< d >= 1
  LeafRule rule = LeafRule::complete;
  AxisRule axis_rule = AxisRule::longest;
  OrbEngine engine = OrbEngine::best;
  int first_axis = 0;          ///< of the root, where axes are cut in turn
  Box<3> box = unit_box<3>();  ///< the root's box; must contain every point
};

/// Largest number of leaves: heap slots are 32-bit.
inline constexpr std::uint32_t max_orb_leaves = std::uint32_t{1} << 28;

/// Builds ORB trees, keeping its work arrays between builds of equal size.
///
/// The order of the points after a build is the stable sort of the input by leaf; tree and order
/// are bitwise equal on every backend and for every number of threads.
template <class ExecutionSpace>
class OrbBuilder {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Permutation = Kokkos::View<LocalIndex*, MemorySpace>;

  explicit OrbBuilder(const ExecutionSpace& space = {}) : space_(space) {}

  /// Cuts `points` into `options.leaves` cells. On return `points` is in tree order and
  /// `permutation(i)` is the row that point i had before (`permutation` is allocated if it has not
  /// n rows). The handles in `points` and `permutation` may then refer to other allocations than
  /// before: keep no other View of them. Work O(n log d); memory beside the arguments: one copy of
  /// the points, of the permutation, and a workspace: about a third of a column on hosts, a column
  /// and a half on devices, for few points up to two (histograms, at most 32 MiB).
  /// \throws InputError if there are more points than a rank may hold, or leaves are 0 or too many.
  OrbTree<MemorySpace> build(Points<3, MemorySpace>& points, Permutation& permutation,
                             const OrbOptions& options);

  /// As above, of points alone: nothing says which row a point had before. `spare` is room for as
  /// many points (allocated if it has not n rows) and holds junk afterwards; either handle may have
  /// become the other. With float coordinates that is 24 bytes a point where the build above takes
  /// 32, and the same workspace (`estimate_points_bytes`): 2^32 points take 128 GB of a device.
  OrbTree<MemorySpace> build(Points<3, MemorySpace>& points, Points<3, MemorySpace>& spare,
                             const OrbOptions& options);

  /// Bytes the builder allocates for n points beside the arguments, the tree included.
  static Count estimate_bytes(Count n, std::uint32_t leaves, OrbEngine engine = OrbEngine::best);
  /// The same of points alone; the spare room is an argument.
  static Count estimate_points_bytes(Count n, std::uint32_t leaves,
                                     OrbEngine engine = OrbEngine::best);

 private:
  template <class Arrays>
  OrbTree<MemorySpace> build_arrays(const Arrays& arrays, const OrbOptions& options);

  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
  Points<3, MemorySpace> spare_points_;
  Permutation spare_permutation_;
};

}  // namespace copse
