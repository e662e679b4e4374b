// Oracles: a recursion over the cache subtrees (repeat_list.hpp), a tree small enough to be read,
// potentials with a huge softening, and the predictions of an independent program.
#include "changa_tree.hpp"
#include "data_file.hpp"
#include <copse/backend/backends.hpp>
#include <copse/io/snapshot.hpp>
#include <copse/traversal/stateless_walk.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <gravity/make.hpp>
#include <gravity/methods/target_groups.hpp>
#include <gravity/remote/repeat_list.hpp>
#include <gravity/remote/repeats.hpp>

namespace copse::test {
namespace {

using Catch::Approx;
using Host = Kokkos::DefaultHostExecutionSpace;
using gravity::HostTree;
using gravity::Repeat;
using gravity::Repeats;

gravity::Request repeat_request(Branching branching, Inclusion inclusion, Count depth) {
  gravity::Request request = request_for(0.7, 1, "changa");
  request.branching = branching;
  request.inclusion_kind = inclusion;
  request.cache_depth = depth;
  return request;
}

template <class Space>
gravity::BodyTree<typename Space::memory_space> tree_of(const Space& space, const HostBodies& input,
                                                        gravity::Request request,
                                                        std::uint32_t bucket_size) {
  request.inclusion_kind = Inclusion::none;
  gravity::BodyTreeBuilder<Space> builder(space);
  gravity::BodyTree<typename Space::memory_space> bodies;
  builder.build(copy_particles<typename Space::memory_space>(input), request, bucket_size, bodies);
  builder.compute_moments(request, bodies);
  return bodies;
}

HostTree host_tree(const gravity::BodyTree<Kokkos::HostSpace>& bodies) {
  return {bodies.octree.nodes, bodies.gravity, std::get<0>(bodies.moments).bounds, {}};
}

/// Section 5.4.2 as five nodes: the bucket 3 opens the root and accepts the node 1, but opens the
/// child 2 of it, whose ball reaches farther. Node 2 has the leaves 4 and 5.
HostTree published_example() {
  HostTree tree;
  tree.nodes = decltype(tree.nodes)("copse::test::nodes", 7);
  const auto inner = [&](Node i, Node first, std::uint8_t count) {
    tree.nodes(i).first_child = first;
    tree.nodes(i).child_count = count;
  };
  inner(0, 1, 2);  // 1: the rectangle, 2: the bucket
  inner(1, 3, 2);  // 3: the square, 4: a leaf beside it
  inner(3, 5, 2);  // its leaves
  const Kokkos::View<Monopole*, Kokkos::HostSpace> monopole("copse::test::monopole", 7);
  tree.gravity.opening2 = Kokkos::View<Real*, Kokkos::HostSpace>("copse::test::opening2", 7);
  tree.bounds = Kokkos::View<NodeBounds*, Kokkos::HostSpace>("copse::test::bounds", 7);
  const double x[]{0, 5, 0, 4, 6, 3.5, 4.5}, radius[]{99, 4, 1, 5, 1, 4, 1};
  for (Node i = 0; i < 7; ++i) {
    monopole(i) = {{Real(x[i]), 0, 0}, 1};
    tree.gravity.opening2(i) = Real(radius[i] * radius[i]);
    tree.bounds(i) = {{Real(x[i]), 0, 0}, {Real(x[i]), 0, 0}};
  }
  tree.gravity.monopole = monopole;
  return tree;
}

TEST_CASE("A bucket that accepts a rectangle but opens the square in it adds the square twice") {
  const HostTree tree = published_example();
  const auto listed = [&](Count levels, std::vector<Node> buckets) {
    return gravity::list_repeats(tree, gravity::cache_roots(tree, levels),
                                 gravity::boxes_of(tree, buckets));
  };
  // The square arrives because its own leaf 5 wants it.
  const auto repeats = listed(1, {2, 5});
  REQUIRE(repeats.size() == 2);
  CHECK((repeats[0].bucket == 0 && repeats[0].source == 5 && repeats[0].as_bodies));
  CHECK((repeats[1].bucket == 0 && repeats[1].source == 6 && !repeats[1].as_bodies));
  // A leaf that arrives brings its bodies: the square's leaf 5 as a subtree of its own.
  auto roots = gravity::cache_roots(tree, 1);
  roots[5] = 1;
  const auto leaf = gravity::list_repeats(tree, roots, gravity::boxes_of(tree, {2, 5}));
  REQUIRE(leaf.size() == 2);
  CHECK((leaf[0].bucket == 0 && leaf[0].source == 6 && !leaf[0].as_bodies));
  CHECK((leaf[1].bucket == 0 && leaf[1].source == 5 && leaf[1].as_bodies));
  // It does not arrive if nobody has opened the rectangle.
  CHECK(listed(1, {2}).empty());
  // Within one subtree the bucket stops at the rectangle.
  CHECK(listed(3, {2, 5}).empty());
}

TEST_CASE("The stateless walk adds twice exactly what the recursion lists") {
  const HostBodies input = clustered_bodies(4000);
  for_each_backend([&]<class Space>(const Space& space) {
    for (const Branching branching : {Branching::octree, Branching::binary})
      for (const Count depth : {1, 2, 4})
        for (const Inclusion way :
             {Inclusion::none, Inclusion::radius, Inclusion::opening, Inclusion::top_down}) {
          INFO(backend_name<Space>() << " " << branching_names[std::size_t(branching)] << " depth "
                                     << depth << " " << inclusion_names[std::size_t(way)]);
          const auto request = repeat_request(branching, way, depth);
          const auto bodies = tree_of(space, input, request, 12);
          const Repeats found = gravity::repeats_of(space, bodies, request, true);
          CHECK(found.unlike_recursion == 0);
          CHECK(found.mass_error < 1e-6);  // measured in float: 3e-8
          CHECK(found.subtrees > 1);
          CHECK(found.once.most_mass == Approx(1.0).epsilon(1e-6));
          const bool repeats = found.stateless.cells > found.once.cells;
          if (way == Inclusion::radius || way == Inclusion::opening) {
            CHECK(!repeats);
            CHECK(found.stateless.bodies == found.once.bodies);
            CHECK(found.stateless.most_mass == found.once.most_mass);
          } else if (branching == Branching::binary && depth < 4) {
            CHECK(repeats);
            CHECK(found.stateless.most_mass > 1.0001);
          }
          // The price of more nodes to open.
          CHECK(found.once.cells + found.once.bodies >= found.plain.cells);
        }
  });
}

TEST_CASE("With a huge softening the potential of a body shows what its bucket repeats") {
  const HostBodies input = clustered_bodies(3000);
  for_each_backend([&]<class Space>(const Space& space) {
    using Memory = typename Space::memory_space;
    constexpr std::uint32_t bucket = 8;  // a leaf is a packet on every backend
    for (const Inclusion way : {Inclusion::none, Inclusion::opening}) {
      INFO(backend_name<Space>() << " " << inclusion_names[std::size_t(way)]);
      const auto request = repeat_request(Branching::binary, way, 2);
      auto bodies = tree_of(space, input, request, bucket);
      enlarge_radii(space, bodies.octree, request.criterion, way, bodies.gravity);
      const auto length = Real(1e4);
      bodies.softening2 = length * length;
      const auto fields = allocate_fields<Memory>(bodies.size());
      gravity::TargetGroups<Space> groups(space);
      CacheSubtrees<Space> subtrees(space, bodies.octree, request.cache_depth);
      count_stateless_walk<WalkKind::group>(
          space, gravity::visitor_of(bodies, std::get<0>(bodies.moments), fields),
          groups.of(bodies, walk_width<Space>(WalkKind::group), 0), subtrees);

      const auto there = [](const auto& view) {
        return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
      };
      HostTree tree;
      tree.nodes = there(bodies.octree.nodes);
      tree.bounds = there(std::get<0>(bodies.moments).bounds);
      tree.gravity.monopole = there(bodies.gravity.monopole);
      tree.gravity.opening2 = there(bodies.gravity.opening2);
      const auto leaves = gravity::leaves_of(tree);
      std::vector<double> twice(leaves.size());
      for (const Repeat& repeat :
           gravity::list_repeats(tree, gravity::cache_roots(tree, request.cache_depth),
                                 gravity::boxes_of(tree, leaves)))
        twice[repeat.bucket] += double(tree.gravity.monopole(repeat.source).mass);
      const auto potential = there(fields.potential);
      const auto masses = there(bodies.masses);
      double total = 0.0, off = 0.0;
      for (Count i = 0; i < bodies.size(); ++i) total += double(masses(i));
      Count shows = 0;
      for (std::size_t b = 0; b < leaves.size(); ++b)
        for (Count i = tree.nodes(leaves[b]).begin; i < tree.nodes(leaves[b]).end; ++i) {
          const double met = -double(potential(i)) * double(length) / total;
          const double expected = (total - double(masses(i)) + twice[b]) / total;
          off = std::max(off, std::abs(met - expected));
          shows += met > 1.0;
        }
      CHECK(off < 1e-5);  // measured in float: 3e-6
      CHECK((shows > 0) == (way == Inclusion::none));
    }
  });
}

/// Centres in the middle of the cells, and radii proportional to the diagonals of the cells.
struct AboutCells {
  Count uncovered = 0, repeats = 0;

