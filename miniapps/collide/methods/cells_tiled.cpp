/// \file
/// The method cells with candidates in scratch memory: a team loads the rows of a run of cells and
/// of the cells around it once, and its threads test them there.
///
/// A run is a piece of a line of cells along axis 0, so its neighbourhood is 3^(D - 1) pieces of
/// lines, each contiguous in memory, or two pieces where a periodic line ends. Particles look
/// around the cell that they are stored in. Runs with more rows than scratch memory holds read
/// candidates from memory, as cells does.
#include "cell_method.hpp"

namespace copse::collide {
namespace {

/// Bytes of scratch memory for rows: four teams of them fit on a multiprocessor.
constexpr std::size_t tile_bytes = 24 * 1024;
constexpr std::uint32_t most_cells_of_run = 32;
constexpr std::uint32_t most_reach = 4;

template <int D, class ExecutionSpace>
struct StepInTiles {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Team = typename Policy::member_type;
  static constexpr std::uint32_t row_length = most_cells_of_run + 2 * most_reach + 1;
  static constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 128;

  StepInCells<D, MemorySpace> step;
  std::uint32_t run;       ///< cells of a team along axis 0
  std::uint32_t runs;      ///< per line
  std::uint32_t lines;     ///< of cells around a run, at most
  std::uint32_t capacity;  ///< rows in scratch memory

  /// Arrays in scratch memory.
  struct Tile {
    double* position;   ///< [D][capacity]
    double* size;       ///< [capacity], if particles have sizes
    Tag* tag;           ///< [capacity]
    LocalIndex* begin;  ///< [lines][row_length]: place of the first row of each cell
  };

  KOKKOS_FUNCTION static std::size_t bytes_per_row(bool sizes) {
    return D * sizeof(double) + (sizes ? sizeof(double) : 0) + sizeof(Tag);
  }
  KOKKOS_FUNCTION std::size_t bytes_of_tile(bool sizes) const {
    return capacity * bytes_per_row(sizes) +
           static_cast<std::size_t>(lines) * row_length * sizeof(LocalIndex);
  }
  /// With room for alignment.
  std::size_t scratch_bytes() const {
    return bytes_of_tile(step.pairs.particles.size.extent(0) > 0) + 64;
  }

  KOKKOS_FUNCTION Tile tile_of(const Team& team) const {
    const bool sizes = step.pairs.particles.size.extent(0) > 0;
    auto* bytes = static_cast<char*>(team.team_scratch(0).get_shmem_aligned(
        static_cast<int>(bytes_of_tile(sizes)), sizeof(double)));
    Tile tile;
    tile.position = reinterpret_cast<double*>(bytes);
    bytes += D * sizeof(double) * capacity;
    tile.size = reinterpret_cast<double*>(bytes);
    if (sizes) bytes += sizeof(double) * capacity;
    tile.tag = reinterpret_cast<Tag*>(bytes);
    bytes += sizeof(Tag) * capacity;
    tile.begin = reinterpret_cast<LocalIndex*>(bytes);
    return tile;
  }

  /// The cells of the run and `reach` more at both ends, in a wall only as far as there are cells.
  struct Stretch {
    std::uint32_t first = 0;  ///< cell along axis 0; wraps
    std::uint32_t count = 0;
    std::uint32_t own = 0;  ///< index of the run's first cell
  };

