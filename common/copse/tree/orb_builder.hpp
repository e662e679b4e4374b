#pragma once
/// \file
/// Builds ORB trees on any backend.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/orb_policy.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>

namespace copse {

template <int Dim, class MemorySpace, class Row>
struct BisectionArrays;
template <int Dim, class MemorySpace>
struct PointArrays;

struct OrbOptions {
  std::uint32_t leaves = 1;  ///< d >= 1
  LeafRule rule = LeafRule::complete;
  AxisRule axis_rule = AxisRule::longest;
  int first_axis = 0;          ///< axis of the root's cut, for cyclic axes
  Box<3> box = unit_box<3>();  ///< the root's box; must contain every point
};

/// Largest number of leaves: heap slots are 32-bit.
inline constexpr std::uint32_t max_orb_leaves = std::uint32_t{1} << 28;

/// \throws InputError if the number of leaves is 0 or too large, or one rank cannot hold `rows`
/// particles
inline void check_orb_size(Count rows, std::uint32_t leaves) {
  if (leaves < 1 || leaves > max_orb_leaves)
    throw InputError("the number of leaves must be from 1 to " + std::to_string(max_orb_leaves) +
                     ", not " + std::to_string(leaves));
  if (rows > max_particles_per_rank)
    throw InputError(std::to_string(rows) +
                     " particles on one rank are more than the 2^32 it can hold");
}

/// A tree with n particles that consists of the root only.
template <class ExecutionSpace>
OrbTree<typename ExecutionSpace::memory_space> rooted_orb_tree(const ExecutionSpace& space, Count n,
                                                               const OrbOptions& options) {
  OrbTree<typename ExecutionSpace::memory_space> tree;
  tree.leaves = options.leaves;
  tree.rule = options.rule;
  tree.axis_rule = options.axis_rule;
  tree.cells = decltype(tree.cells)("copse::orb::cells", Count{2} << orb_depth(options.leaves));
  OrbCell root;
  root.lower = options.box.lower;
  root.upper = options.box.upper;
  root.end = n;
  root.leaves = options.leaves;
  Kokkos::deep_copy(space, Kokkos::subview(tree.cells, 1), root);
  return tree;
}

/// Cuts all levels of a tree and sorts the particles into tree order, for OrbBuilder. All engines
/// give the same tree and order, bitwise. This one serves trees of any size: on a host level by
/// level and then subtrees depth first (depth_first.hpp), on a device level by level with cuts by
/// histograms (histogram_cuts.hpp). A program with a faster engine for its sizes derives from this
/// class and passes it to the builder.
template <class ExecutionSpace>
class OrbEngine {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Cells = Kokkos::View<OrbCell*, MemorySpace>;

  virtual ~OrbEngine() = default;

  /// Cuts `cells`, whose root is set, `levels` times. The permutation need not be initialised. May
  /// return before the device has finished.
  virtual void cut(const ExecutionSpace& space, const OrbPolicy& policy, const Cells& cells,
                   int levels, const BisectionArrays<3, MemorySpace, LocalIndex>& arrays,
                   Workspace<MemorySpace>& workspace) const;
  virtual void cut(const ExecutionSpace& space, const OrbPolicy& policy, const Cells& cells,
                   int levels, const PointArrays<3, MemorySpace>& arrays,
                   Workspace<MemorySpace>& workspace) const;

  /// Bytes of the workspace and of other allocations of `cut`, to a few percent for random keys.
  virtual Count workspace_bytes(Count rows, int levels) const;
};

/// Builds ORB trees, keeping its work arrays between builds of equal size.
///
/// The order of the points after a build is the stable sort of the input by leaf; tree and order
/// are bitwise equal on every backend and for every number of threads.
template <class ExecutionSpace>
class OrbBuilder {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Permutation = Kokkos::View<LocalIndex*, MemorySpace>;

  using Engine = OrbEngine<ExecutionSpace>;

  explicit OrbBuilder(const ExecutionSpace& space = {},
                      std::shared_ptr<const Engine> engine = std::make_shared<Engine>());

  /// Cuts `points` into `options.leaves` cells. On return `points` is in tree order and
  /// `permutation(i)` is the previous index of particle i (`permutation` is allocated if its extent
  /// is not n). The handles in `points` and `permutation` may then refer to other allocations than
  /// before: keep no other View of them. O(n log d); memory in addition to the arguments: one copy
  /// of the points, one of the permutation, and a workspace of about a third of a column on hosts,
  /// a column and a half on devices, and up to two for few points (histograms, at most 32 MiB).
  /// \throws InputError if there are more points than a rank may hold, or 0 or too many leaves
  OrbTree<MemorySpace> build(Points<3, MemorySpace>& points, Permutation& permutation,
                             const OrbOptions& options);

  /// As above, for points without a permutation. `spare` is a second array of the same size
  /// (allocated if its extent is not n) with undefined contents afterwards; the two handles may be
  /// swapped. With float coordinates this takes 24 bytes per point instead of 32, and the same
  /// workspace (`estimate_points_bytes`): 2^32 points take 128 GB of device memory.
  OrbTree<MemorySpace> build(Points<3, MemorySpace>& points, Points<3, MemorySpace>& spare,
                             const OrbOptions& options);

  /// Bytes the builder allocates for n points in addition to the arguments, including the tree.
  static Count estimate_bytes(Count n, std::uint32_t leaves, const Engine& engine = Engine());
  /// As above, for points without a permutation; the spare array is an argument.
  static Count estimate_points_bytes(Count n, std::uint32_t leaves,
                                     const Engine& engine = Engine());

 private:
  template <class Arrays>
  OrbTree<MemorySpace> build_arrays(const Arrays& arrays, const OrbOptions& options);

  ExecutionSpace space_;
  std::shared_ptr<const Engine> engine_;
  Workspace<MemorySpace> workspace_;
  Points<3, MemorySpace> spare_points_;
  Permutation spare_permutation_;
};

}  // namespace copse
