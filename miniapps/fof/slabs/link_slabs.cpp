#include "link_slabs.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace copse::fof {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Calls f(i) for i < n on all threads, in chunks of unequal cost.
template <class F>
void for_all(const char* name, Count n, int chunk, const F& f) {
  const Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<Count>>
      policy(Host(), 0, n, Kokkos::ChunkSize(chunk));
  Kokkos::parallel_for(name, policy, f);
  Host().fence(name);
}

/// The particles of one layer, sorted by cell, as a part of the slab's arrays.
struct Layer {
  Count number = 0;               ///< on the grid
  Count begin = 0, size = 0;      ///< in the slab's arrays
  std::vector<Count> cell;        ///< occupied cells, ascending
  std::vector<Count> first;       ///< [cells + 1] first particle of each, in the slab's arrays
  std::vector<std::uint8_t> one;  ///< [cells] true if its particles are known to be one set
  std::vector<Count> bucket;      ///< first occupied cell of 2^shift consecutive cells
  int shift = 0;
};

class Slab {
 public:
  Slab(const LayerGrid& grid, const LayerParticles& here, DisjointSets& components)
      : grid_(grid), here_(here), components_(components) {}

  /// Loads layers `from` to `end` of this rank, and the two above. `order` holds the particles by
  /// layer, from `begin` on.
  void load(Count from, Count end, const std::vector<Count>& begin,
            const std::vector<LocalIndex>& order) {
    const Count all = grid_.layers();
    const Count above = std::min<Count>(2, all - 1);
    layers_.clear();
    own_ = end - from;
    Count n = 0;
    for (Count l = from; l < end + above && (l < all || grid_.cells.periodic); ++l) {
      Layer layer;
      layer.number = l % all;
      layer.begin = n;
      layer.size = begin[layer.number + 1] - begin[layer.number];
      n += layer.size;
      layers_.push_back(std::move(layer));
    }
    row_.resize(n);
    for (auto& column : x_) column.resize(n);
    for (auto& column : v_) column.resize(here_.problem.has_velocity() ? n : 0);
    for_all("copse::fof::sort_layers", layers_.size(), 1,
            [&](Count k) { sort_layer(layers_[k], order.data() + begin[layers_[k].number]); });
  }

  void link() {
    for_each_cell(layers_.size(), [&](Count k, Count c) { link_within(layers_[k], c); });
    // Dense cells first with their neighbours: most pairs two cells apart are then in one set.
    for_each_cell(own_, [&](Count k, Count c) {
      if (dense(layers_[k], c))
        for_each_near(k, c, 1, [&](const Layer& to, Count d) {
          if (dense(to, d)) link_cells(layers_[k], c, to, d);
        });
    });
    for_each_cell(own_, [&](Count k, Count c) {
      for_each_near(k, c, 2, [&](const Layer& to, Count d) { link_cells(layers_[k], c, to, d); });
    });
  }

 private:
  void sort_layer(Layer& layer, const LocalIndex* rows) {
    const auto& problem = here_.problem;
    std::vector<std::pair<Count, LocalIndex>> sorted(layer.size);
    for (Count i = 0; i < layer.size; ++i)
      sorted[i] = {grid_.cell(problem.position, rows[i]), rows[i]};
    std::sort(sorted.begin(), sorted.end());
    for (Count i = 0; i < layer.size; ++i) {
      const auto [cell, row] = sorted[i];
      if (layer.cell.empty() || cell != layer.cell.back()) {
        layer.cell.push_back(cell);
        layer.first.push_back(layer.begin + i);
      }
      row_[layer.begin + i] = row;
      for (int a = 0; a < 3; ++a) {
        x_[a][layer.begin + i] = problem.position(row, a);
        if (problem.has_velocity()) v_[a][layer.begin + i] = problem.velocity(row, a);
      }
    }
    layer.first.push_back(layer.begin + layer.size);
    const Count occupied = layer.cell.size();
    layer.one.resize(occupied);
    const Count in_layer = Count{grid_.cells.cells[0]} * grid_.cells.cells[1];
    while ((in_layer >> layer.shift) > occupied) ++layer.shift;
    layer.bucket.assign((in_layer >> layer.shift) + 2, occupied);
    for (Count c = occupied; c > 0; --c)
      layer.bucket[(layer.cell[c - 1] - layer.number * in_layer) >> layer.shift] = c - 1;
    for (Count b = layer.bucket.size() - 1; b > 0; --b)
      layer.bucket[b - 1] = std::min(layer.bucket[b - 1], layer.bucket[b]);
  }

  /// Calls f(layer, cell) for the occupied cells of the first layers, on all threads.
  template <class F>
  void for_each_cell(Count layers, const F& f) const {
    constexpr Count chunk = 256;
    std::vector<std::pair<Count, Count>> chunks;
    for (Count k = 0; k < layers; ++k)
      for (Count c = 0; c < layers_[k].cell.size(); c += chunk) chunks.emplace_back(k, c);
    for_all("copse::fof::link_cells", chunks.size(), 1, [&](Count j) {
      const auto [k, begin] = chunks[j];
      const Count end = std::min<Count>(begin + chunk, layers_[k].cell.size());
      for (Count c = begin; c < end; ++c) f(k, c);
    });
  }