  KOKKOS_FUNCTION Stretch stretch_of(std::uint32_t x0, std::uint32_t cells) const {
    const auto& grid = step.near.grid;
    const std::uint32_t reach = step.near.reach, n = grid.cells[0];
    if (grid.periodic) return {x0 >= reach ? x0 - reach : x0 + n - reach, cells + 2 * reach, reach};
    const std::uint32_t first = x0 > reach ? x0 - reach : 0;
    const std::uint32_t end = x0 + cells + reach < n ? x0 + cells + reach : n;
    return {first, end - first, x0 - first};
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (!step.allowed()) return;
    const auto& grid = step.near.grid;
    const auto tile_number = static_cast<Count>(team.league_rank());
    const auto line = tile_number / runs;
    const auto x0 = static_cast<std::uint32_t>(tile_number % runs) * run;
    const std::uint32_t cells = x0 + run < grid.cells[0] ? run : grid.cells[0] - x0;
    const Count base = line * grid.cells[0];
    const LocalIndex first_row = step.near.offsets(base + x0);
    const LocalIndex rows = step.near.offsets(base + x0 + cells) - first_row;
    if (rows == 0) return;
    const Stretch stretch = stretch_of(x0, cells);
    const Tile tile = tile_of(team);
    std::uint32_t own_line = 0, line_count = 0;
    LocalIndex loaded = 0;
    bool fits = stretch.count <= grid.cells[0] || !grid.periodic;
    grid.for_each_near_line(grid.place_of(base + x0), step.near.reach, [&](Count near_base) {
      if (near_base == base) own_line = line_count;
      if (fits) loaded = load_line(team, tile, near_base, stretch, line_count, loaded);
      fits = fits && loaded <= capacity;
      ++line_count;
    });
    team.team_barrier();
    if (!fits) {  // the same for all threads of the team
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows),
                           [&](LocalIndex k) { step(first_row + k); });
      return;
    }
    State<D, MemorySpace> local;
    local.position = Vectors<D, MemorySpace>(tile.position, capacity);
    local.tag = Kokkos::View<Tag*, MemorySpace>(tile.tag, capacity);
    if (step.pairs.particles.size.extent(0) > 0)
      local.size = Kokkos::View<double*, MemorySpace>(tile.size, capacity);
    const Pairs<D, MemorySpace> pairs{local, step.pairs.physics};
    const LocalIndex* const mine = tile.begin + own_line * row_length;
    const LocalIndex place = mine[stretch.own];
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows), [&](LocalIndex k) {
      const LocalIndex i = place + k;
      Vector<D> acceleration{};
      if (!is_ghost(tile.tag[i])) {
        std::uint32_t c = stretch.own;
        while (mine[c + 1] <= i) ++c;
        const std::uint32_t reach = step.near.reach;
        const std::uint32_t low = c > reach ? c - reach : 0;
        const std::uint32_t high = c + reach + 1 < stretch.count ? c + reach + 1 : stretch.count;
        acceleration = pairs.acceleration(i, [&](const auto& f) {
          for (std::uint32_t l = 0; l < line_count; ++l) {
            const LocalIndex* const begin = tile.begin + l * row_length;
            for (LocalIndex j = begin[low]; j < begin[high]; ++j) f(j);
          }
        });
      }
      step.finish(first_row + k, acceleration);
    });
  }

  /// Loads the stretch of one line to `place` in scratch memory, as far as it fits. \return the
  /// place of the next line
  KOKKOS_FUNCTION LocalIndex load_line(const Team& team, const Tile& tile, Count base,
                                       const Stretch& stretch, std::uint32_t line,
                                       LocalIndex place) const {
    const auto& offsets = step.near.offsets;
    const std::uint32_t n = step.near.grid.cells[0];
    const std::uint32_t before_end =
        stretch.first + stretch.count <= n ? stretch.count : n - stretch.first;
    LocalIndex* const begin = tile.begin + line * row_length;
    std::uint32_t done = 0;
    while (done < stretch.count) {
      const Count first_cell = base + (done == 0 ? stretch.first : 0);
      const std::uint32_t piece = done == 0 ? before_end : stretch.count - done;
      const LocalIndex first_row = offsets(first_cell);
      const LocalIndex rows = offsets(first_cell + piece) - first_row;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, piece), [&](std::uint32_t c) {
        begin[done + c] = place + offsets(first_cell + c) - first_row;
      });
      if (place + rows <= capacity) {
        const auto& from = step.pairs.particles;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows), [&](LocalIndex k) {
          for (int a = 0; a < D; ++a)
            tile.position[a * capacity + place + k] = from.position(first_row + k, a);
          tile.tag[place + k] = from.tag(first_row + k);
          if (from.size.extent(0) > 0) tile.size[place + k] = from.size(first_row + k);
        });
      }
      place += rows;
      done += piece;
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { begin[stretch.count] = place; });
    return place;
  }
};

template <int D, class ExecutionSpace>
class CellsTiled final : public CellMethod<D, ExecutionSpace, CellsTiled<D, ExecutionSpace>> {
 public:
  using CellMethod<D, ExecutionSpace, CellsTiled>::CellMethod;
  using typename CellMethod<D, ExecutionSpace, CellsTiled>::MemorySpace;

  void launch_step(const StepInCells<D, MemorySpace>& step) {
    using Step = StepInTiles<D, ExecutionSpace>;
    const auto& grid = this->grid_;
    const std::uint32_t reach = step.near.reach;
    if (reach > most_reach || this->now_.rows() == 0)
      return Kokkos::parallel_for("copse::collide::step", this->rows(), step);
    Step tiles{step, 1, 1, D == 2 ? 2 * reach + 1 : (2 * reach + 1) * (2 * reach + 1), 0};
    const bool sizes = this->now_.size.extent(0) > 0;
    tiles.capacity = static_cast<std::uint32_t>(tile_bytes / Step::bytes_per_row(sizes));
    // As many cells as should fit with a third to spare.
    const double per_cell =
        static_cast<double>(this->now_.rows()) / static_cast<double>(grid.size());
    const double cells = 0.67 * tiles.capacity / (per_cell * tiles.lines) - 2.0 * reach;
    tiles.run =
        static_cast<std::uint32_t>(std::clamp(cells, 1.0, static_cast<double>(most_cells_of_run)));
    tiles.runs = (grid.cells[0] + tiles.run - 1) / tiles.run;
    const Count teams = grid.size() / grid.cells[0] * tiles.runs;
    typename Step::Policy policy(this->space_, static_cast<int>(teams), Step::threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(tiles.scratch_bytes())));
    Kokkos::parallel_for("copse::collide::step_in_tiles", policy, tiles);
  }
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_cells_tiled(const ExecutionSpace& space,
                                                  const Physics<D>& physics,
                                                  const Request& request) {
  return std::make_unique<CellsTiled<D, ExecutionSpace>>(
      space, physics, request.skin.value_or(default_skin(physics)), request.cell_side, 2);
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(cells_tiled, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
