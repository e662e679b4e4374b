/// \file
/// All pairs. The loop over partners ascends by row, which for a loaded state is by id.
#include "../make.hpp"

namespace copse::collide {
namespace {

struct AllRows {
  LocalIndex rows;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(LocalIndex, const F& f) const {
    for (LocalIndex j = 0; j < rows; ++j) f(j);
  }
};

template <int D, class ExecutionSpace>
class BruteForce final : public SearchMethod<D, ExecutionSpace, BruteForce<D, ExecutionSpace>> {
 public:
  using SearchMethod<D, ExecutionSpace, BruteForce>::SearchMethod;

  AllRows search() const { return {static_cast<LocalIndex>(this->state_.rows())}; }
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_brute_force(const ExecutionSpace& space,
                                                  const Physics<D>& physics, const Request&) {
  return std::make_unique<BruteForce<D, ExecutionSpace>>(space, physics);
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(brute_force, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