  /// Calls f(layer, cell) for the occupied cells at most `reach` away from a cell: those behind it
  /// in its layer, and all in the layers above.
  template <class F>
  void for_each_near(Count k, Count c, std::uint32_t reach, const F& f) const {
    const auto& cells = grid_.cells;
    const Count self = layers_[k].cell[c];
    const auto place = cells.place_of(self);
    const auto x = cells.span(place[0], 0, reach), y = cells.span(place[1], 1, reach);
    const Count unwrapped = std::min(x.count, cells.cells[0] - x.first);
    for (Count up = 0; up <= reach && k + up < layers_.size(); ++up) {
      const Layer& to = layers_[k + up];
      const Count least = up == 0 ? self + 1 : 0;
      for (std::uint32_t j = 0; j < y.count; ++j) {
        const Count line =
            (to.number * cells.cells[1] + (y.first + j) % cells.cells[1]) * cells.cells[0];
        for_each_between(to, std::max(least, line + x.first), line + x.first + unwrapped, f);
        for_each_between(to, std::max(least, line), line + x.count - unwrapped, f);
      }
    }
  }

  /// The occupied cells from `from` to before `end`, all of one layer.
  template <class F>
  void for_each_between(const Layer& layer, Count from, Count end, const F& f) const {
    if (from >= end || layer.cell.empty()) return;
    const Count in_layer = Count{grid_.cells.cells[0]} * grid_.cells.cells[1];
    const Count bucket = (from - layer.number * in_layer) >> layer.shift;
    const auto at = [&](Count c) { return layer.cell.begin() + static_cast<std::ptrdiff_t>(c); };
    const auto found =
        std::lower_bound(at(layer.bucket[bucket]), at(layer.bucket[bucket + 1]), from);
    for (auto c = static_cast<Count>(found - layer.cell.begin());
         c < layer.cell.size() && layer.cell[c] < end; ++c)
      f(layer, c);
  }

  static bool dense(const Layer& layer, Count c) {
    return layer.one[c] != 0 && layer.first[c + 1] - layer.first[c] >= 4;
  }

  /// The criterion of friendship.hpp, implemented independently.
  bool friends(Count i, Count j) const {
    const Friendship& rule = here_.problem.friendship;
    Real sum = 0;
    for (int a = 0; a < 3; ++a) {
      Real d = std::fabs(x_[a][i] - x_[a][j]);
      d = std::min(d, rule.period[a] - d);
      sum = a == 0 ? d * d : std::fma(d, d, sum);
    }
    if (v_[0].empty()) return sum < rule.reach2;
    Real speed2 = 0;
    for (int a = 0; a < 3; ++a) {
      const Real d = v_[a][i] - v_[a][j];
      speed2 = a == 0 ? d * d : std::fma(d, d, speed2);
    }
    return std::fma(speed2, rule.velocity_factor, sum) < rule.reach2;
  }

  void link_within(Layer& layer, Count c) {
    const Count begin = layer.first[c], end = layer.first[c + 1];
    bool one = true;
    for (Count i = begin + 1; i < end; ++i)
      if (friends(begin, i))
        components_.unite(row_[begin], row_[i]);
      else
        one = false;
    if (!one) {
      for (Count i = begin + 1; i < end; ++i)
        for (Count j = i + 1; j < end; ++j)
          if (friends(i, j)) components_.unite(row_[i], row_[j]);
      const LocalIndex root = components_.root(row_[begin]);
      one = std::all_of(row_.begin() + static_cast<std::ptrdiff_t>(begin),
                        row_.begin() + static_cast<std::ptrdiff_t>(end),
                        [&](LocalIndex row) { return components_.root(row) == root; });
    }
    layer.one[c] = one ? 1 : 0;
  }

  void link_cells(const Layer& a, Count c, const Layer& b, Count d) {
    const bool one = a.one[c] != 0 && b.one[d] != 0;
    const Count begin = b.first[d], end = b.first[d + 1];
    if (one && components_.root(row_[a.first[c]]) == components_.root(row_[begin])) return;
    for (Count i = a.first[c]; i < a.first[c + 1]; ++i)
      for (Count j = begin; j < end; ++j)
        if (friends(i, j)) {
          components_.unite(row_[i], row_[j]);
          if (one) return;
        }
  }

  const LayerGrid& grid_;
  const LayerParticles& here_;
  DisjointSets& components_;
  std::vector<Layer> layers_;
  Count own_ = 0;  ///< layers whose pairs are tested; the rest are above them
  std::vector<LocalIndex> row_;
  std::array<std::vector<Real>, 3> x_, v_;
};

}  // namespace

void link_slabs(const LayerGrid& grid, const LayerParticles& here, Count slab_particles,
                DisjointSets& components) {
  const auto& position = here.problem.position;
  const Count n = here.problem.size();
  std::vector<Count> begin(Count{grid.layers()} + 2, 0);
  for_all("copse::fof::count_layers", n, 4096, [&](Count i) {
    std::atomic_ref(begin[grid.layer(position, i) + 2]).fetch_add(1, std::memory_order_relaxed);
  });
  for (Count l = 2; l < begin.size(); ++l) begin[l] += begin[l - 1];
  std::vector<LocalIndex> order(n);
  for_all("copse::fof::order_layers", n, 4096, [&](Count i) {
    std::atomic_ref next(begin[grid.layer(position, i) + 1]);
    order[next.fetch_add(1, std::memory_order_relaxed)] = static_cast<LocalIndex>(i);
  });
  Slab slab(grid, here, components);
  for (Count from = here.first, end = from; from < here.end; from = end) {
    do ++end;
    while (end < here.end && begin[end + 1] - begin[from] <= slab_particles);
    slab.load(from, end, begin, order);
    slab.link();
  }
}

}  // namespace copse::fof
