// Oracle: a recursion that halves integer boxes along x, y and z in turn and distributes the
// points' grid cells, computed here in long double; no keys.
#include "octree_inputs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <memory>

namespace copse::test {
namespace {

using Cell = std::array<std::int64_t, 3>;

struct BinaryNode {
  std::vector<Count> members;  ///< rows of the input
  Cell lower{};                ///< of its box, in finest cells
  Cell side{};
  int level = 0;
  std::vector<std::unique_ptr<BinaryNode>> children;

  Count rows() const { return members.size(); }
};

/// Halves the box until both halves have points; a leaf's box, too, until it is a finest cell.
void halve(BinaryNode& node, const std::vector<Cell>& cells, std::size_t bucket_size) {
  for (; node.level < binary_levels; ++node.level) {
    const auto axis = static_cast<std::size_t>(node.level % 3);
    BinaryNode halves[2];
    for (int h = 0; h < 2; ++h) {
      halves[h].lower = node.lower;
      halves[h].side = node.side;
      halves[h].side[axis] /= 2;
      halves[h].lower[axis] += h * halves[h].side[axis];
      halves[h].level = node.level + 1;
    }
    for (const Count i : node.members)
      halves[cells[i][axis] >= halves[1].lower[axis]].members.push_back(i);
    if (halves[0].members.empty() || halves[1].members.empty()) {
      const BinaryNode& only = halves[halves[0].members.empty()];
      node.lower = only.lower;
      node.side = only.side;
      continue;
    }
    if (node.members.size() <= bucket_size) return;
    for (BinaryNode& half : halves) {
      halve(half, cells, bucket_size);
      node.children.push_back(std::make_unique<BinaryNode>(std::move(half)));
    }
    return;
  }
}

struct Reference {
  std::vector<Cell> cells;
  BinaryNode root;
  double width = 0.0;  ///< of a finest cell

