#include <copse/backend/backends.hpp>
#include <copse/domains/coarse_octree.hpp>
#include <copse/tree/weighted_orb.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace copse {
namespace {

constexpr std::uint64_t no_key = std::numeric_limits<std::uint64_t>::max();

/// A range of keys, [first, last].
struct KeyRange {
  std::uint64_t first = 0, last = 0;
};

/// One rank's particles in a range of keys.
struct KeysInRange {
  std::uint64_t least = no_key, most = 0, inside = 0;
  Count particles = 0;
};

template <class MemorySpace>
struct FindRanges {
  KeyedParticles<MemorySpace> own;
  CurveGrid<3> grid;
  Kokkos::View<const KeyRange*, Kokkos::LayoutLeft, MemorySpace> ranges;
  Kokkos::View<KeysInRange*, Kokkos::LayoutLeft, MemorySpace> found;

  KOKKOS_FUNCTION Count first_at_least(std::uint64_t key) const {
    Count low = 0, high = own.keys.extent(0);
    while (low < high) {
      const Count middle = (low + high) / 2;
      if (own.keys(middle) < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  KOKKOS_FUNCTION void operator()(const Count r) const {
    const Count begin = first_at_least(ranges(r).first), end = first_at_least(ranges(r).last + 1);
    KeysInRange here;
    if (begin < end) {
      const LocalIndex row = own.order(begin);
      here.least = own.keys(begin);
      here.most = own.keys(end - 1);
      here.particles = end - begin;
      here.inside = morton_key<3>(grid.cell(
          Kokkos::Array<Real, 3>{own.points(row, 0), own.points(row, 1), own.points(row, 2)}));
    }
    found(r) = here;
  }
};

/// Sums up the particles of all ranks in ranges of keys. Collective.
template <class ExecutionSpace>
class RangeCounter {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  const ExecutionSpace& space;
  const KeyedParticles<MemorySpace>& own;
  const CurveGrid<3>& grid;
  CountedMessages& messages;
  Workspace<MemorySpace>& workspace;

  std::vector<KeysInRange> operator()(const std::vector<KeyRange>& ranges) const {
    const Count n = ranges.size();
    const auto found = workspace.template get<KeysInRange>("coarse::found", n);
    Kokkos::parallel_for("copse::coarse::find_ranges", CountRange<ExecutionSpace>(space, 0, n),
                         FindRanges<MemorySpace>{
                             own, grid, upload(space, ranges, workspace, "coarse::ranges"), found});
    space.fence("copse::coarse::find_ranges");
    auto here = download(found);
    // The minimum is the maximum of the complement: one reduction for three numbers.
    std::vector<std::uint64_t> greatest(3 * n), particles(n);
    for (Count r = 0; r < n; ++r) {
      greatest[3 * r] = ~here[r].least;
      greatest[3 * r + 1] = here[r].most;
      greatest[3 * r + 2] = here[r].inside;
      particles[r] = here[r].particles;
    }
    messages.clock().communicate(messages.comm(), [&] {
      messages.comm().allreduce(std::span(greatest), Reduction::max);
      messages.comm().allreduce(std::span(particles), Reduction::sum);
    });
    for (Count r = 0; r < n; ++r)
      here[r] = {~greatest[3 * r], greatest[3 * r + 1], greatest[3 * r + 2], particles[r]};
    return here;
  }
};

CoarseNode node_of(const KeysInRange& found, int bits) {
  CoarseNode node;
  node.first_key = found.least;
  node.last_key = found.most;
  node.inside = found.inside;
  node.particles = found.particles;
  node.level =
      static_cast<std::uint8_t>(bits == 1 ? common_level<1>(node.first_key, node.last_key)
                                          : common_level<3>(node.first_key, node.last_key));
  return node;
}

/// Appends the ranges of keys of a node's parts.
void add_parts(const CoarseNode& node, int bits, std::vector<KeyRange>& ranges) {
  const int shift = binary_levels - bits * (node.level + 1);
  const std::uint64_t stem = node.first_key >> (shift + bits) << bits;
  for (std::uint64_t part = 0; part < std::uint64_t{1} << bits; ++part)
    ranges.push_back(
        {(stem | part) << shift, ((stem | part) + 1) * (std::uint64_t{1} << shift) - 1});
}

/// Lists leaves in curve order.
void list_leaves(CoarseOctree& tree, std::uint32_t index) {
  const CoarseNode& node = tree.nodes[index];
  if (node.is_leaf()) {
    tree.leaves.push_back(index);
    tree.leaf_last_key.push_back(node.last_key);
  }
  for (std::uint32_t c = 0; c < node.child_count; ++c) list_leaves(tree, node.first_child + c);
}

/// Weights as integers whose sums are exact: in units of the largest / 2^20.
std::vector<std::uint32_t> whole_weights(std::span<const double> weights) {
  const double largest = *std::max_element(weights.begin(), weights.end());
  std::vector<std::uint32_t> whole;
  for (const double w : weights)
    whole.push_back(largest > 0.0 ? std::max(1u, static_cast<std::uint32_t>(w / largest * 0x1p20))
                                  : 1u);
  return whole;
}

/// Writes the centres of the leaves' cells. Centres in one plane of the grid are spread over less
/// than the distance to the next plane, in the order of their other coordinates: an ORB keeps equal
/// coordinates on one side of a cut, and a plane has up to a tenth of a domain's leaves.
void spread_centres(const CoarseOctree& tree, const Points<3, Kokkos::HostSpace>& centres) {
  const Count n = tree.leaves.size();
  std::vector<std::array<double, 3>> exact(n);
  for (Count k = 0; k < n; ++k) {
    const OctreeCell cell = tree.cell_of(tree.nodes[tree.leaves[k]]);
    for (int a = 0; a < 3; ++a) exact[k][a] = static_cast<double>(cell.centre[a]);
  }
  std::vector<Count> order(n);
  for (int a = 0; a < 3; ++a) {
    const auto key = [&](Count k) {
      return std::array{exact[k][a], exact[k][(a + 1) % 3], exact[k][(a + 2) % 3]};
    };
    std::iota(order.begin(), order.end(), Count{0});
    std::sort(order.begin(), order.end(), [&](Count i, Count j) { return key(i) < key(j); });
    double gap = 0.0;  // to the next plane; the last plane takes the gap before it
    for (Count begin = 0, end = 0; begin < n; begin = end) {
      const double plane = exact[order[begin]][a];
      while (end < n && exact[order[end]][a] == plane) ++end;
      if (end < n) gap = exact[order[end]][a] - plane;
      for (Count k = begin; k < end; ++k)
        centres(order[k], a) = static_cast<Real>(plane + gap * static_cast<double>(k - begin) /
                                                             static_cast<double>(end - begin));
    }
  }
}

}  // namespace

OctreeCell CoarseOctree::cell_of(const CoarseNode& node) const {
  return cell_of_level(grid, morton_cell<3>(node.inside), node.level, bits);
}

template <class ExecutionSpace>
CoarseOctree build_coarse_octree(const ExecutionSpace& space,
                                 const KeyedParticles<typename ExecutionSpace::memory_space>& own,
                                 const OctreeOptions& options, Count most,
                                 CountedMessages& messages,
                                 Workspace<typename ExecutionSpace::memory_space>& workspace) {
  const Kokkos::Profiling::ScopedRegion region("copse::coarse::build");
  CoarseOctree tree;
  tree.grid = CurveGrid<3>(options.box);
  tree.bits = options.branching == Branching::binary ? 1 : 3;
  const RangeCounter<ExecutionSpace> count{space, own, tree.grid, messages, workspace};
  const auto parts = std::size_t{1} << tree.bits;
  tree.nodes.push_back(
      node_of(count({{0, (std::uint64_t{1} << binary_levels) - 1}}).front(), tree.bits));
  tree.depth_begin = {0};
  std::vector<std::uint32_t> split;
  do {
    const auto begin = static_cast<std::uint32_t>(tree.depth_begin.back());
    const auto end = static_cast<std::uint32_t>(tree.nodes.size());
    tree.depth_begin.push_back(end);
    split.clear();
    std::vector<KeyRange> ranges;
    for (std::uint32_t i = begin; i < end; ++i) {
      const CoarseNode& node = tree.nodes[i];
      if (node.particles <= most || node.first_key == node.last_key) continue;
      split.push_back(i);
      add_parts(node, tree.bits, ranges);
    }
    if (split.empty()) break;
    const auto found = count(ranges);
    for (std::size_t s = 0; s < split.size(); ++s) {
      tree.nodes[split[s]].first_child = static_cast<std::uint32_t>(tree.nodes.size());
      for (std::size_t part = parts * s; part < parts * (s + 1); ++part) {
        if (found[part].particles == 0) continue;
        tree.nodes.push_back(node_of(found[part], tree.bits));
        ++tree.nodes[split[s]].child_count;
      }
    }
  } while (true);
  list_leaves(tree, 0);
  return tree;
}

std::vector<int> owners_of_leaves(const CoarseOctree& tree, const Box<3>& box,
                                  std::span<const double> weights, int ranks) {
  const Count n = tree.leaves.size();
  using Space = Kokkos::DefaultHostExecutionSpace;
  Points<3, Kokkos::HostSpace> centres("copse::coarse::centres", n);
  const IntegerWeights<Kokkos::HostSpace> whole("copse::coarse::weights", n);
  const auto numbers = whole_weights(weights);
  OrbOptions options{.leaves = static_cast<std::uint32_t>(ranks), .box = box};
  for (int a = 0; a < 3; ++a) options.box.upper[a] = box.lower[a];
  spread_centres(tree, centres);
  for (Count k = 0; k < n; ++k) {
    for (int a = 0; a < 3; ++a) {
      options.box.lower[a] = std::min(options.box.lower[a], centres(k, a));
      options.box.upper[a] = std::max(options.box.upper[a], centres(k, a));
    }
    whole(k) = numbers[k];
  }
  WeightedOrbBuilder<Space> builder;
  WeightedOrbBuilder<Space>::Permutation order;
  const auto orb = builder.build(centres, order, whole, options);
  Kokkos::fence("copse::coarse::owners");
  std::vector<int> owner(n, 0);
  int domain = 0;
  const auto visit = [&](auto&& self, std::uint32_t slot) -> void {
    const OrbCell& cell = orb.cells(slot);
    if (cell.leaves > 1) {
      self(self, 2 * slot);
      self(self, 2 * slot + 1);
      return;
    }
    for (Count k = cell.begin; k < cell.end; ++k) owner[order(k)] = domain;
    ++domain;
  };
  visit(visit, 1);
  return owner;
}

#define COPSE_INSTANTIATE(Space)                                                             \
  template CoarseOctree build_coarse_octree(                                                 \
      const Space&, const KeyedParticles<Space::memory_space>&, const OctreeOptions&, Count, \
      CountedMessages&, Workspace<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
