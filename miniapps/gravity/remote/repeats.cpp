#include "repeats.hpp"

#include "../solution.hpp"
#include "bucket_tally.hpp"
#include "repeat_list.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/app/corruptible.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/worse.hpp>
#include <copse/traversal/stateless_walk.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace copse::gravity {
namespace {

/// Largest error of a mass that a bucket meets, relative to that of all bodies: every node's mass
/// is rounded once. Measured in float: 3e-8 and less.
constexpr double mass_tolerance = 4.0 * static_cast<double>(Kokkos::Experimental::epsilon_v<Real>);

struct Tallies {
  std::vector<Tally> of_bucket;
  Count tests = 0;
};

template <class ExecutionSpace>
class RepeatCounter {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// `bodies` have radii of `criterion`.
  RepeatCounter(const ExecutionSpace& space, const BodyTree<MemorySpace>& bodies)
      : space_(space), bodies_(bodies) {
    tree_.nodes = host_column(bodies.octree.nodes);
    tree_.gravity.monopole = host_column(bodies.gravity.monopole);
    with_moments(bodies, [&](const auto& moments) { tree_.bounds = host_column(moments.bounds); });
    leaves_ = leaves_of(tree_);
    boxes_ = upload(space_, boxes_of(tree_, leaves_), workspace_, "gravity::buckets");
    tallies_ = workspace_.template get<Tally>("gravity::tallies", leaves_.size());
  }

  Repeats count(const Request& request, bool compares) {
    Repeats found;
    found.buckets = leaves_.size();
    found.nodes = bodies_.octree.size();
    GravityTree<MemorySpace> enlarged = bodies_.gravity;
    enlarged.opening2 = Kokkos::View<Real*, MemorySpace>("copse::gravity::enlarged", found.nodes);
    Kokkos::deep_copy(enlarged.opening2, bodies_.gravity.opening2);
    enlarge_radii(space_, bodies_.octree, request.criterion, request.inclusion_kind, enlarged);

    found.plain_uncovered = count_uncovered(space_, bodies_.octree, bodies_.gravity);
    found.uncovered = count_uncovered(space_, bodies_.octree, enlarged);
    CacheSubtrees<ExecutionSpace> subtrees(space_, bodies_.octree, request.cache_depth);
    found.subtrees = subtrees.subtrees();
    const Tallies once = walk_once(enlarged), stateless = resume(enlarged, subtrees);
    found.plain = work_of(walk_once(bodies_.gravity));
    found.once = work_of(once);
    found.stateless = work_of(stateless);
    if (compares) {
      tree_.gravity.opening2 = host_column(enlarged.opening2);
      compare(once, stateless, request.cache_depth, found);
    }
    return found;
  }

 private:
  BucketTally<MemorySpace> visitor(const GravityTree<MemorySpace>& gravity) const {
    return {OctreeView<MemorySpace>(bodies_.octree), gravity, boxes_, tallies_};
  }
  QueryList<MemorySpace> queries() const { return {leaves_.size(), {}}; }

  Tallies walk_once(const GravityTree<MemorySpace>& gravity) const {
    const auto counters = count_walk_as<WalkKind::stack>(space_, visitor(gravity), queries());
    return {download(tallies_), counters.lane_nodes};
  }
  Tallies resume(const GravityTree<MemorySpace>& gravity,
                 CacheSubtrees<ExecutionSpace>& subtrees) const {
    const auto counters =
        count_stateless_walk<WalkKind::stack>(space_, visitor(gravity), queries(), subtrees);
    return {download(tallies_), counters.lane_nodes};
  }

  double total_mass() const { return static_cast<double>(tree_.gravity.monopole(0).mass); }
  Count rows(std::size_t bucket) const { return tree_.nodes(leaves_[bucket]).rows(); }

  BucketWork work_of(const Tallies& tallies) const {
    BucketWork work;
    work.tests = tallies.tests;
    const double total = total_mass();
    for (std::size_t b = 0; b < leaves_.size(); ++b) {
      const Tally& tally = tallies.of_bucket[b];
      work.cells += rows(b) * tally.cells;
      work.bodies += rows(b) * tally.bodies;
      const double mass = total > 0.0 ? tally.mass / total : 1.0;
      work.most_mass = std::max(work.most_mass, mass);
      work.mean_mass += mass * static_cast<double>(rows(b)) / static_cast<double>(bodies_.size());
    }
    return work;
  }

  void compare(const Tallies& once, const Tallies& stateless, Count levels, Repeats& found) const {
    std::vector<Tally> listed = tally_repeats(
        tree_, list_repeats(tree_, cache_roots(tree_, levels), boxes_of(tree_, leaves_)),
        leaves_.size());
    app::corruptible(listed);
    const double total = total_mass();
    const auto off = [&](double mass) { return total > 0.0 ? std::abs(mass) / total : 0.0; };
    found.unlike_recursion = count_unlike(once.of_bucket, stateless.of_bucket, listed);
    for (std::size_t b = 0; b < leaves_.size(); ++b) {
      const double one = once.of_bucket[b].mass, all = stateless.of_bucket[b].mass;
      found.mass_error = worse(found.mass_error, off(one - total));
      found.mass_error = worse(found.mass_error, off(one + listed[b].mass - all));
    }
  }

