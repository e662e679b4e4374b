#include "fragments.hpp"

#include <copse/algorithms/permutation.hpp>
#include <copse/backend/backends.hpp>

#include <utility>

namespace copse::fof {
namespace {

template <class MemorySpace>
struct CountMembers {
  Labels<MemorySpace> local;
  GroupSizes<MemorySpace> members_of_row;
  KOKKOS_FUNCTION void operator()(const Count row) const {
    Kokkos::atomic_add(&members_of_row(local(row)), Count{1});
  }
};

/// Position of an id that is present; ids ascend.
template <class MemorySpace>
KOKKOS_FUNCTION Count row_of(GlobalId wanted, const GlobalLabels<MemorySpace>& id) {
  Count low = 0;
  Count high = id.extent(0);
  while (high - low > 1) {
    const Count middle = low + (high - low) / 2;
    if (id(middle) <= wanted) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

template <class ExecutionSpace>
Fragments<ExecutionSpace>::Fragments(const ExecutionSpace& space, Workspace<MemorySpace>& workspace,
                                     const GlobalLabels<MemorySpace>& id,
                                     const Labels<MemorySpace>& local, bool count_members)
    : space_(space), workspace_(workspace), id_(id), local_(local) {
  const Count n = id.extent(0);
  is_merged_ = workspace.template get<std::uint32_t>("fof::is_merged", n / 32 + 1);
  Kokkos::deep_copy(space, is_merged_, std::uint32_t{0});
  label_of_merged_ = workspace.template get<GlobalId>("fof::label_of_merged", n);
  if (!count_members) return;
  members_of_row_ = workspace.template get<Count>("fof::members_of_row", n);
  Kokkos::deep_copy(space, members_of_row_, Count{0});
  Kokkos::parallel_for("copse::fof::count_members", CountRange<ExecutionSpace>(space, 0, n),
                       CountMembers<MemorySpace>{local, members_of_row_});
}

template <class ExecutionSpace>
auto Fragments<ExecutionSpace>::names(
    const Kokkos::View<const LocalIndex*, MemorySpace>& rows) const -> GlobalLabels<MemorySpace> {
  const auto names = workspace_.template get<GlobalId>("fof::names", rows.extent(0));
  const auto local = local_;
  const auto id = id_;
  Kokkos::parallel_for(
      "copse::fof::name_fragments", CountRange<ExecutionSpace>(space_, 0, rows.extent(0)),
      KOKKOS_LAMBDA(const Count i) { names(i) = id(local(rows(i))); });
  return names;
}

template <class ExecutionSpace>
auto Fragments<ExecutionSpace>::names_of_ghosts(Count ghosts) const -> GlobalLabels<MemorySpace> {
  const auto names = workspace_.template get<GlobalId>("fof::names_of_ghosts", ghosts);
  const auto local = local_;
  const auto id = id_;
  Kokkos::parallel_for(
      "copse::fof::name_fragments_of_ghosts", CountRange<ExecutionSpace>(space_, 0, ghosts),
      KOKKOS_LAMBDA(const Count ghost) {
        const Count own = id.extent(0);
        const LocalIndex label = local(own + ghost);
        names(ghost) = label < own ? id(label) : no_fragment;
      });
  space_.fence("copse::fof::name_fragments_of_ghosts");
  return names;
}

template <class ExecutionSpace>
std::vector<Count> Fragments<ExecutionSpace>::members_of(const std::vector<GlobalId>& names) const {
  const Count n = names.size();
  if (members_of_row_.extent(0) == 0) return std::vector<Count>(n, 0);
  const auto numbers = workspace_.template get<GlobalId>("fof::named_fragments", n);
  Kokkos::deep_copy(numbers, Kokkos::View<const GlobalId*, Kokkos::LayoutLeft, Kokkos::HostSpace>(
                                 names.data(), n));
  const auto id = id_;
  const auto members_of_row = members_of_row_;
  // Replaces fragment names by member counts.
  Kokkos::parallel_for(
      "copse::fof::look_up_members", CountRange<ExecutionSpace>(space_, 0, n),
      KOKKOS_LAMBDA(const Count k) {
        numbers(k) = members_of_row(row_of<MemorySpace>(numbers(k), id));
      });
  space_.fence("copse::fof::look_up_members");
  return numbers_on_host(numbers);
}

template <class ExecutionSpace>
void Fragments<ExecutionSpace>::enter(const std::vector<FragmentLabel>& merged) const {
  const auto table = workspace_.template get<FragmentLabel>("fof::merged", merged.size());
  Kokkos::deep_copy(table,
                    Kokkos::View<const FragmentLabel*, Kokkos::LayoutLeft, Kokkos::HostSpace>(
                        merged.data(), merged.size()));
  const auto id = id_;
  const auto is_merged = is_merged_;
  const auto label_of_merged = label_of_merged_;
  const auto members_of_row = members_of_row_;  // empty if not counted
  // Label and size of a merged fragment's group are stored at the fragment's particle.
  Kokkos::parallel_for(
      "copse::fof::enter_merged", CountRange<ExecutionSpace>(space_, 0, merged.size()),
      KOKKOS_LAMBDA(const Count k) {
        const Count row = row_of<MemorySpace>(table(k).fragment, id);
        Kokkos::atomic_or(&is_merged(row / 32), std::uint32_t{1} << (row % 32));
        label_of_merged(row) = table(k).label;
        if (members_of_row.extent(0) > 0) members_of_row(row) = table(k).members;
      });
}

template <class ExecutionSpace>
auto Fragments<ExecutionSpace>::labels() const -> GlobalLabels<MemorySpace> {
  const Count n = id_.extent(0);
  const auto labels = workspace_.template get<GlobalId>("fof::domain_labels", n);
  const auto local = local_;
  const auto id = id_;
  const auto is_merged = is_merged_;
  const auto label_of_merged = label_of_merged_;
  // The label of a fragment is its name unless the fragment was merged. One bit per particle, which
  // stays in the device cache, saves most particles the look-up.
  Kokkos::parallel_for(
      "copse::fof::domain_labels", CountRange<ExecutionSpace>(space_, 0, n),
      KOKKOS_LAMBDA(const Count row) {
        const LocalIndex first = local(row);
        const bool merged = (is_merged(first / 32) >> (first % 32) & 1) != 0;
        labels(row) = merged ? label_of_merged(first) : id(first);
      });
  space_.fence("copse::fof::domain_labels");
  return labels;
}

template <class ExecutionSpace>
auto Fragments<ExecutionSpace>::members() const -> GroupSizes<MemorySpace> {
  const Count n = members_of_row_.extent(0);
  const auto members = workspace_.template get<Count>("fof::domain_members", n);
  gather_rows("copse::fof::domain_members", space_, members_of_row_, members,
              Kokkos::subview(local_, std::pair(Count{0}, n)));
  space_.fence("copse::fof::domain_members");
  return members;
}

#define COPSE_INSTANTIATE(Space) template class Fragments<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
