/// \file
/// Rows are sorted into cells of a grid; candidates are the rows of near cells.
#include "../make.hpp"
#include <copse/grid/cell_list.hpp>

#include <cmath>

namespace copse::collide {
namespace {

template <int D, class MemorySpace>
struct NearRows {
  CellGrid<D, double> grid;
  CellList<MemorySpace> cells;
  Vectors<D, MemorySpace> position;
  std::uint32_t reach;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(LocalIndex i, const F& f) const {
    Vector<D> x;
    for (int a = 0; a < D; ++a) x[a] = position(i, a);
    grid.for_each_near(grid.coordinates(x), reach,
                       [&](Count cell) { cells.for_each_in(cell, f); });
  }
};

template <int D, class ExecutionSpace>
class Cells final : public SearchMethod<D, ExecutionSpace, Cells<D, ExecutionSpace>> {
 public:
  using Base = SearchMethod<D, ExecutionSpace, Cells>;
  using typename Base::MemorySpace;

  Cells(const ExecutionSpace& space, const Physics<D>& physics, const Request& request)
      : Base(space, physics), sorter_(space), side_(request.cell_side) {}

  void load(const State<D, MemorySpace>& state) override {
    Base::load(state);
    const double cutoff = this->physics_.force.cutoff * state.largest_size;
    const double side = side_ * cutoff;
    // A few cells per particle at most, so that a thin gas does not fill the memory.
    grid_ = CellGrid<D, double>::cover({}, this->physics_.region.side, side,
                                       this->physics_.region.periodic, 8 * state.rows() + 64);
    reach_ = static_cast<std::uint32_t>(std::ceil(cutoff / side));
  }

  NearRows<D, MemorySpace> search() {
    return {grid_,
            sorter_.template sort<D, double>(grid_, this->state_.position),
            this->state_.position, reach_};
  }

 private:
  CellSorter<ExecutionSpace> sorter_;
  CellGrid<D, double> grid_;
  double side_;
  std::uint32_t reach_ = 1;
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_cells(const ExecutionSpace& space, const Physics<D>& physics,
                                            const Request& request) {
  return std::make_unique<Cells<D, ExecutionSpace>>(space, physics, request);
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(cells, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