  AboutCells(Branching branching, Inclusion way) {
    const auto request = repeat_request(branching, way, 1);
    const auto bodies = tree_of(Host{}, clustered_bodies(4000), request, 12);
    // A box with sides 1, 1, 1, halved along x, then along y.
    const std::array<double, 3> half_diagonal{std::sqrt(3.0), 1.5, std::sqrt(1.5)};
    const Count nodes = bodies.octree.size();
    const Kokkos::View<Monopole*, Kokkos::HostSpace> monopole("copse::test::monopole", nodes);
    HostTree tree = host_tree(bodies);
    tree.gravity.opening2 = Kokkos::View<Real*, Kokkos::HostSpace>("copse::test::opening2", nodes);
    for (Count i = 0; i < nodes; ++i) {
      const OctreeCell cell = bodies.octree.cells(i);
      const int halved = branching == Branching::binary ? bodies.octree.nodes(i).level % 3 : 0;
      const double radius = half_diagonal[std::size_t(halved)] * double(cell.half_side) / 0.7;
      monopole(i) = {cell.centre, 1};
      tree.gravity.opening2(i) = Real(radius * radius);
    }
    tree.gravity.monopole = monopole;
    enlarge_radii(Host{}, bodies.octree, {OpeningKind::bmax, 0.7}, way, tree.gravity);
    uncovered = count_uncovered(Host{}, bodies.octree, tree.gravity).inner;
    repeats = gravity::list_repeats(tree, gravity::cache_roots(tree, 1),
                                    gravity::boxes_of(tree, gravity::leaves_of(tree)))
                  .size();
  }
};

TEST_CASE("An octree about the middles of its cells has inclusion, a binary tree has not") {
  CHECK(AboutCells(Branching::octree, Inclusion::none).uncovered == 0);
  CHECK(AboutCells(Branching::octree, Inclusion::none).repeats == 0);
  CHECK(AboutCells(Branching::binary, Inclusion::none).repeats > 0);
}

TEST_CASE("The published radii from the top fail in a binary tree about the middles of its cells") {
  const AboutCells plain(Branching::binary, Inclusion::none),
      top_down(Branching::binary, Inclusion::top_down),
      opening(Branching::binary, Inclusion::opening);
  CHECK(top_down.uncovered > 0);
  CHECK(top_down.repeats > 0);
  CHECK(top_down.repeats < plain.repeats);
  CHECK(opening.uncovered == 0);
  CHECK(opening.repeats == 0);
}

TEST_CASE("Repeats of two snapshots are those that an independent program predicts") {
  struct Snapshot {
    const char* file;
    std::uint32_t bucket_size;
    double cells, bodies;      ///< predicted repeats of ChaNGa's tree, in percent
    Count counted[2];          ///< cells and bodies of the suite's tree
    double opening, top_down;  ///< percent of cells that the repairs add
  };
  const char* const lambs = "lambs/lambs.00200_subsamp_30K";
  const Snapshot snapshots[]{
      {lambs, 12, 3.20, 0.57, {106361, 31360}, 15.7, 10.8},
      {lambs, 32, 3.20, 0.16, {95515, 19642}, 14.8, 10.6},
      {"abacus/mini_n64_l32_z0.std", 32, 0, 0, {1381142, 134973}, 15.5, 9.4}};
  io::ReadOptions options;
  options.columns.mass = true;
  for (const Snapshot& s : snapshots) {
    INFO(s.file << ", bucket " << s.bucket_size);
    const HostBodies input = io::read_snapshot(data_file(s.file), options).particles;
    if (s.cells > 0) {
      const OracleTree changa(input, s.bucket_size, Kind::changa);
      const OracleCounts once = changa.buckets(), twice = changa.repeats();
      // Found: 3.204 and 0.576, 3.202 and 0.164.
      CHECK(100 * twice.cells / once.cells == Approx(s.cells).margin(0.006));
      CHECK(100 * twice.bodies / once.bodies == Approx(s.bodies).margin(0.01));
    }
    const OracleCounts suite = OracleTree(input, s.bucket_size, Kind::suite).repeats();
    const auto found = [&](Inclusion way) {
      const auto request = repeat_request(Branching::binary, way, 1);
      return gravity::repeats_of(Host{}, tree_of(Host{}, input, request, s.bucket_size), request,
                                 false);
    };
    const auto more_cells = [](const Repeats& r) {
      return 100 * (double(r.once.cells) / double(r.plain.cells) - 1);
    };
    const Repeats plain = found(Inclusion::none), opening = found(Inclusion::opening),
                  top_down = found(Inclusion::top_down);
    const Count cells = plain.stateless.cells - plain.once.cells;
    const Count bodies = plain.stateless.bodies - plain.once.bodies;
    // Decisions in float and double differ at boundaries; measured: 0.
    CHECK(double(cells) == Approx(suite.cells).epsilon(1e-3));
    CHECK(double(bodies) == Approx(suite.bodies).epsilon(1e-3));
    if (sizeof(Real) == 4) {
      CHECK(cells == s.counted[0]);
      CHECK(bodies == s.counted[1]);
    }
    CHECK(more_cells(opening) == Approx(s.opening).margin(0.1));
    CHECK(opening.stateless.cells == opening.once.cells);
    CHECK(more_cells(top_down) == Approx(s.top_down).margin(0.1));
    CHECK(top_down.stateless.cells > top_down.once.cells);
  }
}

}  // namespace
}  // namespace copse::test
