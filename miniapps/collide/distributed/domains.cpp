#include "domains.hpp"

#include <copse/backend/backends.hpp>

#include <algorithm>
#include <utility>

namespace copse::collide {
namespace {

/// Cuts a block of the process grid in two until it is one rank's.
template <int D>
struct GridCutter {
  using Place = Kokkos::Array<int, D>;

  const Region<D>& region;
  Place grid;
  Domains<D>& domains;

  std::int32_t cut(const Place& first, const Place& parts) {
    int axis = 0;
    for (int a = 1; a < D; ++a)
      if (parts[a] > parts[axis]) axis = a;
    if (parts[axis] == 1) return ~leaf(first);
    const auto node = static_cast<std::int32_t>(domains.cuts.size());
    domains.cuts.emplace_back();
    Place left = parts, right = parts, middle = first;
    left[axis] = parts[axis] / 2;
    right[axis] = parts[axis] - left[axis];
    middle[axis] += left[axis];
    const DomainCut made{border(middle[axis], axis), axis, cut(first, left), cut(middle, right)};
    domains.cuts[static_cast<std::size_t>(node)] = made;
    return node;
  }

 private:
  double border(int place, int axis) const {
    return region.side[axis] * static_cast<double>(place) / static_cast<double>(grid[axis]);
  }
  std::int32_t leaf(const Place& place) {
    int rank = 0;
    for (int a = D - 1; a >= 0; --a) rank = rank * grid[a] + place[a];
    auto& box = domains.boxes[static_cast<std::size_t>(rank)];
    box = {};
    for (int a = 0; a < D; ++a) {
      box.lower[a] = static_cast<Real>(border(place[a], a));
      box.upper[a] = static_cast<Real>(border(place[a] + 1, a));
    }
    return rank;
  }
};

/// Copies the cuts of an ORB tree, whose leaves are numbered from the left.
template <int D>
std::int32_t copy_cuts(const Kokkos::View<OrbCell*, Kokkos::HostSpace>& cells, std::uint32_t slot,
                       Domains<D>& domains) {
  const OrbCell& cell = cells(slot);
  if (cell.leaves <= 1) {
    domains.boxes.push_back({cell.lower, cell.upper});
    return ~static_cast<std::int32_t>(domains.boxes.size() - 1);
  }
  const auto node = static_cast<std::size_t>(domains.cuts.size());
  domains.cuts.emplace_back();
  const std::int32_t left = copy_cuts(cells, 2 * slot, domains);
  const std::int32_t right = copy_cuts(cells, 2 * slot + 1, domains);
  domains.cuts[node] = {static_cast<double>(cell.cut), cell.cut_axis, left, right};
  return static_cast<std::int32_t>(node);
}

}  // namespace

template <int D>
Kokkos::Array<int, D> process_grid(int ranks) {
  Kokkos::Array<int, D> grid{};
  for (int a = 0; a < D; ++a) {
    int factor = 1;
    for (int f = 1; f <= ranks; ++f) {
      double power = 1.0;
      for (int k = a; k < D; ++k) power *= f;
      if (power > ranks) break;
      if (ranks % f == 0) factor = f;
    }
    grid[a] = a == D - 1 ? ranks : factor;
    ranks /= factor;
  }
  return grid;
}

template <int D>
Domains<D> grid_domains(const Region<D>& region, int ranks) {
  Domains<D> domains;
  domains.boxes.resize(static_cast<std::size_t>(ranks));
  const auto grid = process_grid<D>(ranks);
  GridCutter<D>{region, grid, domains}.cut({}, grid);
  return domains;
}

template <int D, class ExecutionSpace>
Domains<D> OrbDomains<D, ExecutionSpace>::cut(const Region<D>& region,
                                              const Points<3, MemorySpace>& position) {
  const Count n = position.extent(0);
  const auto ranks = static_cast<std::uint32_t>(comm_.size());
  const Count total = comm_.allreduce(n, Reduction::sum);
  const GlobalId first = comm_.exclusive_scan(n);
  const DomainSample sample = DomainSample::of(std::max<Count>(total, 1), sampled_per_rank * ranks);
  const auto some = sample_rows(space_, sample, position, first, workspace_);
  OrbOptions options{.leaves = ranks};
  options.box = {};
  for (int a = 0; a < D; ++a) options.box.upper[a] = static_cast<Real>(region.side[a]);
  const auto tree = builder_.build(some, options, Reshuffle::once, false).tree;
  const auto cells = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree.cells);
  Domains<D> domains;
  copy_cuts<D>(cells, 1, domains);
  return domains;
}

#define COPSE_INSTANTIATE(D)                           \
  template Kokkos::Array<int, D> process_grid<D>(int); \
  template Domains<D> grid_domains(const Region<D>&, int);
COPSE_INSTANTIATE(2)
COPSE_INSTANTIATE(3)
#undef COPSE_INSTANTIATE
#define COPSE_INSTANTIATE(Space)       \
  template class OrbDomains<2, Space>; \
  template class OrbDomains<3, Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
