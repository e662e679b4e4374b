/// \file
/// Sweep and prune by one thread: lists of interval ends, sorted in every step by exchanges.
///
/// In a periodic region the lists are circles, so particles near its sides have no images.
#include "../make.hpp"
#include "../sweep/pair_sums.hpp"
#include "../sweep/sweep_lists.hpp"
#include <copse/backend/error.hpp>

namespace copse::collide {
namespace {

template <int D, class ExecutionSpace>
class SweepAndPrune final : public Method<D, ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit SweepAndPrune(const Physics<D>& physics) : physics_(physics) {}

  void load(const State<D, MemorySpace>& state) override {
    state_ = copy_state<MemorySpace>(state);
    const double reach = physics_.force.cutoff * state.largest_size;
    Kokkos::Array<typename SweepLists<D>::Axis, D> axes;
    for (int a = 0; a < D; ++a) axes[a] = {0.0, physics_.region.side[a], physics_.region.periodic};
    lists_.reset(axes, reach);
    steps_ = 0;
    for (LocalIndex i = 0; i < state_.rows(); ++i) {
      const double size = state_.size.extent(0) > 0 ? state_.size(i) : 1.0;
      lists_.add(i, pairs().position(i), physics_.force.cutoff * size);
    }
    lists_.update();
  }

  void ghosts_moved(double) override {
    for (LocalIndex i = 0; i < state_.rows(); ++i)
      if (is_ghost(state_.tag(i))) lists_.move(i, pairs().position(i));
    lists_.update();
  }

  void advance(Count steps) override {
    for (Count s = 0; s < steps; ++s) step();
    steps_ += steps;
  }

  void kick(double time) override {
    const auto& accelerations = accelerate();
    for (LocalIndex i = 0; i < state_.rows(); ++i)
      for (int a = 0; a < D; ++a) state_.velocity(i, a) += time * accelerations[i][a];
  }

  State<D, MemorySpace> state() override { return state_; }

  ContactSums contacts() override {
    ContactSums sums;
    PairSums<D>::measure(pairs(), lists_.pairs(), row(), active(), sums);
    return sums;
  }

  std::map<std::string, double> figures() const override {
    std::map<std::string, double> figures{{"overlaps", static_cast<double>(lists_.pairs().size())}};
    for (int a = 0; a < D && steps_ > 0; ++a)
      figures["swaps_per_step_" + std::string(1, "xyz"[a])] =
          static_cast<double>(lists_.swaps(a)) / static_cast<double>(steps_);
    return figures;
  }

 private:
  Pairs<D, MemorySpace> pairs() const { return {state_, physics_}; }
  auto row() const {
    return [](LocalIndex i) { return i; };
  }
  auto active() const {
    return [this](LocalIndex i) { return !is_ghost(state_.tag(i)); };
  }

  const std::vector<Vector<D>>& accelerate() {
    return sums_.accelerations(pairs(), lists_.pairs(), state_.rows(), row(), active());
  }

  void step() {
    const auto& accelerations = accelerate();
    const auto rows = pairs();
    for (LocalIndex i = 0; i < state_.rows(); ++i) {
      if (is_ghost(state_.tag(i))) continue;
      Vector<D> x = rows.position(i), v;
      for (int a = 0; a < D; ++a) v[a] = state_.velocity(i, a);
      rows.move(accelerations[i], x, v);
      for (int a = 0; a < D; ++a) {
        state_.position(i, a) = x[a];
        state_.velocity(i, a) = v[a];
      }
      lists_.move(i, x);
    }
    lists_.update();
  }

  Physics<D> physics_;
  State<D, MemorySpace> state_;
  SweepLists<D> lists_;
  PairSums<D> sums_;
  Count steps_ = 0;  ///< since the load
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_sweep_and_prune(const ExecutionSpace&,
                                                      const Physics<D>& physics, const Request&) {
  if constexpr (backend_name<ExecutionSpace>() == "serial")
    return std::make_unique<SweepAndPrune<D, ExecutionSpace>>(physics);
  throw InputError("sweep-and-prune runs on serial alone");
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(sweep_and_prune, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
