#include "octree_inputs.hpp"
#include <copse/app/memory_tracker.hpp>
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <cmath>
#include <memory>
#include <numeric>

namespace copse::test {
namespace {

std::vector<std::uint64_t> sorted_keys(const HostParticles& particles) {
  std::vector<std::uint64_t> keys;
  const CurveGrid<3> grid(particles.box);
  for (Count i = 0; i < particles.size(); ++i)
    keys.push_back(morton_key<3>(grid.cell(Kokkos::Array<Real, 3>{
        particles.position(i, 0), particles.position(i, 1), particles.position(i, 2)})));
  std::sort(keys.begin(), keys.end());
  return keys;
}

struct ReferenceNode {
  std::vector<std::uint64_t> keys;
  Count rows() const { return keys.size(); }
  int level = 0;
  std::vector<std::unique_ptr<ReferenceNode>> children;
};

/// Oracle: distribute the keys over eight octants, recursively; a node with a single non-empty
/// octant is skipped.
void split(ReferenceNode& node, std::size_t bucket_size) {
  std::vector<std::uint64_t> octants[8];
  for (; node.level < octree_levels; ++node.level) {
    for (auto& octant : octants) octant.clear();
    for (const std::uint64_t key : node.keys)
      octants[(key >> (3 * (octree_levels - 1 - node.level))) & 7].push_back(key);
    if (std::none_of(octants, octants + 8,
                     [&](const auto& octant) { return octant.size() == node.keys.size(); }))
      break;
  }
  if (node.level == octree_levels || node.keys.size() <= bucket_size) return;
  for (auto& octant : octants) {
    if (octant.empty()) continue;
    auto child = std::make_unique<ReferenceNode>();
    child->keys = std::move(octant);
    child->level = node.level + 1;
    split(*child, bucket_size);
    node.children.push_back(std::move(child));
  }
}

/// Number of particles outside their node's cell by more than the rounding of its centre.
int strayed_rows(const BuiltOctree& built) {
  int strayed = 0;
  for (Count i = 0; i < built.tree.size(); ++i) {
    const OctreeNode& node = built.tree.nodes(i);
    const OctreeCell& cell = built.tree.cells(i);
    for (LocalIndex row = node.begin; row < node.end; ++row)
      for (int a = 0; a < 3; ++a) {
        const double x = static_cast<double>(built.position(row, a));
        const double centre = static_cast<double>(cell.centre[a]);
        const double slack = 1e-7 * (std::abs(x) + built.tree.grid.side);
        strayed += std::abs(x - centre) > static_cast<double>(cell.half_side) + slack;
      }
  }
  return strayed;
}

void check_tree(const std::string& name, Count n, std::uint32_t bucket_size) {
  INFO(name << ", n = " << n << ", bucket " << bucket_size);
  const HostParticles particles = named_input(name, n);
  ReferenceNode root;
  root.keys = sorted_keys(particles);
  if (n > 0) split(root, bucket_size);
  BuiltOctree serial;
  for_each_backend([&]<class Space>(Space space) {
    INFO(backend_name<Space>());
    OctreeBuilder<Space> builder(space);
    // Twice: the second build reuses the arrays of the first.
    for (int repeat = 0; repeat < 2; ++repeat) {
      const BuiltOctree built = build_octree(builder, particles, bucket_size);
      CHECK(differing_nodes(built.tree, root) == 0);
      CHECK(strayed_rows(built) == 0);
      if (std::is_same_v<Space, Kokkos::Serial>) serial = built;
      CHECK(same_bytes(built.tree.nodes, serial.tree.nodes));
      CHECK(same_bytes(built.tree.cells, serial.tree.cells));
      CHECK(same_bytes(built.permutation, serial.permutation));
      int moved_wrongly = 0;
      for (Count i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a)
          moved_wrongly += built.position(i, a) != particles.position(built.permutation(i), a);
      CHECK(moved_wrongly == 0);
    }
  });
}

TEST_CASE("The octree of every input equals that of the recursion") {
  for (const std::string& name : input_names())
    for (Count n : {0, 1, 2, 8, 9, 1000, 20000})
      for (std::uint32_t bucket_size : {1u, 8u, 64u})
        if (n * bucket_size < 100000) check_tree(name, n, bucket_size);
}

TEST_CASE("Every row is in one leaf, and leaves hold no more than the bucket") {
  for_each_backend([]<class Space>(Space space) {
    OctreeBuilder<Space> builder(space);
    const auto built = build_octree(builder, named_input("clustered", 50000), 12);
    std::vector<int> leaves_of_row(50000, 0);
    LocalIndex largest = 0;
    for (Count i = 0; i < built.tree.size(); ++i) {
      const OctreeNode& node = built.tree.nodes(i);
      if (!node.is_leaf()) continue;
      largest = std::max(largest, node.rows());
      for (LocalIndex row = node.begin; row < node.end; ++row) ++leaves_of_row[row];
    }
    CHECK(largest <= 12);
    CHECK(std::count(leaves_of_row.begin(), leaves_of_row.end(), 1) == 50000);
  });
}

TEST_CASE("Without points the octree is one empty leaf that covers the box") {
  for_each_backend([]<class Space>(Space space) {
    OctreeBuilder<Space> builder(space);
    const auto built = build_octree(builder, named_input("random", 0), 4);
    REQUIRE(built.tree.size() == 1);
    CHECK(built.tree.depths() == 1);
    CHECK(built.tree.nodes(0).is_leaf());
    CHECK(built.tree.nodes(0).rows() == 0);
    CHECK(built.tree.cells(0).centre[1] == Real(0.5));
    CHECK(built.tree.cells(0).half_side == Real(0.5));
  });
}

TEST_CASE("Coincident points make one leaf, however small the bucket") {
  for_each_backend([]<class Space>(Space space) {
    OctreeBuilder<Space> builder(space);
    const auto built = build_octree(builder, named_input("constant", 3000), 1);
    REQUIRE(built.tree.size() == 1);
    CHECK(built.tree.nodes(0).rows() == 3000);
    CHECK(built.tree.nodes(0).level == octree_levels);
  });
}

TEST_CASE("As many points as a bucket holds form one leaf; one more point splits it") {
  for_each_backend([]<class Space>(Space space) {
    OctreeBuilder<Space> builder(space);
    CHECK(build_octree(builder, named_input("random", 16), 16).tree.size() == 1);
    CHECK(build_octree(builder, named_input("random", 17), 16).tree.size() > 1);
  });
}

TEST_CASE("Two points that differ only in the last digit need no chain of nodes") {
  const Real finest = std::ldexp(Real(1), -21);
  const HostParticles particles = particles_from(2, unit_box<3>(), [&](Count i) {
    return std::array<Real, 3>{i == 0 ? finest : Real(0), Real(0), Real(0)};
  });
  for_each_backend([&]<class Space>(Space space) {
    OctreeBuilder<Space> builder(space);
    const auto built = build_octree(builder, particles, 1);
    REQUIRE(built.tree.size() == 3);
    CHECK(built.tree.nodes(0).level == octree_levels - 1);
    CHECK(built.permutation(0) == 1);
    CHECK(built.tree.cells(2).half_side == finest / 2);
    CHECK(built.tree.cells(2).centre[0] == finest * Real(1.5));
  });
}

// Oracle: the bytes requested from Kokkos. An estimate serves to plan a run: it must not be less
// than needed, nor several times as much.
TEST_CASE("The estimated memory is near what a build takes") {
  const Count n = 100000;
  for (const char* name : {"random", "clustered"})
    for (const std::uint32_t bucket_size : {8u, 16u, 32u})
      for (const Branching branching : {Branching::octree, Branching::binary}) {
        INFO(name << ", bucket " << bucket_size << ", binary " << (branching == Branching::binary));
        HostParticles particles = named_input(name, n);
        OctreeBuilder<Kokkos::Serial>::Permutation permutation("copse::test::permutation", n);
        const app::MemoryTracker tracker;
        OctreeBuilder<Kokkos::Serial> builder;
        const auto tree = builder.build(
            particles.position, permutation,
            {.bucket_size = bucket_size, .box = particles.box, .branching = branching});
        const Count estimated = builder.estimate_bytes(n, bucket_size, branching);
        CHECK(tracker.host().peak_bytes <= estimated);
        CHECK(tracker.host().peak_bytes > estimated / 3);
      }
}

TEST_CASE("A bucket size of 0 and more particles than indices are refused in one sentence") {
  using Catch::Matchers::Message;
  CHECK_THROWS_MATCHES(check_octree_size(10, 0), InputError,
                       Message("the bucket size of an octree must be at least 1, not 0"));
  CHECK_THROWS_MATCHES(
      check_octree_size(max_octree_rows + 1, 8), InputError,
      Message("4294967296 particles are more than the 4294967295 an octree of one rank can hold"));
  CHECK_NOTHROW(check_octree_size(max_octree_rows, 1));
}

}  // namespace
}  // namespace copse::test
