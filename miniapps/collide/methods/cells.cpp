/// \file
/// Rows in the order of cells, one particle a thread: candidates are read where they are stored.
#include "cell_method.hpp"

namespace copse::collide {
namespace {

template <int D, class ExecutionSpace>
class Cells final : public CellMethod<D, ExecutionSpace, Cells<D, ExecutionSpace>> {
 public:
  using CellMethod<D, ExecutionSpace, Cells>::CellMethod;
  using typename CellMethod<D, ExecutionSpace, Cells>::MemorySpace;

  void advance_while(double farthest, const std::function<void()>& arrive) override {
    this->step_in_two_parts(farthest, arrive);
  }

  template <class Step>
  void launch_step(const Step& step) {
    // 74 registers leave a third of the threads that a multiprocessor of an H100 could hold, and
    // the kernel waits for loads: 64 registers allow half of them.
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<LocalIndex>,
                                       Kokkos::LaunchBounds<128, 8>>;
    Kokkos::parallel_for("copse::collide::step",
                         Policy(this->space_, 0, static_cast<LocalIndex>(this->now_.rows())), step);
  }
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_cells(const ExecutionSpace& space, const Physics<D>& physics,
                                            const Request& request) {
  return std::make_unique<Cells<D, ExecutionSpace>>(
      space, physics, request.skin.value_or(default_skin(physics)), request.cell_side, 1);
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(cells, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
