#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/destination_order.hpp>
#include <copse/particles/exchange.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace copse {

namespace {

template <class To, class From, class Rows>
struct PackRows {
  To to;
  From from;
  Rows rows;

  KOKKOS_FUNCTION void operator()(Count i) const { to(i) = from(rows(i)); }
};

constexpr std::array<const char*, 6> column_names{"velocity", "mass",    "id",
                                                  "weight",   "species", "softening"};

std::array<bool, 6> as_flags(const ColumnSet& c) {
  return {c.velocity, c.mass, c.id, c.weight, c.species, c.softening};
}

/// The columns of the ranks that hold particles.
ColumnSet agree_on_columns(const Communicator& comm, const ColumnSet& mine, Count rows) {
  constexpr std::size_t n = column_names.size();
  std::array<std::uint8_t, 2 * n> present_then_absent{};
  const auto flags = as_flags(mine);
  for (std::size_t c = 0; c < n && rows > 0; ++c) present_then_absent[flags[c] ? c : n + c] = 1;
  comm.allreduce(std::span(present_then_absent), Reduction::max);
  for (std::size_t c = 0; c < n; ++c)
    if (present_then_absent[c] && present_then_absent[n + c])
      throw std::invalid_argument("particle exchange: only some ranks have the column " +
                                  std::string(column_names[c]));
  const auto has = [&](std::size_t c) { return present_then_absent[c] != 0; };
  return {has(0), has(1), has(2), has(3), has(4), has(5)};
}

void check_destinations(const Communicator& comm, Count invalid, bool same_length) {
  if (comm.allreduce(same_length ? 0 : 1, Reduction::max) != 0)
    throw std::invalid_argument("a particle exchange needs one destination per particle");
  const Count bad = comm.allreduce(invalid, Reduction::sum);
  if (bad > 0)
    throw std::invalid_argument("particle exchange with " + std::to_string(bad) +
                                " destinations outside the " + std::to_string(comm.size()) +
                                " ranks");
}

void check_capacity(const Communicator& comm, Count incoming) {
  const Count largest = comm.allreduce(incoming, Reduction::max);
  if (largest > max_particles_per_rank)
    throw InputError("a rank would receive " + std::to_string(largest) +
                     " particles but can hold 2^32: use more ranks");
}

/// Arguments shared by the moves of all columns.
template <class ExecutionSpace>
struct Transfer {
  using MemorySpace = typename ExecutionSpace::memory_space;

  ExecutionSpace exec;
  const Communicator& comm;
  ExchangePlan plan;
  Kokkos::View<LocalIndex*, MemorySpace> rows;
  Kokkos::View<std::uint64_t*, MemorySpace> pack_buffer;  ///< [n], large enough for any element
                                                          ///< type
};

template <class ExecutionSpace, class ViewType>
void move_column(const Transfer<ExecutionSpace>& transfer, const ViewType& from,
                 const ViewType& to) {
  using T = typename ViewType::value_type;
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Rows = Kokkos::View<LocalIndex*, MemorySpace>;
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  if constexpr (ViewType::rank() == 2) {
    for (std::size_t axis = 0; axis < from.extent(1); ++axis)
      move_column(transfer, Kokkos::subview(from, Kokkos::ALL, axis),
                  Kokkos::subview(to, Kokkos::ALL, axis));
  } else {
    const FlatView<T, MemorySpace> packed(reinterpret_cast<T*>(transfer.pack_buffer.data()),
                                          from.extent(0));
    Kokkos::parallel_for(
        "copse::particles::pack", CountRange<ExecutionSpace>(transfer.exec, 0, from.extent(0)),
        PackRows<FlatView<T, MemorySpace>, ViewType, Rows>{packed, from, transfer.rows});
    transfer.comm.alltoallv(transfer.plan, packed, to);
  }
}

}  // namespace

template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> exchange_particles(
    const ExecutionSpace& exec, const Communicator& comm,
    const Particles<typename ExecutionSpace::memory_space>& particles,
    const Kokkos::View<const int*, typename ExecutionSpace::memory_space>& destination) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::Profiling::ScopedRegion region("copse::particles::exchange");
  const Count n = particles.size();
  check_destinations(comm, count_invalid_destinations(exec, destination, comm.size()),
                     destination.extent(0) == n);
  const ColumnSet columns = agree_on_columns(comm, columns_of(particles), n);

  const auto order = order_by_destination(exec, destination, comm.size());
  const Transfer<ExecutionSpace> transfer{
      exec, comm, comm.plan_exchange(order.counts), order.rows,
      Kokkos::View<std::uint64_t*, MemorySpace>(
          Kokkos::view_alloc(exec, "copse::particles::pack_buffer", Kokkos::WithoutInitializing),
          n)};
  const Count incoming = transfer.plan.receive.total();
  check_capacity(comm, incoming);

  auto received = allocate_particles<MemorySpace>(incoming, columns);
  received.box = particles.box;
  move_column(transfer, particles.position, received.position);
  if (columns.velocity) move_column(transfer, particles.velocity, received.velocity);
  if (columns.mass) move_column(transfer, particles.mass, received.mass);
  if (columns.id) move_column(transfer, particles.id, received.id);
  if (columns.weight) move_column(transfer, particles.weight, received.weight);
  if (columns.species) move_column(transfer, particles.species, received.species);
  if (columns.softening) move_column(transfer, particles.softening, received.softening);
  return received;
}

#define COPSE_INSTANTIATE(SPACE)                                                \
  template Particles<SPACE::memory_space> exchange_particles<SPACE>(            \
      const SPACE&, const Communicator&, const Particles<SPACE::memory_space>&, \
      const Kokkos::View<const int*, SPACE::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
