#pragma once
/// \file
/// The kernel of on_chip.hpp: a team finishes the subtree below one cell in its scratch memory.
///
/// The points are loaded once and do not move; the cuts permute a list of their 16-bit places. A
/// packet is the unit of work. At the top of the subtree several packets share a cell and exchange
/// their counts through scratch memory. Once a cell belongs to one packet, the packet cuts it and
/// all cells below depth first, without barriers. Cells with no more particles than the packet has
/// lanes are cut together, a particle per lane.

#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/cut.hpp>
#include <copse/tree/detail/packet_search.hpp>
#include <copse/tree/tree_level.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::detail {

/// A cell's points in scratch memory. The call operator takes rows in their current order; `data`
/// and `stride`, from which a policy makes its key, are in the order of loading.
struct ChipPoints {
  const Real* column;
  Count pitch;
  const std::uint16_t* place;
  Count begin;  ///< row of the first point

  KOKKOS_FUNCTION Real operator()(Count row, int axis) const {
    return column[place[row - begin] + pitch * static_cast<Count>(axis)];
  }
  KOKKOS_FUNCTION const Real* data() const { return column; }
  KOKKOS_FUNCTION Count stride(int) const { return pitch; }
};

/// A team's scratch memory.
template <class Shape, int Dim, class Cell>
struct ChipMemory {
  struct Waiting {
    Cell cell;
    std::uint32_t slot;
  };

  Real* column;          ///< [Dim][rows]
  std::uint16_t* place;  ///< [rows] the loaded place of the point that is now here
  std::uint32_t* word;   ///< [2][exchanged_words][packets]
  Waiting* waiting;      ///< [packets][deepest] cells whose left sibling is being finished
  int deepest;

  static int levels_alone(int height) { return height - Shape::shared_levels; }
  template <class Scratch, class T>
  using Array = Kokkos::View<T*, Scratch, Kokkos::MemoryUnmanaged>;

  template <class Scratch>
  static std::size_t bytes(int height) {
    return Array<Scratch, Real>::shmem_size(Dim * Shape::rows) +
           Array<Scratch, std::uint16_t>::shmem_size(Shape::rows) +
           Array<Scratch, std::uint32_t>::shmem_size(2 * exchanged_words * Shape::packets) +
           Array<Scratch, Waiting>::shmem_size(Shape::packets * levels_alone(height));
  }
  template <class Scratch>
  KOKKOS_FUNCTION ChipMemory(const Scratch& scratch, int height)
      : column(Array<Scratch, Real>(scratch, Dim * Shape::rows).data()),
        place(Array<Scratch, std::uint16_t>(scratch, Shape::rows).data()),
        word(Array<Scratch, std::uint32_t>(scratch, 2 * exchanged_words * Shape::packets).data()),
        waiting(Array<Scratch, Waiting>(scratch, Shape::packets * (height - Shape::shared_levels))
                    .data()),
        deepest(height - Shape::shared_levels) {}
};

/// One team per cell of the first level whose cells fit a team.
template <class ExecutionSpace, class Shape, class Policy, int Dim, class Row>
struct FinishCell {
  using Cell = typename Policy::Cell;
  using Value = typename Policy::Value;
  using Packet = typename Shape::Packet;
  using Memory = ChipMemory<Shape, Dim, Cell>;
  using PointSet = Points<Dim, typename ExecutionSpace::memory_space>;
  using Scratch = typename ExecutionSpace::scratch_memory_space;
  static_assert(divides_ties<Policy>, "the sizes of the cells must follow from the ranks");
  static constexpr int width = Shape::width;
  static constexpr int threads = Shape::threads;

  Policy policy;
  Cell* cells;
  PointSet points;
  Row* rows;
  std::uint32_t first_slot;
  int height;  ///< levels below the teams' cells
  int part;    ///< particles of a packet if the cell is full

