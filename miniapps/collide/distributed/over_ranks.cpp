#include "over_ranks.hpp"

#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/worse.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

namespace copse::collide {
namespace {

/// The largest squared speed, as bits: those of numbers that are not negative are ordered as the
/// numbers, and NaN is above infinity. Hosts compare integers in vectors, which they cannot do with
/// doubles as long as NaN counts.
template <int D, class ExecutionSpace>
struct FastestSquare {
  static constexpr Count rows = runs_on_host<ExecutionSpace> ? 1024 : 1;  ///< of a block

  State<D, typename ExecutionSpace::memory_space> particles;

  KOKKOS_FUNCTION void operator()(const Count block, std::uint64_t& most) const {
    const Count last = (block + 1) * rows, all = particles.rows();
    const Count end = last < all ? last : all;
    std::uint64_t here = 0;
    for (Count i = block * rows; i < end; ++i) {
      double square = 0.0;
      for (int a = 0; a < D; ++a) square += particles.velocity(i, a) * particles.velocity(i, a);
      const auto bits = Kokkos::bit_cast<std::uint64_t>(square);
      const std::uint64_t own = is_ghost(particles.tag(i)) ? 0 : bits;
      here = own > here ? own : here;
    }
    most = here > most ? here : most;
  }
};

/// The clock runs while one of these is alive; its times are added to the cost.
class Timed {
 public:
  Timed(CollectiveClock& clock, RankCost& cost) : clock_(clock), cost_(cost) { clock_.start(); }
  ~Timed() {
    clock_.stop();
    cost_.compute_seconds += clock_.compute_seconds();
    cost_.communicate_seconds += clock_.communicate_seconds();
    cost_.wait_seconds += clock_.wait_seconds();
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  CollectiveClock& clock_;
  RankCost& cost_;
};

}  // namespace

template <int D, class ExecutionSpace>
OverRanks<D, ExecutionSpace>::OverRanks(const Communicator& comm, const ExecutionSpace& space,
                                        std::unique_ptr<Method<D, ExecutionSpace>> method,
                                        const Physics<D>& physics, const Request& request)
    : space_(space),
      messages_(comm),
      method_(std::move(method)),
      physics_(physics),
      rebalance_(request.rebalance),
      skin_(request.skin.value_or(method_->ghost_skin(physics))),
      particles_(space, physics.region, request, messages_, cost_),
      refresh_(space) {}

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::load(const State<D, MemorySpace>& state) {
  cost_ = {};
  cost_.first_particles = cost_.last_particles = state.rows();
  if (messages_.ranks() == 1) return method_->load(state);
  // A rank without particles has no sizes to look at.
  const bool sizes =
      messages_.comm().allreduce(state.size.extent(0) > 0 ? 1 : 0, Reduction::max) > 0;
  const double reach = physics_.force.cutoff * state.largest_size;
  allowed_ = 0.5 * skin_ * reach * (1.0 - 1e-9);
  particles_.reset(reach + 2.0 * allowed_, sizes, state.largest_size);
  app::corruptible(allowed_, messages_.comm());
  particles_.cut_domains(state);
  distribute(state);
  cost_ = {.first_particles = cost_.last_particles, .last_particles = cost_.last_particles};
}

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::advance(Count steps) {
  const Timed timed(messages_.clock(), cost_);
  if (messages_.ranks() == 1) {
    cost_.steps += steps;
    cost_.particle_steps += steps * cost_.last_particles;
    return method_->advance(steps);
  }
  for (Count s = 0; s < steps; ++s) {
    ++cost_.steps;
    cost_.particle_steps += cost_.last_particles;
    if (in_flight_)
      method_->advance_while(farthest_, [this] { receive_ghosts(); });
    else
      method_->advance(1);
    exchange();
  }
  if (!in_flight_) return;
  receive_ghosts();
  method_->ghosts_moved(farthest_);
}

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::exchange() {
  const bool cut = rebalance_ > 0 && cost_.steps % rebalance_ == 0;
  if (allowed_ > 0.0 && !cut) {
    farthest_ = farthest_move();
    moved_ += farthest_;
    if (moved_ <= allowed_) return send_ghosts();
  }
  if (cut) particles_.cut_domains(method_->stored());
  distribute(method_->stored());
}

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::distribute(const State<D, MemorySpace>& from) {
  const auto state = particles_.distribute(from);
  if (!physics_.region.periodic) method_->set_part(particles_.part(allowed_));
  method_->load(state);
  cost_.last_particles = particles_.own().rows();
  cost_.ghost_steps += particles_.ghosts();
  moved_ = 0.0;
  refresh_ready_ = false;
}

template <int D, class ExecutionSpace>
double OverRanks<D, ExecutionSpace>::farthest_move() {
  const auto state = method_->stored();
  using Fastest = FastestSquare<D, ExecutionSpace>;
  const Count blocks = (state.rows() + Fastest::rows - 1) / Fastest::rows;
  std::uint64_t bits = 0;
  Kokkos::parallel_reduce("copse::collide::fastest", CountRange<ExecutionSpace>(space_, 0, blocks),
                          Fastest{state}, Kokkos::Max<std::uint64_t>(bits));
  const double square =
      messages_.allreduce(worse(0.0, std::bit_cast<double>(bits)), Reduction::max);
  return std::sqrt(square) * physics_.dt * (1.0 + 1e-9);
}

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::send_ghosts() {
  if (!refresh_ready_) {
    auto& exchange = particles_.exchange();
    const ExchangePlan plan = exchange.whole_plan();
    refresh_bytes_ = plan.send.total() * D * sizeof(double);
    messages_.clock().complete([&] {
      refresh_.set_up(messages_.comm(), plan, exchange.sent_tags(particles_.own()),
                      particles_.ghost_tags());
    });
    refresh_ready_ = true;
  }
  refresh_.start(method_->stored(), messages_.clock());
  in_flight_ = true;
  cost_.ghost_bytes += refresh_bytes_;
  cost_.ghost_steps += particles_.ghosts();
}

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::receive_ghosts() {
  cost_.hidden_seconds += refresh_.finish(method_->stored(), messages_.clock());
  in_flight_ = false;
}

template <int D, class ExecutionSpace>
ContactSums OverRanks<D, ExecutionSpace>::contacts() {
  ContactSums sums = method_->contacts();
  const Communicator& comm = messages_.comm();
  std::array<std::uint64_t, 3> counts{sums.contacts, sums.fingerprint, sums.candidates};
  std::array<double, 3> values{sums.ratio_sum, sums.potential, sums.virial};
  comm.allreduce(std::span(counts), Reduction::sum);
  comm.allreduce(std::span(values), Reduction::sum);
  sums.least_ratio = comm.allreduce(sums.least_ratio, Reduction::min);
  sums.contacts = counts[0];
  sums.fingerprint = counts[1];
  sums.candidates = counts[2];
  sums.ratio_sum = values[0];
  sums.potential = values[1];
  sums.virial = values[2];
  return sums;
}

#define COPSE_INSTANTIATE(Space)      \
  template class OverRanks<2, Space>; \
  template class OverRanks<3, Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
