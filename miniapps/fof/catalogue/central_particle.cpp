#include "central_particle.hpp"

#include "shrinking_spheres.hpp"
#include <copse/backend/backends.hpp>

#include <algorithm>

namespace copse::fof {
namespace {

template <class MemorySpace>
using Scores = Kokkos::View<double*, Kokkos::LayoutLeft, MemorySpace>;

/// Sources are processed eight at a time with one partial sum per lane, so that additions are
/// independent. The order is still fixed.
constexpr Count lanes = 8;

template <class MemorySpace>
struct SumPotential {
  MemberTable<MemorySpace> table;
  double softening2;
  Count first;  ///< first member of the first group whose potential is needed
  Scores<MemorySpace> scores;

  /// Adds the potential of members [block, block + in_use) at member j.
  KOKKOS_FORCEINLINE_FUNCTION void add_block(double (&sums)[lanes], Count j, Count block,
                                             Count in_use) const {
    for (Count l = 0; l < in_use; ++l) {
      const Count source = block + l;
      double distance2 = softening2;
      for (int a = 0; a < 3; ++a) {
        const double d = table.place(source, a) - table.place(j, a);
        distance2 = Kokkos::fma(d, d, distance2);
      }
      const bool acts = source != j && distance2 > 0.0;
      sums[l] -= acts ? table.mass(source) / Kokkos::sqrt(distance2) : 0.0;
    }
  }

  KOKKOS_FUNCTION void operator()(Count i) const {
    const Count j = first + i;
    const Count g = segment_of(table.offsets, j);
    const Count end = table.offsets(g + 1);
    double sums[lanes] = {};
    Count block = table.offsets(g);
    for (; block + lanes <= end; block += lanes) add_block(sums, j, block, lanes);
    add_block(sums, j, block, end - block);
    double sum = 0.0;
    for (Count l = 0; l < lanes; ++l) sum += sums[l];
    scores(j) = sum;
  }
};

struct Least {
  double score = Kokkos::Experimental::finite_max_v<double>;
  Count member = ~Count{0};

  KOKKOS_FUNCTION void join(const Least& other) {
    if (other.score > score || (other.score == score && other.member > member)) return;
    score = other.score;
    member = other.member;
  }
};

template <class MemorySpace>
struct ScoreOfMember {
  Scores<MemorySpace> scores;
  KOKKOS_FUNCTION Least operator()(Count, Count j) const {
    Least least;
    least.score = scores(j);
    least.member = j;
    return least;
  }
};

template <class MemorySpace>
struct StoreCentral {
  MemberTable<MemorySpace> table;
  Kokkos::View<Least*, Kokkos::LayoutLeft, MemorySpace> least;
  PropertyTable<MemorySpace> properties;

  KOKKOS_FUNCTION void operator()(Count g) const {
    const LocalIndex row = table.rows(least(g).member);
    properties(g).central = row;
    for (int a = 0; a < 3; ++a)
      properties(g).central_position[a] = static_cast<double>(table.position(row, a));
  }
};

}  // namespace

template <class ExecutionSpace>
void find_central_particles(
    const ExecutionSpace& space, const MemberTable<typename ExecutionSpace::memory_space>& table,
    const ReductionTree<typename ExecutionSpace::memory_space>& tree,
    std::span<const Count> offsets, const CentralOptions& options,
    Workspace<typename ExecutionSpace::memory_space>& workspace,
    const GroupCentres<typename ExecutionSpace::memory_space>& centres,
    const PropertyTable<typename ExecutionSpace::memory_space>& properties) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;
  // Sizes decrease, so the large groups come first.
  Count large = 0;
  while (large < table.groups && offsets[large + 1] - offsets[large] > options.direct_members)
    ++large;
  const auto scores = workspace.template get<double>("catalogue::scores", table.members());
  if (large > 0) find_densest_spots(space, table, large, workspace, centres, properties, scores);
  // Cost is equal within a group and highest in the first groups.
  using Potentials = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>,
                                         Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for("copse::fof::catalogue::potential",
                       Potentials(space, 0, table.members() - offsets[large]),
                       SumPotential<MemorySpace>{table, options.softening * options.softening,
                                                 offsets[large], scores});
  const auto least = reduce_segments(
      "copse::fof::catalogue::least_score", space, tree, ScoreOfMember<MemorySpace>{scores},
      workspace.template get<Least>("catalogue::least", tree.nodes()));
  Kokkos::parallel_for("copse::fof::catalogue::central", Range(space, 0, table.groups),
                       StoreCentral<MemorySpace>{table, least, properties});
}

#define COPSE_FIND_CENTRAL_PARTICLES(Space)                                                     \
  template void find_central_particles(                                                         \
      const Space&, const MemberTable<Space::memory_space>&,                                    \
      const ReductionTree<Space::memory_space>&, std::span<const Count>, const CentralOptions&, \
      Workspace<Space::memory_space>&, const GroupCentres<Space::memory_space>&,                \
      const PropertyTable<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_FIND_CENTRAL_PARTICLES)

}  // namespace copse::fof