  ExecutionSpace space_;
  const BodyTree<MemorySpace>& bodies_;
  HostTree tree_;
  std::vector<Node> leaves_;
  Workspace<MemorySpace> workspace_;
  Kokkos::View<const NodeBounds*, Kokkos::LayoutLeft, MemorySpace> boxes_;
  Kokkos::View<Tally*, Kokkos::LayoutLeft, MemorySpace> tallies_;
};

template <class ExecutionSpace>
Repeats repeats_on(const ExecutionSpace& space, app::Session& session, const Request& request) {
  const auto particles = load_bodies(space, session, request);
  Request plain = request;
  plain.inclusion_kind = Inclusion::none;
  BodyTreeBuilder<ExecutionSpace> builder(space);
  BodyTree<typename ExecutionSpace::memory_space> bodies;
  builder.build(particles, plain, request.bucket_size_of("bucket", session.options().backend),
                bodies);
  builder.compute_moments(plain, bodies);
  app::corruptible(bodies);
  return repeats_of(space, bodies, request, session.options().verify);
}

nlohmann::json json_of(const BucketWork& work) {
  return {{"cells", work.cells},
          {"bodies", work.bodies},
          {"tests", work.tests},
          {"largest_mass", work.most_mass},
          {"mean_mass", work.mean_mass}};
}

double ratio(Count a, Count b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

void report_repeats(app::Session& session, const Request& request, const Repeats& found) {
  const auto bodies = static_cast<double>(session.total_particles());
  const Count cells = found.stateless.cells - found.once.cells;
  const Count pairs = found.stateless.bodies - found.once.bodies;
  app::Table table({"buckets walk", "cells", "bodies", "tests", "mass"});
  const auto add = [&](const char* what, const BucketWork& work) {
    const auto each = [&](Count count) {
      return fmt::format("{:.2f}", static_cast<double>(count) / bodies);
    };
    table.add_row({what, each(work.cells), each(work.bodies),
                   fmt::format("{:.1f}", ratio(work.tests, found.buckets)),
                   fmt::format("{:.6f}", work.mean_mass)});
  };
  add("from the root, plain radii", found.plain);
  add("from the root", found.once);
  add("stateless", found.stateless);
  session.print(fmt::format(
      "one process has the whole tree: {} subtrees of {} levels arrive in order, nothing is sent",
      found.subtrees, request.cache_depth));
  session.print(
      "cells and bodies per body, tests per bucket; mass met by a body, in masses of all bodies");
  session.print(table);
  session.print(fmt::format(
      "repeats: {} cells, {:.3f} %, and {} bodies, {:.3f} %; --inclusion {} costs {:.2f} % more "
      "cells and {:.2f} % more bodies; {} of {} nodes are not inside their parent ({} without it)",
      cells, 100.0 * ratio(cells, found.once.cells), pairs, 100.0 * ratio(pairs, found.once.bodies),
      request.inclusion, 100.0 * (ratio(found.once.cells, found.plain.cells) - 1.0),
      100.0 * (ratio(found.once.bodies, found.plain.bodies) - 1.0),
      found.uncovered.inner + found.uncovered.leaves, found.nodes,
      found.plain_uncovered.inner + found.plain_uncovered.leaves));
  const auto uncovered = [](const UncoveredNodes& nodes) {
    return nlohmann::json{{"inner", nodes.inner}, {"leaves", nodes.leaves}};
  };
  session.report().results()["tree"] = request.tree;
  session.report().results()["repeats"] = {{"cells", cells},
                                           {"bodies", pairs},
                                           {"plain", json_of(found.plain)},
                                           {"once", json_of(found.once)},
                                           {"stateless", json_of(found.stateless)},
                                           {"buckets", found.buckets},
                                           {"nodes", found.nodes},
                                           {"subtrees", found.subtrees},
                                           {"uncovered", uncovered(found.uncovered)},
                                           {"plain_uncovered", uncovered(found.plain_uncovered)}};
  session.report().add_figure_of_merit("repeated_cells", ratio(cells, found.once.cells), "1");
  session.report().add_figure_of_merit("repeated_bodies", ratio(pairs, found.once.bodies), "1");
}

}  // namespace

template <class ExecutionSpace>
Repeats repeats_of(const ExecutionSpace& space,
                   const BodyTree<typename ExecutionSpace::memory_space>& bodies,
                   const Request& request, bool compares) {
  return RepeatCounter<ExecutionSpace>(space, bodies).count(request, compares);
}

#define COPSE_INSTANTIATE(Space)                                                                  \
  template Repeats repeats_of(const Space&, const BodyTree<Space::memory_space>&, const Request&, \
                              bool);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

void count_repeats(app::Session& session, const Request& request) {
  Repeats found;
  dispatch_backend(session.options().backend,
                   [&](const auto& space) { found = repeats_on(space, session, request); });
  if (session.options().verify) {
    auto& checks = session.verification();
    app::corruptible(found);
    checks.check("buckets_unlike_recursion", static_cast<double>(found.unlike_recursion));
    checks.check("masses_counted", found.mass_error, mass_tolerance);
    const bool includes =
        request.inclusion_kind == Inclusion::radius || request.inclusion_kind == Inclusion::opening;
    if (includes)
      checks.require(
          "nothing_repeats_with_inclusion",
          found.stateless.cells == found.once.cells && found.stateless.bodies == found.once.bodies);
    if (!checks.passed()) return;
  }
  report_repeats(session, request, found);
}

}  // namespace copse::gravity
