#include "domains.hpp"

#include <copse/algorithms/gather_rows.hpp>
#include <copse/backend/backends.hpp>

#include <stdexcept>

namespace copse::fof {
namespace {

template <class MemorySpace>
struct NumberRows {
  GlobalLabels<MemorySpace> id;
  GlobalId first;
  KOKKOS_FUNCTION void operator()(const Count row) const { id(row) = first + row; }
};

template <class MemorySpace>
struct FindDomain {
  Points<3, MemorySpace> position;
  Kokkos::View<const OrbCell*, MemorySpace> cells;
  Kokkos::View<int*, Kokkos::LayoutLeft, MemorySpace> domain;

  KOKKOS_FUNCTION void operator()(const Count row) const {
    std::uint32_t slot = 1;
    std::uint32_t leaves_before = 0;
    while (cells(slot).leaves > 1) {
      const OrbCell& cell = cells(slot);
      slot = 2 * slot;
      if (position(row, cell.cut_axis) <= cell.cut) continue;
      leaves_before += cells(slot).leaves;
      ++slot;
    }
    domain(row) = static_cast<int>(leaves_before);
  }
};

template <class MemorySpace>
struct ScatterNumbers {
  Kokkos::View<const std::uint64_t*, Kokkos::LayoutLeft, MemorySpace> from;
  Kokkos::View<const LocalIndex*, MemorySpace> rows;
  Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Count i) const { to(rows(i)) = from(i); }
};

}  // namespace

template <class ExecutionSpace>
Domain<typename ExecutionSpace::memory_space> DomainExchange<ExecutionSpace>::distribute(
    const LinkProblem<MemorySpace>& particles, const Box<3>& box, CountedMessages& messages) {
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;
  const Count n = particles.size();
  const auto id = workspace_.template get<GlobalId>("fof::input_id", n);
  GlobalId first = 0;
  messages.clock().communicate(messages.comm(),
                               [&] { first = messages.comm().exclusive_scan(GlobalId{n}); });
  Kokkos::parallel_for("copse::fof::number_rows", Range(space_, 0, n),
                       NumberRows<MemorySpace>{id, first});
  // With one leaf a rank, every cell that is cut is shared: cutting where the particles are moves
  // them once.
  const auto cut = builder_.build(
      {particles.position, id, {}},
      {.leaves = static_cast<std::uint32_t>(messages.ranks()), .box = box}, Reshuffle::once, false);

  const auto destination = workspace_.template get<int>("fof::domain", n);
  Kokkos::parallel_for("copse::fof::find_domain", Range(space_, 0, n),
                       FindDomain<MemorySpace>{particles.position, cut.tree.cells, destination});
  order_ = order_by_destination(space_, destination, messages.ranks());
  plan_ = messages.plan(order_.counts);

  Domain<MemorySpace> domain;
  domain.position = cut.points.position;
  domain.id = cut.points.id;
  if (plan_.receive.total() != domain.size())
    throw std::logic_error("a particle is not in the domain that its position says");
  if (particles.friendship.velocity_factor > 0) {
    const auto points = [&](const char* name, Count rows) {
      return Points<3, MemorySpace>(workspace_.template get<Real>(name, 3 * rows).data(), rows);
    };
    const Points<3, MemorySpace> packed = points("fof::packed_velocity", n);
    domain.velocity = points("fof::domain_velocity", domain.size());
    gather_rows("copse::fof::pack_velocity", space_, particles.velocity, packed, order_.rows);
    messages.exchange(plan_, packed, domain.velocity);
  }
  return domain;
}

template <class ExecutionSpace>
void DomainExchange<ExecutionSpace>::bring_back(const Numbers& of_domain, const Numbers& mine,
                                                CountedMessages& messages) {
  const Count n = mine.extent(0);
  const auto packed = workspace_.template get<std::uint64_t>("fof::packed_numbers", n);
  messages.exchange(ExchangePlan{plan_.receive, plan_.send}, of_domain, packed);
  Kokkos::parallel_for("copse::fof::scatter_numbers",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space_, 0, n),
                       ScatterNumbers<MemorySpace>{packed, order_.rows, mine});
  space_.fence("copse::fof::scatter_numbers");
}

#define COPSE_INSTANTIATE(Space) template class DomainExchange<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
