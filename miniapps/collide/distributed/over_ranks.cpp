#include "over_ranks.hpp"

#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace copse::collide {
namespace {

/// In cutoffs.
constexpr double default_ghost_skin = 1.0;

template <class ExecutionSpace>
using AllRows = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;

/// Rounded positions of the particles that are no ghosts, in their order.
template <int D, class MemorySpace>
struct OwnPositions {
  using value_type = Count;

  State<D, MemorySpace> from;
  Points<3, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Count i, Count& place, const bool final) const {
    if (is_ghost(from.tag(i))) return;
    if (final)
      for (int a = 0; a < 3; ++a)
        to(place, a) = a < D ? static_cast<Real>(from.position(i, a)) : Real(0);
    ++place;
  }
};

/// Copies particles that stay, lists those that leave, and drops ghosts. Orders are kept.
template <int D, class MemorySpace>
struct SplitRows {
  struct value_type {
    Count stay = 0, leave = 0;
  };

  State<D, MemorySpace> from, to;
  Owner<D, MemorySpace> owner;
  int rank;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> leaver;
  Kokkos::View<int*, Kokkos::LayoutLeft, MemorySpace> destination;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = {}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& other) const {
    into.stay += other.stay;
    into.leave += other.leave;
  }
  KOKKOS_FUNCTION void operator()(const Count i, value_type& place, const bool final) const {
    if (is_ghost(from.tag(i))) return;
    Vector<D> x;
    for (int a = 0; a < D; ++a) x[a] = from.position(i, a);
    const int home = owner(x);
    if (home != rank) {
      if (final) {
        leaver(place.leave) = static_cast<LocalIndex>(i);
        destination(place.leave) = home;
      }
      ++place.leave;
      return;
    }
    if (final) {
      for (int a = 0; a < D; ++a) {
        to.position(place.stay, a) = x[a];
        to.velocity(place.stay, a) = from.velocity(i, a);
      }
      to.tag(place.stay) = from.tag(i);
      if (from.size.extent(0) > 0) to.size(place.stay) = from.size(i);
    }
    ++place.stay;
  }
};

template <int D, class MemorySpace>
struct FastestSquare {
  State<D, MemorySpace> particles;

