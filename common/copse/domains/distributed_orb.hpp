#pragma once
/// \file
/// ORB of particles distributed over MPI ranks, in three ways; the first two are the local and
/// global reshuffling of [Rehmann draft] section 4.2.
///
///  - *local*: particles stay on their ranks while the tree is built. Every rank cuts its part of
///    every cell; histograms summed over all ranks give the cut. One exchange at the end sends
///    every particle to the rank that owns its leaf. A particle travels at most once, but every
///    level of the tree costs reductions over all ranks.
///  - *global*: after each level the particles of a cell move to that cell's ranks, the ranks split
///    into groups that share no cell, and a cell owned by one rank is finished there by OrbBuilder,
///    without messages. A particle travels about once per level until its cell belongs to one rank:
///    log2 P levels if P and d are powers of two. Otherwise at most P - 1 cells per level, those
///    across a border between two ranks, are shared for longer.
///  - *once*: every rank cuts its part of the cells shared by several ranks, in its own memory: a
///    host moves its particles at every level, a device after the last one. Then one exchange sends
///    every particle to the rank of its cell, which is finished there as in global reshuffling. A
///    particle travels at most once, and ranks communicate in the first log2 P levels only, if P
///    and d are powers of two. Otherwise all ranks process all their particles at every level down
///    to the leaves.
///
/// Invariants of all three
///  - Leaf j of d belongs to rank floor(j P / d) (leaf_ownership.hpp). Any number of ranks, leaves
///    and particles is valid; ranks may own no leaf and hold no particle.
///  - The input order is by rank, then by index. Tree and order are bitwise those of OrbBuilder (or
///    WeightedOrbBuilder) on all particles in that order.
///  - At all times a cell's particles are in input order over (rank, index).

#include <copse/algorithms/segmented_histogram.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/mpi/communicator.hpp>
#include <copse/particles/fixed_point.hpp>
#include <copse/tree/integer_weights.hpp>
#include <copse/tree/orb_builder.hpp>
#include <copse/tree/weighted_orb.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace copse {

enum class Reshuffle : std::uint8_t { local, global, once };

constexpr const char* name_of(Reshuffle reshuffle) {
  switch (reshuffle) {
    case Reshuffle::local:
      return "local";
    case Reshuffle::global:
      return "global";
    case Reshuffle::once:
      break;
  }
  return "once";
}
/// One of the names above.
constexpr Reshuffle reshuffle_named(std::string_view name) {
  return name == "local"    ? Reshuffle::local
         : name == "global" ? Reshuffle::global
                            : Reshuffle::once;
}

/// Particles of one rank.
template <class MemorySpace>
struct DistributedPoints {
  Points<3, MemorySpace> position;
  Kokkos::View<GlobalId*, MemorySpace> id;           ///< [n] index in the global input order
  Kokkos::View<std::uint32_t*, MemorySpace> weight;  ///< [n], or empty in a tree by count
};

/// Result of a build on one rank.
template <class MemorySpace>
struct DistributedOrb {
  OrbTree<MemorySpace> tree;  ///< all cells, on every rank; ranges count the particles of all ranks
  DistributedPoints<MemorySpace> points;  ///< those of the rank's own leaves, in tree order
  Count first_row = 0;                    ///< global tree-order index of the rank's particle 0
};

/// Cost of one build on this rank.
struct DistributedCost {
  double compute_seconds = 0.0;
  double communicate_seconds = 0.0;
  double wait_seconds = 0.0;      ///< in a barrier before every collective
  Count particle_bytes_sent = 0;  ///< particle data sent to other ranks
  Count bytes_reduced = 0;        ///< histogram bytes this rank contributed to reductions
  int exchanges = 0;              ///< particle exchanges this rank took part in
  std::vector<int>
      rounds_per_level;  ///< histograms summed over ranks, per level with communication
};

/// Bits per digit of the histograms that `once` makes while particles stay in place: the bins of
/// all `cells` cells fit into 32 KiB of scratch memory, and digits have about equal lengths.
constexpr int unmoved_digit_bits(Count cells, int key_bits, bool weighted = false) {
  const int most =
      (weighted ? 12 : 13) - static_cast<int>(std::bit_width(std::max<Count>(cells, 1) - 1));
  const int limit = std::min(most, max_histogram_bits);
  const int digits = (key_bits + limit - 1) / limit;
  return (key_bits + digits - 1) / digits;
}

namespace detail {

/// The single-rank builders for a rank's own cells. The builders swap the handles they are given
/// with their own, so these must not be Views into a workspace.
template <class ExecutionSpace>
struct OwnBuilders {
  using MemorySpace = typename ExecutionSpace::memory_space;
  OrbBuilder<ExecutionSpace> by_number;
  WeightedOrbBuilder<ExecutionSpace> by_weight;
  Points<3, MemorySpace> points = {};
  Kokkos::View<LocalIndex*, MemorySpace> permutation = {};
};

}  // namespace detail

/// Builds ORB trees over the ranks of a communicator, keeping its work arrays between builds.
template <class ExecutionSpace>
class DistributedOrbBuilder {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  using Engine = OrbEngine<ExecutionSpace>;

  /// `engine` cuts the cells owned by one rank, in trees by count.
  explicit DistributedOrbBuilder(const Communicator& comm, const ExecutionSpace& space = {},
                                 std::shared_ptr<const Engine> engine = std::make_shared<Engine>())
      : space_(space),
        comm_(comm),
        builders_{OrbBuilder<ExecutionSpace>(space, std::move(engine)),
                  WeightedOrbBuilder<ExecutionSpace>(space)} {}

  /// Cuts the particles of all ranks by count (`weighted` false) or by weight. `points` are not
  /// changed. Collective; ranks may hold no particles. O(n log d) per rank; memory in addition to
  /// the points: two copies of the largest number of particles a rank holds before, during or after
  /// the build.
  ///
  /// The result's points are valid until the next build.
  ///
  /// With a `grid`, positions are sent in its fixed point. They must be rounded to it
  /// (compressed_positions.hpp); the result is the same, bit by bit.
  ///
  /// \throws InputError as OrbBuilder::build, or if a rank would hold too many particles
  DistributedOrb<MemorySpace> build(const DistributedPoints<MemorySpace>& points,
                                    const OrbOptions& options, Reshuffle reshuffle, bool weighted,
                                    const FixedPoint& grid = {});

  /// Bytes of the builder and its result, tree included, on one of `ranks` ranks with `rows`
  /// points, sent as they are.
  static Count estimate_bytes(Count rows, int ranks, std::uint32_t leaves, Reshuffle reshuffle,
                              bool weighted, const Engine& engine = Engine());

  const DistributedCost& cost() const { return cost_; }

 private:
  ExecutionSpace space_;
  const Communicator& comm_;
  Workspace<MemorySpace> workspace_;
  detail::OwnBuilders<ExecutionSpace> builders_;
  DistributedCost cost_;
};

}  // namespace copse