  std::size_t scratch_bytes() const { return Memory::template bytes<Scratch>(height); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::uint32_t slot = first_slot + static_cast<std::uint32_t>(team.league_rank());
    const Cell cell = cells[slot];
    if (!policy.open(cell)) return;
    const int n = static_cast<int>(cell.end - cell.begin);
    const int thread = team.team_rank();
    const Memory memory(team.team_scratch(0), height);
    for (int i = thread; i < n; i += threads) {
      for (int a = 0; a < Dim; ++a) memory.column[a * Shape::rows + i] = points(cell.begin + i, a);
      memory.place[i] = static_cast<std::uint16_t>(i);
    }
    team.team_barrier();
    cut_all(team, memory, cell, slot);
    team.team_barrier();
    Row row[Shape::per_lane];
    COPSE_UNROLL
    for (int j = 0; j < Shape::per_lane; ++j) {
      const int i = thread + j * threads;
      if (i >= n) continue;
      const int from = memory.place[i];
      row[j] = rows[cell.begin + from];
      for (int a = 0; a < Dim; ++a)
        points(cell.begin + i, a) = memory.column[a * Shape::rows + from];
    }
    team.team_barrier();  // all rows have been read
    COPSE_UNROLL
    for (int j = 0; j < Shape::per_lane; ++j) {
      const int i = thread + j * threads;
      if (i < n) rows[cell.begin + i] = row[j];
    }
  }

 private:
  /// A thread's place in its team's cell, in registers.
  struct Place {
    const Memory& memory;
    Count begin;  ///< first row of the team's cell
    int packet;
    int lane;

    KOKKOS_FORCEINLINE_FUNCTION ChipPoints points() const {
      return {memory.column, Shape::rows, memory.place, begin};
    }
  };

  static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lanes_below(int lane) {
    return (std::uint32_t{1} << lane) - 1;
  }
  static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t key_of(Value value) {
    return static_cast<std::uint32_t>(level_key<Policy>(value, 0) >> 32);
  }
  static KOKKOS_FORCEINLINE_FUNCTION Value value_of(std::uint32_t key) {
    return value_of_level_key<Policy>(static_cast<LevelKey<Policy>>(key) << 32);
  }
  static KOKKOS_FORCEINLINE_FUNCTION int size(const Cell& cell) {
    return static_cast<int>(cell.end - cell.begin);
  }
  static KOKKOS_FORCEINLINE_FUNCTION Cut<Value> cut_at(int size, int rank, std::uint32_t left_max,
                                                       std::uint32_t right_min) {
    Cut<Value> cut{};
    cut.left = static_cast<Count>(rank);
    cut.right = static_cast<Count>(size - rank);
    cut.left_max = value_of(left_max);
    if (cut.right > 0) cut.right_min = value_of(right_min);
    return cut;
  }

  template <class Team>
  KOKKOS_FUNCTION void cut_all(const Team& team, const Memory& memory, Cell cell,
                               std::uint32_t slot) const {
    const Place place{memory, cell.begin, team.team_rank() / width, team.team_rank() % width};
    ChipTogether<Shape, Team> together{team,       memory.word, place.packet,
                                       place.lane, 0,           Shape::packets};
    bool exists = true;  // below a leaf there is no cell
    for (int level = 0; level < Shape::shared_levels; ++level) {
      together.sharing = Shape::packets >> level;
      together.first = place.packet & ~(together.sharing - 1);
      const bool open = exists && policy.open(cell);
      if (open) prepare_cell(policy, cell, slot, place.points());
      if (exists && place.packet == together.first && place.lane == 0) cells[slot] = cell;
      Cell left = cell, right = cell;
      const int first = open ? place.packet * part : 0;
      divide<Shape::per_lane>(place, cell, open, first, first + part, together, left, right);
      exists = open;
      const bool goes_right = (place.packet & (together.sharing / 2)) != 0;
      cell = goes_right ? right : left;
      slot = 2 * slot + goes_right;
    }
    if (exists) finish_alone(place, cell, slot);
  }

