#pragma once
/// \file
/// The independent check of a finished ORB, behind `orb --verify`.
///
/// It is written from the definitions of [Rehmann 2022] sections 3.3 and 5.3.1 and shares no code
/// with the kernels. Leaves are counted in the heap instead of by eq. 4. No cut is searched for; a
/// cut is checked by the keys on its two sides. For an ORB over several ranks no rank holds all
/// particles, except that a small result is also gathered and checked by verify_orb.
///
/// The rule for a cell with n particles and d leaves, d' of them going left:
///  - k = floor(n d' / d) particles go left (ceil under LeafRule::halves).
///  - If keys k and k + 1 in ascending order are equal, all particles tied with them go to one
///    side: the side that leaves the left count nearer to k, the right side if both are equally
///    near.
///  - The left side is empty only if the smallest key is above the cell's lower face: otherwise no
///    plane inside the cell has nothing at or below it. The lowest tie then goes left.
///  - largest left key <= cut < smallest right key. If the left side is empty, the lower face
///    bounds the cut from below; if the right side is, the upper face bounds it from above. In an
///    empty cell the cut is the middle of the box.

#include <copse/app/verification.hpp>
#include <copse/backend/mpi/communicator.hpp>
#include <copse/backend/types.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/particles/particles.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <string>
#include <vector>

namespace copse::orb {

/// Names of the checks, in the order they are made.
namespace orb_check {
/// `permutation` contains every row of the input once.
inline constexpr const char* every_particle_once = "every_particle_once";
/// Row i has bitwise the coordinates of the input's row permutation(i).
inline constexpr const char* coordinates_moved_along = "coordinates_moved_along";
/// Input and output agree in an order-independent 64-bit sum of hashed coordinates.
inline constexpr const char* coordinate_checksum = "coordinate_checksum";
/// 2^(ceil(log2 d) + 1) slots, cells exactly where d leaves put them, 2d - 1 in all.
inline constexpr const char* heap_conditions = "heap_conditions";
/// Every cell has the number of leaves that the leaf rule gives it.
inline constexpr const char* leaf_counts = "leaf_counts";
/// The root holds all rows, children split their parent's range, so leaves tile all rows.
inline constexpr const char* ranges_tile = "ranges_tile";
/// The root's box is the domain; children's boxes are the parent's, cut at `cut`, face by face.
inline constexpr const char* boxes_match = "boxes_match";
/// Volumes of the leaf boxes add up to the root's; the value is the relative deviation.
inline constexpr const char* volumes_add_up = "volumes_add_up";
/// The cut axis is the longest of the box, the first of equals; -1 in a leaf. For trees with the
/// longest-axis rule.
inline constexpr const char* longest_axis_cut = "longest_axis_cut";
/// The same for a tree that cuts its axes in turn: level l is cut along axis l mod 3.
inline constexpr const char* cyclic_axis_cut = "cyclic_axis_cut";
/// Every particle is inside the box of its leaf.
inline constexpr const char* inside_leaf_box = "inside_leaf_box";
/// Particles of a leaf are in the order of the input.
inline constexpr const char* input_order_kept = "input_order_kept";
/// At every cut above it a particle is left with x <= cut and right with x > cut.
inline constexpr const char* side_of_cut = "side_of_cut";
/// Left counts are those of the rule, ties as above.
inline constexpr const char* counts_by_rule = "counts_by_rule";
/// Replaces counts_by_rule if cells are cut by weight: left weights are those of the rule
/// (histogram_cuts.hpp).
inline constexpr const char* weights_by_rule = "weights_by_rule";
/// Cuts lie between the keys they separate, as above.
inline constexpr const char* cut_between_keys = "cut_between_keys";
}  // namespace orb_check

/// Names of the other checks of verify_distributed, beside those of `orb_check` that concern cells
/// and inside_leaf_box, side_of_cut and input_order_kept.
namespace distributed_check {
/// Every rank has the same cells.
inline constexpr const char* cells_agree = "cells_agree";
/// A rank's rows are those of the leaves j with floor(j P / d) = rank.
inline constexpr const char* on_owning_rank = "on_owning_rank";
/// Number, sum and hashed sum of the ids over all ranks are the input's.
inline constexpr const char* same_ids = "same_ids";
/// The sum of a hash of each particle's id, coordinates and weight is the input's.
inline constexpr const char* particles_intact = "particles_intact";
/// verify_orb on rank 0 passes; up to `largest_gathered` particles.
inline constexpr const char* gathered_result = "gathered_result";
}  // namespace distributed_check

using HostWeights = Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

/// The guarantees of a build variant, where they differ from those of the best one.
struct OrbPromises {
  bool order_kept = true;   ///< otherwise input_order_kept is not checked
  Count alpha = 0;          ///< left counts may also differ from k by this many particles
  HostWeights weight = {};  ///< [n] of the input's rows, where cells are cut by weight
  /// For builds of positions alone, which keep neither the input nor its rows: the input's
  /// coordinate_checksum (common/copse/app/coordinate_checksum.hpp). Then coordinate_checksum
  /// replaces the three checks of rows, and input_order_kept is omitted.
  std::optional<std::uint64_t> input_checksum = std::nullopt;
};

/// Checks a finished ORB on the host and adds one check each of `orb_check` to `out`. The value of
/// a check counts violations, and its tolerance is 0, unless said otherwise above.
///
/// \param original     the particles as they were; their box is the root's, and all that is read of
///                     them if there is an input_checksum
/// \param partitioned  [n][3] positions in tree order
/// \param permutation  [n] row i holds what was row permutation(i); empty if there is an
///                     input_checksum
/// \return one sentence for each failed check, about the first violation found
///
/// Never reads out of bounds, whatever the tree and permutation hold: checks that a broken heap or
/// broken ranges make meaningless fail as not examined.
///
/// O(n log d) reads of one key and O(n) of whole rows by the threads of the default host space;
/// n / 8 bytes and O(d) cells of memory in addition to the arguments.
std::vector<std::string> verify_orb(const Particles<Kokkos::HostSpace>& original,
                                    const Points<3, Kokkos::HostSpace>& partitioned,
                                    const Kokkos::View<LocalIndex*, Kokkos::HostSpace>& permutation,
                                    const OrbTree<Kokkos::HostSpace>& tree, app::Verification& out,
                                    const OrbPromises& promises = {});

/// Most particles of a distributed result that is also gathered on rank 0 and checked there.
inline constexpr Count largest_gathered = Count{1} << 22;

/// The particles of one rank; the first is row `first_row` of all.
struct RankParticles {
  DistributedPoints<Kokkos::HostSpace> points;
  Count first_row = 0;
  Count size() const { return points.position.extent(0); }
};

/// Checks the result of this rank and, with the other ranks, of all. \return one sentence for each
/// check that failed here. O(n log d) per rank. Collective.
std::vector<std::string> verify_distributed(const Communicator& comm, const RankParticles& before,
                                            const RankParticles& after,
                                            const OrbTree<Kokkos::HostSpace>& tree,
                                            const Box<3>& domain, app::Verification& out);

/// All particles on rank 0, in the order of ranks and rows; nothing elsewhere. Collective.
RankParticles gather_particles(const Communicator& comm, const RankParticles& particles);

/// Ids as a permutation of one rank. \pre they are less than 2^32
Kokkos::View<LocalIndex*, Kokkos::HostSpace> local_indices(
    const Kokkos::View<GlobalId*, Kokkos::HostSpace>& ids);

}  // namespace copse::orb
