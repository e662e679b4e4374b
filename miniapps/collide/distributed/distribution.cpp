#include "distribution.hpp"

#include "records.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <algorithm>
#include <utility>

namespace copse::collide {
namespace {

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

}  // namespace

template <int D, class ExecutionSpace>
Distribution<D, ExecutionSpace>::Distribution(const ExecutionSpace& space, const Region<D>& region,
                                              const Request& request, CountedMessages& messages,
                                              RankCost& cost)
    : space_(space),
      region_(region),
      messages_(messages),
      cost_(cost),
      orb_(request.domains == "orb"),
      cutter_(messages.comm(), space),
      ghosts_(space, request.ghosts == "all" ? GhostMessages::all : GhostMessages::delta),
      needs_(region, 0.0) {}

template <int D, class ExecutionSpace>
void Distribution<D, ExecutionSpace>::reset(double reach, bool sizes, double largest_size) {
  sizes_ = sizes;
  room_ = allocate_state<D, MemorySpace>(0, sizes);
  room_.largest_size = largest_size;
  ghosts_.reset(messages_.ranks(), sizes);
  needs_ = WithinReach<D>(region_, reach);
}

template <int D, class ExecutionSpace>
void Distribution<D, ExecutionSpace>::cut_domains(const State<D, MemorySpace>& state) {
  Domains<D> domains;
  if (orb_) {
    const Count n = state.rows();
    const Points<3, MemorySpace> all(
        workspace_.template get<Real>("collide::own_positions", 3 * n).data(), n);
    Count own = 0;
    Kokkos::parallel_scan("copse::collide::own_positions", CountRange<ExecutionSpace>(space_, 0, n),
                          OwnPositions<D, MemorySpace>{state, all}, own);
    const Points<3, MemorySpace> positions =
        Kokkos::subview(all, std::pair(Count{0}, own), Kokkos::ALL);
    domains = cutter_.cut(region_, positions);
    const DistributedCost& cost = cutter_.cost();
    cost_.domain_bytes += cost.particle_bytes_sent + cost.bytes_reduced;
  } else {
    domains = grid_domains(region_, messages_.ranks());
  }
  owner_.cuts = upload(space_, domains.cuts, workspace_, "collide::cuts");
  neighbours_.clear();
  domain_ = domains.boxes[static_cast<std::size_t>(messages_.rank())];
  for (int r = 0; r < messages_.ranks(); ++r) {
    const auto& box = domains.boxes[static_cast<std::size_t>(r)];
    if (r != messages_.rank() && needs_(box, domain_)) neighbours_.push_back({box, r});
  }
  app::corruptible(neighbours_, domains.boxes, messages_.comm());
}

template <int D, class ExecutionSpace>
Part<D> Distribution<D, ExecutionSpace>::part(double moves) const {
  const double margin = needs_.reach + moves;
  Part<D> part;
  for (int a = 0; a < D; ++a) {
    const double side = region_.side[a];
    part.lower[a] = std::clamp(static_cast<double>(domain_.lower[a]) - margin, 0.0, side);
    part.upper[a] = std::clamp(static_cast<double>(domain_.upper[a]) + margin, part.lower[a], side);
  }
  return part;
}

template <int D, class ExecutionSpace>
auto Distribution<D, ExecutionSpace>::distribute(const State<D, MemorySpace>& from)
    -> State<D, MemorySpace> {
  const Count n = from.rows();
  reserve(n, 0);
  typename SplitRows<D, MemorySpace>::value_type numbers;
  Kokkos::parallel_scan(
      "copse::collide::split_rows", CountRange<ExecutionSpace>(space_, 0, n),
      SplitRows<D, MemorySpace>{from, room_, owner_, messages_.rank(),
                                workspace_.template get<LocalIndex>("collide::leaver", n),
                                workspace_.template get<int>("collide::destination", n)},
      numbers);
  own_count_ = numbers.stay + migrate(from, numbers.stay, numbers.leave);
  cost_.migration_bytes += messages_.take_traffic().bytes;
  ghost_count_ = ghosts_.choose(own(), neighbours_, needs_, messages_);
  reserve(own_count_ + ghost_count_, own_count_);
  const auto all = first_rows(own_count_ + ghost_count_);
  ghosts_.exchange(all, own_count_, messages_);
  cost_.ghost_bytes += messages_.take_traffic().bytes;
  return all;
}

template <int D, class ExecutionSpace>
Count Distribution<D, ExecutionSpace>::migrate(const State<D, MemorySpace>& from, Count stay,
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
  const ExchangePlan words = in_words(plan, stride);
  const Count arrive = plan.receive.total();
  const Words sent = workspace_.template get<std::uint32_t>("collide::leaving", leave * stride);
  const Words received =
      workspace_.template get<std::uint32_t>("collide::arriving", arrive * stride);
  Kokkos::parallel_for("copse::collide::pack_migrants",
                       CountRange<ExecutionSpace>(space_, 0, leave),
                       PackRecords<D, MemorySpace>{from, rows, columns, sent});
  messages_.exchange(words, sent, received);
  reserve(stay + arrive, stay);
  Kokkos::parallel_for("copse::collide::unpack_migrants",
                       CountRange<ExecutionSpace>(space_, 0, arrive),
                       UnpackRecords<D, MemorySpace>{received, columns, room_, stay, {}, 0});
  return arrive;
}

template <int D, class ExecutionSpace>
void Distribution<D, ExecutionSpace>::reserve(Count rows, Count keep) {
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
auto Distribution<D, ExecutionSpace>::first_rows(Count count) const -> State<D, MemorySpace> {
  const auto range = std::pair(Count{0}, count);
  State<D, MemorySpace> first;
  first.position = Kokkos::subview(room_.position, range, Kokkos::ALL);
  first.velocity = Kokkos::subview(room_.velocity, range, Kokkos::ALL);
  first.tag = Kokkos::subview(room_.tag, range);
  if (sizes_) first.size = Kokkos::subview(room_.size, range);
  first.largest_size = room_.largest_size;
  return first;
}

template <int D, class ExecutionSpace>
State<D, Kokkos::HostSpace> with_ghosts(const Communicator& comm, const ExecutionSpace& space,
                                        const Request& request, const Region<D>& region,
                                        State<D, typename ExecutionSpace::memory_space> state,
                                        double reach) {
  state.size = {};
  if (comm.size() == 1) return copy_state<Kokkos::HostSpace>(state);
  CountedMessages messages(comm);
  RankCost cost;
  Distribution<D, ExecutionSpace> distribution(space, region, request, messages, cost);
  distribution.reset(reach, false, 1.0);
  distribution.cut_domains(state);
  return copy_state<Kokkos::HostSpace>(distribution.distribute(state));
}

#define COPSE_INSTANTIATE(D, Space)                                        \
  template class Distribution<D, Space>;                                   \
  template State<D, Kokkos::HostSpace> with_ghosts(                        \
      const Communicator&, const Space&, const Request&, const Region<D>&, \
      State<D, typename Space::memory_space>, double);
#define COPSE_INSTANTIATE_BOTH(Space) COPSE_INSTANTIATE(2, Space) COPSE_INSTANTIATE(3, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE_BOTH)
#undef COPSE_INSTANTIATE_BOTH
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