  KOKKOS_FUNCTION void operator()(const Count i, double& most) const {
    if (is_ghost(particles.tag(i))) return;
    double square = 0.0;
    for (int a = 0; a < D; ++a) square += particles.velocity(i, a) * particles.velocity(i, a);
    if (!(square <= most)) most = square;  // NaN too
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
      orb_(request.domains == "orb"),
      rebalance_(request.rebalance),
      skin_(request.skin.value_or(default_ghost_skin)),
      cutter_(comm, space),
      ghosts_(space, request.ghosts == "all" ? GhostMessages::all : GhostMessages::delta),
      refresh_(space),
      needs_(physics.region, physics.force.cutoff) {}

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::load(const State<D, MemorySpace>& state) {
  cost_ = {};
  cost_.first_particles = cost_.last_particles = state.rows();
  if (messages_.ranks() == 1) return method_->load(state);
  // A rank without particles has no sizes to look at.
  sizes_ = messages_.comm().allreduce(state.size.extent(0) > 0 ? 1 : 0, Reduction::max) > 0;
  room_ = allocate_state<D, MemorySpace>(0, sizes_);
  room_.largest_size = state.largest_size;
  ghosts_.reset(messages_.ranks(), sizes_);
  const double reach = physics_.force.cutoff * state.largest_size;
  allowed_ = method_->ghosts_moved(0.0) ? 0.5 * skin_ * reach * (1.0 - 1e-9) : 0.0;
  needs_ = WithinReach<D>(physics_.region, reach + 2.0 * allowed_);
  cut_domains(state);
  method_->load(distribute(state));
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
    method_->advance(1);
    exchange();
  }
}

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::exchange() {
  const bool cut = rebalance_ > 0 && cost_.steps % rebalance_ == 0;
  if (allowed_ > 0.0 && !cut) {
    const double farthest = farthest_move();
    moved_ += farthest;
    if (moved_ <= allowed_) {
      refresh_ghosts();
      method_->ghosts_moved(farthest);
      return;
    }
  }
  if (cut) cut_domains(method_->state());
  method_->load(distribute(method_->state()));
}

template <int D, class ExecutionSpace>
double OverRanks<D, ExecutionSpace>::farthest_move() {
  const auto state = method_->state();
  double square = 0.0;
  Kokkos::parallel_reduce("copse::collide::fastest",
                          AllRows<ExecutionSpace>(space_, 0, state.rows()),
                          FastestSquare<D, MemorySpace>{state}, Kokkos::Max<double>(square));
  square = messages_.allreduce(std::max(square, 0.0), Reduction::max);  // no rows: the least number
  return std::sqrt(square) * physics_.dt * (1.0 + 1e-9);
}

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::refresh_ghosts() {
  if (!refresh_ready_) {
    const Count own = cost_.last_particles;
    const auto range = std::pair(own, own + held_ghosts_);
    const ExchangePlan plan = ghosts_.whole_plan();
    refresh_bytes_ = plan.send.total() * D * sizeof(double);
    const auto own_rows = first_rows(own);
    messages_.clock().complete([&] {
      refresh_.set_up(messages_.comm(), plan, ghosts_.sent_tags(own_rows),
                      Kokkos::subview(room_.tag, range));
    });
    refresh_ready_ = true;
  }
  refresh_.run(method_->state(), messages_.clock());
  cost_.ghost_bytes += refresh_bytes_;
  cost_.ghost_steps += held_ghosts_;
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

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::cut_domains(const State<D, MemorySpace>& state) {
  Domains<D> domains;
  if (orb_) {
    const Count n = state.rows();
    const Points<3, MemorySpace> all(
        workspace_.template get<Real>("collide::own_positions", 3 * n).data(), n);
    Count own = 0;
    Kokkos::parallel_scan("copse::collide::own_positions", AllRows<ExecutionSpace>(space_, 0, n),
                          OwnPositions<D, MemorySpace>{state, all}, own);
    const Points<3, MemorySpace> positions =
        Kokkos::subview(all, std::pair(Count{0}, own), Kokkos::ALL);
    domains = cutter_.cut(physics_.region, positions);
    const DistributedCost& cost = cutter_.cost();
    cost_.domain_bytes += cost.particle_bytes_sent + cost.bytes_reduced;
  } else {
    domains = grid_domains(physics_.region, messages_.ranks());
  }
  owner_.cuts = upload(space_, domains.cuts, workspace_, "collide::cuts");
  neighbours_.clear();
  const auto& mine = domains.boxes[static_cast<std::size_t>(messages_.rank())];
  for (int r = 0; r < messages_.ranks(); ++r) {
    const auto& box = domains.boxes[static_cast<std::size_t>(r)];
    if (r != messages_.rank() && needs_(box, mine)) neighbours_.push_back({box, r});
  }
  app::corruptible(neighbours_, domains.boxes, messages_.comm());
}

template <int D, class ExecutionSpace>
auto OverRanks<D, ExecutionSpace>::distribute(const State<D, MemorySpace>& from)
    -> State<D, MemorySpace> {
  const Count n = from.rows();
  reserve(n, 0);
  typename SplitRows<D, MemorySpace>::value_type numbers;
  Kokkos::parallel_scan(
      "copse::collide::split_rows", AllRows<ExecutionSpace>(space_, 0, n),
      SplitRows<D, MemorySpace>{from, room_, owner_, messages_.rank(),
                                workspace_.template get<LocalIndex>("collide::leaver", n),
                                workspace_.template get<int>("collide::destination", n)},
      numbers);
  const Count own = numbers.stay + migrate(from, numbers.stay, numbers.leave);
  cost_.last_particles = own;
  cost_.migration_bytes += messages_.take_traffic().bytes;
  const Count ghosts = ghosts_.choose(first_rows(own), neighbours_, needs_, messages_);
  reserve(own + ghosts, own);
  const auto all = first_rows(own + ghosts);
  ghosts_.exchange(all, own, messages_);
  cost_.ghost_bytes += messages_.take_traffic().bytes;
  cost_.ghost_steps += ghosts;
  held_ghosts_ = ghosts;
  moved_ = 0.0;
  refresh_ready_ = false;
  return all;
}

template <int D, class ExecutionSpace>
Count OverRanks<D, ExecutionSpace>::migrate(const State<D, MemorySpace>& from, Count stay,
                                            Count leave) {
  using Words = RecordWords<MemorySpace>;
  std::vector<Count> counts(static_cast<std::size_t>(messages_.ranks()), 0);
  RowNumbers<MemorySpace> rows;
  if (leave > 0) {
    const auto leaver = download(workspace_.template get<LocalIndex>("collide::leaver", leave));
    const auto destination = download(workspace_.template get<int>("collide::destination", leave));
    for (const int r : destination) ++counts[static_cast<std::size_t>(r)];
    std::vector<Count> next = consecutive_pieces(counts).offsets;
    std::vector<LocalIndex> sorted(leave);
    for (Count k = 0; k < leave; ++k)
      sorted[next[static_cast<std::size_t>(destination[k])]++] = leaver[k];
    rows = upload(space_, sorted, workspace_, "collide::leaving_rows");
  }
  cost_.migrants += leave;
  const RecordColumns columns{.velocity = true, .tag = true, .size = sizes_};
  const Count stride = columns.template words<D>();
  const ExchangePlan plan = messages_.plan(std::move(counts));
  ExchangePlan words = plan;
  for (ExchangePlan::Side* side : {&words.send, &words.receive}) {
    for (Count& count : side->counts) count *= stride;
    for (Count& offset : side->offsets) offset *= stride;
  }
  const Count arrive = plan.receive.total();
  const Words sent = workspace_.template get<std::uint32_t>("collide::leaving", leave * stride);
  const Words received =
      workspace_.template get<std::uint32_t>("collide::arriving", arrive * stride);
  Kokkos::parallel_for("copse::collide::pack_migrants", AllRows<ExecutionSpace>(space_, 0, leave),
                       PackRecords<D, MemorySpace>{from, rows, columns, sent});
  messages_.exchange(words, sent, received);
  reserve(stay + arrive, stay);
  Kokkos::parallel_for("copse::collide::unpack_migrants",
                       AllRows<ExecutionSpace>(space_, 0, arrive),
                       UnpackRecords<D, MemorySpace>{received, columns, room_, stay, {}, 0});
  return arrive;
}

template <int D, class ExecutionSpace>
void OverRanks<D, ExecutionSpace>::reserve(Count rows, Count keep) {
  if (rows <= room_.rows()) return;
  const auto old = first_rows(keep);
  room_ = allocate_state<D, MemorySpace>(rows + rows / 8 + 64, sizes_);
  room_.largest_size = old.largest_size;
  const auto kept = first_rows(keep);
  Kokkos::deep_copy(space_, kept.position, old.position);
  Kokkos::deep_copy(space_, kept.velocity, old.velocity);
  Kokkos::deep_copy(space_, kept.tag, old.tag);
  if (sizes_) Kokkos::deep_copy(space_, kept.size, old.size);
  space_.fence("copse::collide::reserve");
}

template <int D, class ExecutionSpace>
auto OverRanks<D, ExecutionSpace>::first_rows(Count rows) const -> State<D, MemorySpace> {
  const auto range = std::pair(Count{0}, rows);
  State<D, MemorySpace> first;
  first.position = Kokkos::subview(room_.position, range, Kokkos::ALL);
  first.velocity = Kokkos::subview(room_.velocity, range, Kokkos::ALL);
  first.tag = Kokkos::subview(room_.tag, range);
  if (sizes_) first.size = Kokkos::subview(room_.size, range);
  first.largest_size = room_.largest_size;
  return first;
}

#define COPSE_INSTANTIATE(Space)      \
  template class OverRanks<2, Space>; \
  template class OverRanks<3, Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