  /// Moves the packet's rows [first, last) of an open cell to the cell's two sides, together with
  /// the cell's other packets. Sets the children.
  template <int PerLane, class Join>
  KOKKOS_FUNCTION void divide(const Place& place, Cell& cell, bool open, int first, int last,
                              Join& join, Cell& left, Cell& right) const {
    const int n = size(cell);
    const int begin = static_cast<int>(cell.begin - place.begin);
    const int rank = open ? static_cast<int>(policy.rank(cell)) : 0;
    if (last > begin + n) last = begin + n;
    if (!open) last = first;
    const auto value = policy.key(cell, place.points());
    std::uint32_t key[PerLane];
    std::uint16_t row[PerLane];
    std::uint32_t low = no_key, high = 0;
    COPSE_UNROLL
    for (int j = 0; j < PerLane; ++j) {
      const int at = first + j * width + place.lane;
      key[j] = no_key;
      row[j] = 0;
      if (at >= last) continue;
      row[j] = place.memory.place[at];
      key[j] = key_of(value(row[j]));
      low = key[j] < low ? key[j] : low;
      high = key[j] > high ? key[j] : high;
    }
    const ChipThreshold found = find_threshold<PerLane>(key, low, high, open, n, rank, join);
    const std::uint32_t threshold = found.key;
    const bool divided = found.divided;

    ChipSides sides;
    COPSE_UNROLL
    for (int j = 0; j < PerLane; ++j) {
      if (first + j * width + place.lane >= last) continue;
      sides.less += key[j] < threshold;
      sides.equal += key[j] == threshold;
      if (key[j] <= threshold) {
        sides.left_max = key[j] > sides.left_max ? key[j] : sides.left_max;
      } else {
        sides.right_min = key[j] < sides.right_min ? key[j] : sides.right_min;
      }
    }
    join.sides(sides);
    std::uint32_t equal = sides.equal;
    int to_left = begin + static_cast<int>(sides.less + (equal < found.ties ? equal : found.ties));
    int to_right = begin + rank + (first - to_left);
    COPSE_UNROLL
    for (int j = 0; j < PerLane; ++j) {
      if (first + j * width >= last) break;
      const bool used = first + j * width + place.lane < last;
      bool goes_left = used && (key[j] < threshold || (key[j] == threshold && !divided));
      if (divided) {
        const bool tied = used && key[j] == threshold;
        const std::uint32_t mask = Packet::ballot(tied);
        goes_left |= tied && equal + Kokkos::popcount(mask & lanes_below(place.lane)) < found.ties;
        equal += Kokkos::popcount(mask);
      }
      const std::uint32_t mask = Packet::ballot(goes_left);
      const int before = Kokkos::popcount(mask & lanes_below(place.lane));
      const int to = goes_left ? to_left + before : to_right + place.lane - before;
      if (used) place.memory.place[to] = row[j];
      to_left += Kokkos::popcount(mask);
      to_right += width - Kokkos::popcount(mask);
    }
    join.barrier();
    if (!open) return;
    make_children(policy, cell,
                  cut_at(n, rank, sides.left_max, divided ? threshold : sides.right_min), left,
                  right);
  }

  /// As divide(), with as many registers as the rows of the cell need.
  template <int PerLane>
  KOKKOS_FUNCTION void divide_alone(const Place& place, Cell& cell, Cell& left, Cell& right) const {
    if constexpr (PerLane > 2)
      if (size(cell) <= width * PerLane / 2)
        return divide_alone<PerLane / 2>(place, cell, left, right);
    const int first = static_cast<int>(cell.begin - place.begin);
    ChipAlone<Shape> alone;
    divide<PerLane>(place, cell, true, first, first + size(cell), alone, left, right);
  }

