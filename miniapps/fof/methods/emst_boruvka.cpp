#include "emst_boruvka.hpp"

#include "tree_points.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/traversal/walk.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace copse::fof {
namespace {

constexpr std::uint32_t default_bucket_size = 16;

}  // namespace

template <class ExecutionSpace>
auto EmstBoruvkaLinker<ExecutionSpace>::begin(const LinkProblem<MemorySpace>& problem,
                                              const LinkOptions& options,
                                              const Labels<MemorySpace>& labels)
    -> BoruvkaRound<MemorySpace> {
  const Count n = problem.size();
  if (n >= max_particles_per_rank)
    throw InputError(std::to_string(n) + " particles are more than the 2^32 - 1 that a spanning " +
                     "tree of one rank can hold");
  BalancedOptions shape;
  shape.bucket_size = options.bucket_size == 0 ? default_bucket_size : options.bucket_size;
  BoruvkaRound<MemorySpace> round;
  round.tree = builder_.curve_tree(problem.position, Curve::hilbert, shape);
  round.friendship = problem.friendship;
  if (problem.has_velocity())
    round.velocity = velocities_in_order(space_, problem, round.tree.permutation,
                                         workspace_.template get<Real>("fof::velocity", 3 * n));
  round.sets.parent = labels;
  using Key = typename BoruvkaRound<MemorySpace>::Key;
  round.components.of_row = workspace_.template get<LocalIndex>("fof::component", n);
  round.components.of_node =
      workspace_.template get<LocalIndex>("fof::node_component", round.tree.node_slots());
  round.candidates.row = workspace_.template get<LocalIndex>("fof::candidate", n);
  round.candidates.distance2 = workspace_.template get<Real>("fof::candidate_distance2", n);
  round.least_key = workspace_.template get<Key>("fof::least_key", n);
  round.least_pair = workspace_.template get<std::uint64_t>("fof::least_pair", n);
  make_singletons(space_, round.sets);
  Kokkos::parallel_for("copse::fof::forget_candidates", CountRange<ExecutionSpace>(space_, 0, n),
                       ForgetCandidates<MemorySpace>{round});
  return round;
}

template <class ExecutionSpace>
void EmstBoruvkaLinker<ExecutionSpace>::find_node_components(
    const BoruvkaRound<MemorySpace>& round) {
  const std::uint32_t leaves = round.tree.leaf_slots();
  Kokkos::parallel_for("copse::fof::leaf_components",
                       CountRange<ExecutionSpace>(space_, leaves, round.tree.node_slots()),
                       LeafComponents<MemorySpace>{round});
  for (std::uint32_t first = leaves / 2; first >= 1; first /= 2)
    Kokkos::parallel_for("copse::fof::merge_components",
                         CountRange<ExecutionSpace>(space_, first, 2 * first),
                         MergeComponents<MemorySpace>{round});
}

/// Finds a new candidate for every particle that has none, or whose candidate has joined its
/// component.
template <class ExecutionSpace>
void EmstBoruvkaLinker<ExecutionSpace>::search(const BoruvkaRound<MemorySpace>& round) {
  // On a host a packet of queries walks the tree together; on a device each thread walks alone.
  constexpr WalkKind kind = runs_on_host<ExecutionSpace> ? WalkKind::fsm : WalkKind::stack;
  const auto searching = workspace_.template get<LocalIndex>("fof::searching", round.tree.rows);
  Count count = 0;
  Kokkos::parallel_scan("copse::fof::select_searching",
                        CountRange<ExecutionSpace>(space_, 0, round.tree.rows),
                        SelectSearching<MemorySpace>{round, searching}, count);
  const QueryList<MemorySpace> queries{count, searching};
  const TreePoints<MemorySpace> points{round.tree.points, round.velocity};
  if (round.velocity.extent(0) > 0) {
    walk_as<kind>(space_,
                  NearestOutsider<MemorySpace, true>{round.tree, points, round.components,
                                                     round.candidates, round.friendship},
                  queries);
  } else {
    walk_as<kind>(space_,
                  NearestOutsider<MemorySpace, false>{round.tree, points, round.components,
                                                      round.candidates, round.friendship},
                  queries);
  }
}

/// \return the number of edges found
template <class ExecutionSpace>
Count EmstBoruvkaLinker<ExecutionSpace>::run_rounds(const BoruvkaRound<MemorySpace>& round,
                                                    Real farthest,
                                                    const SpanningTree<MemorySpace>& edges) {
  const Count n = round.tree.rows;
  const CountRange<ExecutionSpace> rows(space_, 0, n);
  const Kokkos::View<Count, MemorySpace> edge_count("copse::fof::edge_count");
  Count known = 0;
  // Stops at a single component, or when no edges below the reach remain.
  while (known + 1 < n) {
    Kokkos::Profiling::ScopedRegion region("copse::fof::boruvka_round");
    Kokkos::parallel_for("copse::fof::begin_round", rows, BeginRound<MemorySpace>{round, farthest});
    find_node_components(round);
    Kokkos::parallel_for("copse::fof::offer_known_edges", rows,
                         OfferKnownEdges<MemorySpace>{round});
    search(round);
    Kokkos::parallel_for("copse::fof::offer_candidates", rows, OfferCandidates<MemorySpace>{round});
    Kokkos::parallel_for("copse::fof::offer_pairs", rows, OfferPairs<MemorySpace>{round});
    Kokkos::parallel_for("copse::fof::join_components", rows,
                         JoinComponents<MemorySpace>{round, edges, edge_count});
    flatten_sets(space_, round.sets);
    Count joined = 0;
    Kokkos::deep_copy(space_, joined, edge_count);
    space_.fence("copse::fof::boruvka_round");
    if (joined == known) break;
    known = joined;
  }
  return known;
}

template <class ExecutionSpace>
void EmstBoruvkaLinker<ExecutionSpace>::link(const LinkProblem<MemorySpace>& problem,
                                             const LinkOptions& options,
                                             const Labels<MemorySpace>& labels) {
  Kokkos::Profiling::ScopedRegion region("copse::fof::link");
  const auto round = begin(problem, options, labels);
  run_rounds(round, std::nextafter(problem.friendship.reach2, Real(0)), {});
  space_.fence("copse::fof::link");
}

template <class ExecutionSpace>
auto EmstBoruvkaLinker<ExecutionSpace>::spanning_tree(const LinkProblem<MemorySpace>& problem,
                                                      const LinkOptions& options)
    -> SpanningTree<MemorySpace> {
  Kokkos::Profiling::ScopedRegion region("copse::fof::emst_boruvka_tree");
  const Count n = problem.size();
  const auto labels = workspace_.template get<LocalIndex>("fof::sets", n);
  const auto edges = workspace_.template get<TreeEdge>("fof::edges", n == 0 ? 0 : n - 1);
  const Count found =
      run_rounds(begin(problem, options, labels), std::numeric_limits<Real>::infinity(), edges);
  return sorted_edges<ExecutionSpace>(
      space_, Kokkos::subview(edges, Kokkos::pair<Count, Count>(0, found)), workspace_);
}

#define COPSE_INSTANTIATE(ExecutionSpace) template class EmstBoruvkaLinker<ExecutionSpace>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
