#include "whole_groups.hpp"

#include "../pick_rows.hpp"
#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/scan.hpp>
#include <copse/backend/backends.hpp>
#include <copse/particles/destination_order.hpp>
#include <copse/particles/exchange.hpp>

namespace copse::fof {
namespace {

template <class T, class MemorySpace>
using Column = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

/// Index, label and destination of each particle that is sent.
template <class MemorySpace>
struct PickMembers {
  Column<std::uint32_t, MemorySpace> large;
  Column<Count, MemorySpace> place;
  GlobalLabels<MemorySpace> label_of_row;
  GlobalId first_row;
  int ranks;
  Column<LocalIndex, MemorySpace> picked;
  Column<GlobalId, MemorySpace> row;
  Column<GlobalId, MemorySpace> label;
  Column<int, MemorySpace> owner;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    if (large(i) == 0) return;
    const Count k = place(i);
    picked(k) = static_cast<LocalIndex>(i);
    row(k) = first_row + i;
    label(k) = label_of_row(i);
    owner(k) = group_owner(label(k), ranks);
  }
};

/// Received indices ascend, and include that of the label.
template <class MemorySpace>
struct FindLabels {
  Column<GlobalId, MemorySpace> row;
  Column<GlobalId, MemorySpace> label;
  Labels<MemorySpace> labels;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    Count low = 0;
    Count high = i + 1;
    while (high - low > 1) {
      const Count middle = low + (high - low) / 2;
      if (row(middle) <= label(i)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    labels(i) = static_cast<LocalIndex>(low);
  }
};

template <class T, class ExecutionSpace>
Column<T, typename ExecutionSpace::memory_space> column(const ExecutionSpace& space,
                                                        const char* label, Count n) {
  return Column<T, typename ExecutionSpace::memory_space>(
      Kokkos::view_alloc(space, std::string(label), Kokkos::WithoutInitializing), n);
}

/// Sends numbers with the same plan as exchange_particles sends particles.
template <class ExecutionSpace, class MemorySpace>
Column<GlobalId, MemorySpace> send_along(const ExecutionSpace& space, const Communicator& comm,
                                         const ExchangePlan& plan,
                                         const DestinationOrder<MemorySpace>& order,
                                         const Column<GlobalId, MemorySpace>& numbers) {
  const auto packed = column<GlobalId>(space, "copse::fof::packed_numbers", numbers.extent(0));
  const auto received = column<GlobalId>(space, "copse::fof::numbers", plan.receive.total());
  gather_rows("copse::fof::pack_numbers", space, numbers, packed, order.rows);
  comm.alltoallv(plan, packed, received);
  return received;
}

}  // namespace

template <class ExecutionSpace>
WholeGroups<typename ExecutionSpace::memory_space> gather_whole_groups(
    const ExecutionSpace& space, const Communicator& comm,
    const Particles<typename ExecutionSpace::memory_space>& particles,
    const GlobalLabels<typename ExecutionSpace::memory_space>& labels,
    const GroupSizes<typename ExecutionSpace::memory_space>& members, Count min_members) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = particles.size();
  const GlobalId first_row = comm.exclusive_scan(GlobalId{n});
  const auto large = column<std::uint32_t>(space, "copse::fof::in_large_group", n);
  const auto place = column<Count>(space, "copse::fof::place", n + 1);
  Kokkos::parallel_for(
      "copse::fof::in_large_group", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count row) { large(row) = members(row) >= min_members ? 1 : 0; });
  exclusive_scan(space, large, place);
  Count chosen = 0;
  Kokkos::deep_copy(space, chosen, Kokkos::subview(place, n));
  space.fence("copse::fof::in_large_group");

  const PickMembers<MemorySpace> pick{large,
                                      place,
                                      labels,
                                      first_row,
                                      comm.size(),
                                      column<LocalIndex>(space, "copse::fof::picked", chosen),
                                      column<GlobalId>(space, "copse::fof::picked_row", chosen),
                                      column<GlobalId>(space, "copse::fof::picked_label", chosen),
                                      column<int>(space, "copse::fof::picked_owner", chosen)};
  Kokkos::parallel_for("copse::fof::pick_members", CountRange<ExecutionSpace>(space, 0, n), pick);
  WholeGroups<MemorySpace> groups;
  groups.particles =
      exchange_particles(space, comm, pick_rows(space, particles, pick.picked), pick.owner);
  const auto order = order_by_destination(space, pick.owner, comm.size());
  const ExchangePlan plan = comm.plan_exchange(order.counts);
  groups.row = send_along(space, comm, plan, order, pick.row);
  const auto label = send_along(space, comm, plan, order, pick.label);
  groups.labels = column<LocalIndex>(space, "copse::fof::group_labels", label.extent(0));
  Kokkos::parallel_for("copse::fof::find_labels",
                       CountRange<ExecutionSpace>(space, 0, label.extent(0)),
                       FindLabels<MemorySpace>{groups.row, label, groups.labels});
  space.fence("copse::fof::find_labels");
  return groups;
}

#define COPSE_INSTANTIATE(Space)                                                \
  template WholeGroups<Space::memory_space> gather_whole_groups(                \
      const Space&, const Communicator&, const Particles<Space::memory_space>&, \
      const GlobalLabels<Space::memory_space>&, const GroupSizes<Space::memory_space>&, Count);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
