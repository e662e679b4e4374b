#include "ceiling.hpp"
#include "workers.hpp"
#include <copse/backend/split_mix.hpp>

#include <bit>
#include <cstdint>

namespace copse::roofline {
namespace {

/// The least that a walk reads per node: 32 bytes, one sector of device memory.
struct alignas(32) Cell {
  std::uint32_t word[8];
};

KOKKOS_FORCEINLINE_FUNCTION std::uint64_t mix(std::uint64_t x) {
  return split_mix(x + 0x9e3779b97f4a7c15ull);
}

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word_of(std::uint64_t cell) {
  return static_cast<std::uint32_t>(cell) * 2654435761u;
}

struct FillCells {
  Cell* cells;
  KOKKOS_FUNCTION void operator()(Count i) const {
    for (std::uint32_t k = 0; k < 8; ++k) cells[i].word[k] = word_of(i) + k;
  }
};

/// Reads the table; its counterpart computes the same numbers, so the oracle needs no memory.
struct FromMemory {
  const Cell* cells;
  KOKKOS_FORCEINLINE_FUNCTION Cell operator()(Count i) const { return cells[i]; }
};
struct Computed {
  KOKKOS_FORCEINLINE_FUNCTION Cell operator()(Count i) const {
    Cell cell;
    for (std::uint32_t k = 0; k < 8; ++k) cell.word[k] = word_of(i) + k;
    return cell;
  }
};

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t sum_of(const Cell& cell) {
  std::uint32_t sum = 0;
  for (int k = 0; k < 8; ++k) sum += cell.word[k];
  return sum;
}

/// A query reads `steps` random cells; the reads are independent.
template <class Cells>
struct RandomQuery {
  Cells cells;
  Count size;  ///< a power of two
  int steps;
  KOKKOS_FUNCTION void operator()(Count query, std::uint64_t& total) const {
    std::uint32_t sum = 0;
    for (int k = 0; k < steps; ++k)
      sum += sum_of(cells(mix(query * 64 + static_cast<Count>(k)) & (size - 1)));
    total += sum;
  }
};

/// A query descends a binary tree in heap order from its root; each node gives the next step.
template <class Cells>
struct TreeQuery {
  Cells cells;
  Count size;
  int steps;
  KOKKOS_FUNCTION void operator()(Count query, std::uint64_t& total) const {
    const std::uint64_t turns = mix(query);
    std::uint32_t sum = 0;
    Count node = 1;
    for (int k = 0; k < steps; ++k) {
      const Cell cell = cells(node);
      sum += sum_of(cell);
      node = 2 * node + (((cell.word[0] >> 16) ^ (turns >> k)) & 1u);
    }
    total += sum;
  }
};

template <class ExecutionSpace, template <class> class Query>
SetRate gather(const ExecutionSpace& space, const char* name, const Cell* cells, Count size,
               int steps, const Effort& effort) {
  const Count batch = static_cast<Count>(space.concurrency()) * 64;
  std::uint64_t found = 0;
  const auto run = [&](int repeats) {
    Kokkos::parallel_reduce(
        "copse::ceilings::gather",
        CountRange<ExecutionSpace>(space, 0, batch * static_cast<Count>(repeats)),
        Query<FromMemory>{{cells}, size, steps}, found);
  };
  const int repeats = enough_repeats(space, effort, run);
  const double seconds = best_seconds(space, effort.runs, repeats, run);
  const Count queries = batch * static_cast<Count>(repeats);
  std::uint64_t expected = 0;
  Kokkos::parallel_reduce("copse::ceilings::check", CountRange<ExecutionSpace>(space, 0, queries),
                          Query<Computed>{{}, size, steps}, expected);
  require_result<ExecutionSpace>(found == expected, "gathering");
  const double bytes = static_cast<double>(queries) * steps * sizeof(Cell);
  return {name, size * sizeof(Cell), true, bytes / seconds};
}

}  // namespace

template <class ExecutionSpace>
std::vector<SetRate> measure_gathers(const ExecutionSpace& space, const std::vector<Count>& sets,
                                     const Effort& effort) {
  const Count most = std::bit_floor(sets.back() / sizeof(Cell));
  const Kokkos::View<Cell*, typename ExecutionSpace::memory_space> cells(
      Kokkos::view_alloc("copse::ceilings::cells", Kokkos::WithoutInitializing), most);
  Kokkos::parallel_for("copse::ceilings::fill", CountRange<ExecutionSpace>(space, 0, most),
                       FillCells{cells.data()});
  std::vector<SetRate> rates;
  Count last = 0;
  for (const Count set : sets) {
    const Count size = std::bit_floor(set / sizeof(Cell));
    if (size == last || size < 64) continue;
    last = size;
    const int levels = std::bit_width(size) - 1;
    rates.push_back(
        gather<ExecutionSpace, RandomQuery>(space, "random", cells.data(), size, 32, effort));
    rates.push_back(
        gather<ExecutionSpace, TreeQuery>(space, "tree", cells.data(), size, levels, effort));
  }
  return rates;
}

#define COPSE_INSTANTIATE(Space)                                                                \
  template std::vector<SetRate> measure_gathers<Space>(const Space&, const std::vector<Count>&, \
                                                       const Effort&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::roofline