  Reference(const HostParticles& particles, std::size_t bucket_size) {
    const auto& box = particles.box;
    long double side = 0;
    for (int a = 0; a < 3; ++a)
      side = std::max(side, static_cast<long double>(box.upper[a]) - box.lower[a]);
    // The builder rounds the side up to 24 bits.
    int exponent = 0;
    side = std::frexp(side, &exponent);
    side = std::ldexp(std::ceil(std::ldexp(side, 24)), exponent - 24);
    const long double finest = std::ldexp(side, -octree_levels);
    width = static_cast<double>(finest);
    for (Count i = 0; i < particles.size(); ++i) {
      Cell cell{};
      for (int a = 0; a < 3; ++a) {
        const long double x = (static_cast<long double>(particles.position(i, a)) - box.lower[a]);
        const auto c = side > 0 ? static_cast<std::int64_t>(std::floor(x / finest)) : 0;
        cell[static_cast<std::size_t>(a)] =
            std::clamp<std::int64_t>(c, 0, (std::int64_t{1} << octree_levels) - 1);
      }
      cells.push_back(cell);
      root.members.push_back(i);
    }
    root.side.fill(std::int64_t{1} << octree_levels);
    if (!cells.empty()) halve(root, cells, bucket_size);
  }
};

/// Rows of the input in a node's range that the recursion does not have there, and cells that
/// differ, over all nodes. The trees have the same shape.
int differing_cells(const BuiltOctree& built, Count number, const BinaryNode& expected,
                    const HostParticles& particles, double width) {
  const OctreeNode& node = built.tree.nodes(number);
  std::vector<Count> members;
  for (LocalIndex row = node.begin; row < node.end; ++row)
    members.push_back(built.permutation(row));
  std::vector<Count> sorted = expected.members;
  std::sort(members.begin(), members.end());
  std::sort(sorted.begin(), sorted.end());
  int differing = members != sorted;
  const OctreeCell& cell = built.tree.cells(number);
  double longest = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double half_cell = 0.5 * width;  // its products below are exact
    const double centre = static_cast<double>(particles.box.lower[static_cast<int>(a)]) +
                          half_cell * static_cast<double>(2 * expected.lower[a] + expected.side[a]);
    longest = std::max(longest, half_cell * static_cast<double>(expected.side[a]));
    differing += cell.centre[static_cast<int>(a)] != static_cast<Real>(centre);
  }
  differing += cell.half_side != static_cast<Real>(longest);
  for (std::size_t c = 0; c < expected.children.size(); ++c)
    differing +=
        differing_cells(built, node.first_child + c, *expected.children[c], particles, width);
  return differing;
}

TEST_CASE("The binary tree of every input equals that of halving boxes") {
  for (const std::string& name : input_names())
    for (const Count n : {0, 1, 2, 9, 1000, 20000})
      for (const std::uint32_t bucket_size : {1u, 12u, 64u}) {
        if (n * bucket_size >= 300000) continue;
        INFO(name << ", n = " << n << ", bucket " << bucket_size);
        const HostParticles particles = named_input(name, n);
        const Reference expected(particles, bucket_size);
        BuiltOctree serial;
        for_each_backend([&]<class Space>(Space space) {
          INFO(backend_name<Space>());
          OctreeBuilder<Space> builder(space);
          // A tree of the other kind before must leave no trace.
          build_octree(builder, particles, bucket_size);
          const BuiltOctree built =
              build_octree(builder, particles, bucket_size, Branching::binary);
          REQUIRE(differing_nodes(built.tree, expected.root) == 0);
          CHECK(differing_cells(built, 0, expected.root, particles, expected.width) == 0);
          if (std::is_same_v<Space, Kokkos::Serial>) serial = built;
          CHECK(same_bytes(built.tree.nodes, serial.tree.nodes));
          CHECK(same_bytes(built.tree.cells, serial.tree.cells));
          CHECK(same_bytes(built.permutation, serial.permutation));
        });
      }
}

TEST_CASE("Every node of an octree is a node of the binary tree, if buckets hold one cell") {
  const HostParticles particles = named_input("clustered", 5000);
  OctreeBuilder<Kokkos::Serial> builder;
  const BuiltOctree octree = build_octree(builder, particles, 1);
  const BuiltOctree binary = build_octree(builder, particles, 1, Branching::binary);
  const auto members = [](const BuiltOctree& built) {
    std::vector<std::vector<Count>> sets;
    for (Count i = 0; i < built.tree.size(); ++i) {
      const OctreeNode& node = built.tree.nodes(i);
      sets.emplace_back();
      for (LocalIndex row = node.begin; row < node.end; ++row)
        sets.back().push_back(built.permutation(row));
      std::sort(sets.back().begin(), sets.back().end());
    }
    std::sort(sets.begin(), sets.end());
    return sets;
  };
  const auto all = members(binary), wanted = members(octree);
  CHECK(all.size() > wanted.size());
  CHECK(std::includes(all.begin(), all.end(), wanted.begin(), wanted.end()));
}

TEST_CASE("A depth-first walk of the deepest binary tree stays within the stack") {
  // The origin's half is halved 63 times, and each time one point is in the other half.
  std::vector<std::array<Real, 3>> x{{}};
  for (int level = 0; level < binary_levels; ++level) {
    x.push_back({});
    x.back()[static_cast<std::size_t>(level % 3)] = std::ldexp(Real(1), -(level / 3 + 1));
  }
  OctreeBuilder<Kokkos::Serial> builder;
  const auto built =
      build_octree(builder, particles_from(x.size(), unit_box<3>(), [&](Count i) { return x[i]; }),
                   1, Branching::binary);
  CHECK(built.tree.depths() == binary_levels + 1);
  CHECK(built.tree.size() == 2 * x.size() - 1);
  // Per depth one sibling waits, and one node is visited.
  CHECK(built.tree.depths() <= OctreeView<Kokkos::HostSpace>::stack_size);
}

}  // namespace
}  // namespace copse::test