  /// Cuts a cell that belongs to the packet, and all cells below.
  KOKKOS_FUNCTION void finish_alone(const Place& place, Cell cell, std::uint32_t slot) const {
    auto* const waiting = place.memory.waiting + place.packet * place.memory.deepest;
    std::uint32_t waits = 0;  // a bit for each level at which a right child waits
    for (int level = 0;;) {
      if (policy.open(cell) && size(cell) > width) {
        prepare_cell(policy, cell, slot, place.points());
        if (place.lane == 0) cells[slot] = cell;
        Cell left, right;
        divide_alone<Shape::per_lane>(place, cell, left, right);
        if (place.lane == 0) waiting[level] = {right, 2 * slot + 1};
        waits |= std::uint32_t{1} << level++;
        cell = left;
        slot = 2 * slot;
        continue;
      }
      if (!policy.open(cell)) {
        if (place.lane == 0) cells[slot] = cell;
      } else {
        finish_in_lanes(place, cell, slot);
      }
      if (waits == 0) return;
      level = 31 - Kokkos::countl_zero(waits);
      waits ^= std::uint32_t{1} << level++;
      Packet::sync();
      cell = waiting[level - 1].cell;
      slot = waiting[level - 1].slot;
    }
  }

  /// Cuts an open cell of at most one row per lane, and all cells below. Each lane has one row, and
  /// a copy of the cell that the row is in.
  KOKKOS_FUNCTION void finish_in_lanes(const Place& place, Cell cell, std::uint32_t slot) const {
    const int lane = place.lane;
    const int n = size(cell);
    std::uint16_t* const at = place.memory.place + (cell.begin - place.begin);
    int first = 0;  // lane of the first row of the lane's cell
    bool exists = lane < n;
    for (;;) {
      const bool open = exists && policy.open(cell);
      if (open) prepare_cell(policy, cell, slot, place.points());
      if (exists && lane == first) cells[slot] = cell;
      if (Packet::ballot(open) == 0) return;
      const int here = open ? size(cell) : 0;
      const int rank = open ? static_cast<int>(policy.rank(cell)) : 0;
      const std::uint16_t row = open ? at[lane] : std::uint16_t{0};
      const std::uint32_t key = open ? key_of(policy.key(cell, place.points())(row)) : no_key;
      // The place of the lane's row in the sorted cell. Equal keys keep their order.
      int sorted = 0;
      const int most = static_cast<int>(Packet::max(static_cast<std::uint32_t>(here)));
      for (int j = 0; j < most; ++j) {
        const int other = j < here ? first + j : lane;
        const std::uint32_t theirs = Packet::broadcast(key, other);
        sorted += theirs < key || (theirs == key && other < lane);
      }
      const bool goes_left = open && sorted < rank;
      const std::uint32_t mine =
          open ? lanes_below(first + here - 1) * 2 + 1 - lanes_below(first) : std::uint32_t{0};
      const std::uint32_t lefts = Packet::ballot(goes_left) & mine;
      const std::uint32_t last_left = Packet::ballot(open && sorted == rank - 1) & mine;
      const std::uint32_t first_right = Packet::ballot(open && sorted == rank) & mine;
      const std::uint32_t left_max = Packet::broadcast(key, lane_of(last_left, lane));
      const std::uint32_t right_min = Packet::broadcast(key, lane_of(first_right, lane));
      const int before = Kokkos::popcount(lefts & lanes_below(lane));
      Packet::sync();
      if (open) at[goes_left ? first + before : first + rank + (lane - first) - before] = row;
      Packet::sync();
      exists = open;
      if (!open) continue;
      Cell left, right;
      make_children(policy, cell, cut_at(here, rank, left_max, right_min), left, right);
      if (rank == here && lane == first) cells[2 * slot + 1] = right;  // no lane is in it
      const bool in_right = lane - first >= rank;
      cell = in_right ? right : left;
      slot = 2 * slot + in_right;
      if (in_right) first += rank;
    }
  }

  /// The lane of the only bit, or `otherwise`.
  static KOKKOS_FORCEINLINE_FUNCTION int lane_of(std::uint32_t bit, int otherwise) {
    return bit == 0 ? otherwise : 31 - Kokkos::countl_zero(bit);
  }
};

}  // namespace copse::detail
