#pragma once
/// \file
/// State of one rank between the steps of a distributed build: its particles, the cells that
/// contain them, and the cells it owns alone.

#include <copse/algorithms/segmented_histogram.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/mpi/communicator.hpp>
#include <copse/domains/collective_clock.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/domains/leaf_ownership.hpp>
#include <copse/particles/fixed_point.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/orb_policy.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <utility>
#include <vector>

namespace copse::detail {

/// A global particle number and a weight in 12 bytes. An aligned 64-bit member would make it 16:
/// 28 instead of 24 bytes to send per particle with a float position.
struct WeightedId {
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t weight;
};

/// Reads the weights of the particles in their current order.
inline UnitWeight weights_of(const GlobalId*) {
  return UnitWeight{};
}
inline IntegerWeight weights_of(const WeightedId* rows) {
  return IntegerWeight{rows ? &rows->weight : nullptr, sizeof(WeightedId) / sizeof(std::uint32_t)};
}

/// A cell with some or all of its particles on this rank.
struct LocalCell {
  std::uint32_t slot = 1;  ///< in the heap
  LeafRange leaves;
  Count particles = 0;  ///< over all ranks
  Segment rows;         ///< this rank's part; may be empty
};

/// Positions and the record that travels with each: `Row` is GlobalId in a tree by count,
/// WeightedId in one by weight. Invariant: the cells' ranges are adjacent, and within a cell
/// particles are in input order, on this rank and from rank to rank.
template <class MemorySpace, class Row>
struct RowSet {
  Points<3, MemorySpace> points;
  Kokkos::View<Row*, Kokkos::LayoutLeft, MemorySpace> row;
  static constexpr int borrowed = -1;
  int set = 0;  ///< index of the workspace's arrays; `borrowed`: the caller's, read-only
  Count size() const { return row.extent(0); }
};

/// One of the two array sets, different from `set`.
constexpr int set_beside(int set) {
  return set == 0 ? 1 : 0;
}

/// A cell with all its particles on this rank: range `where` of `rows`.
template <class MemorySpace, class Row>
struct OwnCell {
  LocalCell cell;
  RowSet<MemorySpace, Row> rows;
  Segment where;
};

template <class ExecutionSpace_, class Row_>
struct DistributedState {
  using ExecutionSpace = ExecutionSpace_;
  using Row = Row_;
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = CountRange<ExecutionSpace>;
  using Weight = decltype(weights_of(static_cast<const Row*>(nullptr)));
  using Rows = RowSet<MemorySpace, Row>;
  static constexpr bool weighted = Weight::weighted;

  ExecutionSpace space;
  const Communicator& world;
  Workspace<MemorySpace>& workspace;
  OwnBuilders<ExecutionSpace>& builders;
  DistributedCost& cost;
  FixedPoint grid;  ///< of positions in messages
  CollectiveClock clock = {};
  LeafOwnership ownership = {};
  OrbPolicy policy = {};
  OrbTree<MemorySpace> tree = {};
  Rows rows = {};
  std::vector<LocalCell> cells = {};  ///< the cells of `rows`
  std::vector<LocalCell> known = {};  ///< every cell that this rank's groups have cut or created
  std::vector<OwnCell<MemorySpace, Row>> own = {};
  bool rows_on_their_way = false;  ///< see rows_are_here

  /// Workspace arrays of set `set` for n points, or for their records. The previous contents of the
  /// set are lost.
  Points<3, MemorySpace> point_room(int set, Count n) {
    const auto points =
        workspace.template get<Real>("distributed::" + std::to_string(set) + "::points", 3 * n);
    return Points<3, MemorySpace>(points.data(), n);
  }
  auto row_room(int set, Count n) {
    return workspace.template get<Row>("distributed::" + std::to_string(set) + "::row", n);
  }
  Rows room(int set, Count n) { return {point_room(set, n), row_room(set, n), set}; }

  /// Bytes of a particle in a message.
  Count sent_bytes() const {
    return sizeof(Row) + (grid.bits > 0 ? triple_bytes(grid.bits) : 3 * sizeof(Real));
  }

  bool is_shared(const LocalCell& cell) const {
    const RankRange ranks = ownership.ranks_of(cell.leaves);
    return ranks.first < ranks.last;
  }
  /// [cells] 1 for inner cells (open_cells), or for cells shared by several ranks (shared_cells).
  std::vector<std::uint8_t> open_cells() const {
    return flags([](const LocalCell& cell) { return cell.leaves.count > 1; });
  }
  std::vector<std::uint8_t> shared_cells() const {
    return flags([this](const LocalCell& cell) { return is_shared(cell); });
  }

  /// A cut search for cells that are distributed over the ranks of `comm`.
  template <class Counting = CountInSegments<MemorySpace>>
  HistogramCuts<MemorySpace, Weight, Counting> shared_search(const Communicator& comm) {
    HistogramCuts<MemorySpace, Weight, Counting> search;
    search.weight = [this] { return weights_of(static_cast<const Row*>(rows.row.data())); };
    search.reduce = [this, &comm](const auto& histogram) {
      cost.bytes_reduced += histogram.span() * sizeof(Count);
      clock.communicate(comm, [&] { comm.allreduce(histogram, Reduction::sum); });
    };
    return search;
  }

  template <class Search>
  void remember_rounds(const Search& search) {
    cost.rounds_per_level.insert(cost.rounds_per_level.end(), search.rounds_per_level.begin(),
                                 search.rounds_per_level.end());
  }

  /// Completes the exchange of the points' records, if one is in flight. Collective.
  void rows_are_here() {
    if (!std::exchange(rows_on_their_way, false)) return;
    clock.complete([&] { world.finish_alltoallv(); });
  }

 private:
  template <class Test>
  std::vector<std::uint8_t> flags(Test&& test) const {
    std::vector<std::uint8_t> result;
    for (const LocalCell& cell : cells) result.push_back(test(cell) ? 1 : 0);
    return result;
  }
};

inline bool any(const std::vector<std::uint8_t>& flags) {
  for (const std::uint8_t flag : flags)
    if (flag) return true;
  return false;
}

}  // namespace copse::detail
