#include "groups.hpp"

#include "segmented_reduction.hpp"
#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/scan.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <bit>
#include <string>

namespace copse::fof {
namespace {

template <class T, class MemorySpace>
using List = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

template <class MemorySpace>
struct ListRows {
  Labels<MemorySpace> labels;
  List<LocalIndex, MemorySpace> keys;
  List<LocalIndex, MemorySpace> rows;

  KOKKOS_FUNCTION void operator()(Count i) const {
    keys(i) = labels(i);
    rows(i) = static_cast<LocalIndex>(i);
  }
};

/// A component is a run of equal labels in sorted order. Counts the runs, and lists their
/// beginnings if a list is given.
template <class MemorySpace>
struct FindRuns {
  using value_type = Count;
  List<LocalIndex, MemorySpace> keys;
  List<Count, MemorySpace> begins;  ///< [components + 1]

  KOKKOS_FUNCTION bool begins_at(Count i) const { return i == 0 || keys(i) != keys(i - 1); }

  KOKKOS_FUNCTION void operator()(Count i, Count& sum) const { sum += begins_at(i) ? 1 : 0; }

  KOKKOS_FUNCTION void operator()(Count i, Count& sum, bool final) const {
    const bool here = begins_at(i);
    if (final && here) begins(sum) = i;
    sum += here ? 1 : 0;
    if (final && i + 1 == keys.extent(0)) begins(sum) = i + 1;
  }
};

template <class MemorySpace>
struct LargestRun {
  List<Count, MemorySpace> begins;
  KOKKOS_FUNCTION void operator()(Count run, Count& most) const {
    const Count size = begins(run + 1) - begins(run);
    if (size > most) most = size;
  }
};

/// Selects the runs that are groups, in label order, with a sort key that decreases with size.
template <class MemorySpace>
struct SelectRuns {
  using value_type = Count;
  List<Count, MemorySpace> begins;
  Count min_members;
  Count particles;
  List<Count, MemorySpace> keys;       ///< [groups]
  List<LocalIndex, MemorySpace> runs;  ///< [groups]

  KOKKOS_FUNCTION Count size(Count run) const { return begins(run + 1) - begins(run); }

  KOKKOS_FUNCTION void operator()(Count run, Count& sum) const {
    sum += size(run) >= min_members ? 1 : 0;
  }

  KOKKOS_FUNCTION void operator()(Count run, Count& sum, bool final) const {
    const bool is_group = size(run) >= min_members;
    if (final && is_group) {
      keys(sum) = particles - size(run);
      runs(sum) = static_cast<LocalIndex>(run);
    }
    sum += is_group ? 1 : 0;
  }
};

template <class MemorySpace>
struct SizesOfKeys {
  List<Count, MemorySpace> keys;
  Count particles;
  KOKKOS_FUNCTION void operator()(Count g) const { keys(g) = particles - keys(g); }
};

template <class MemorySpace>
struct CopyMembers {
  List<Count, MemorySpace> offsets;
  List<Count, MemorySpace> begins;
  List<LocalIndex, MemorySpace> runs;
  List<LocalIndex, MemorySpace> rows;
  List<LocalIndex, MemorySpace> members;

  KOKKOS_FUNCTION void operator()(Count j) const {
    const Count g = segment_of(offsets, j);
    members(j) = rows(begins(runs(g)) + (j - offsets(g)));
  }
};

template <class View>
auto element(const View& view, Count i) {
  typename View::non_const_value_type value{};
  Kokkos::deep_copy(value, Kokkos::subview(view, i));
  return value;
}

template <class T, class MemorySpace>
List<T, MemorySpace> allocate(const char* label, Count n) {
  return List<T, MemorySpace>(
      Kokkos::view_alloc(std::string("copse::fof::groups::") + label, Kokkos::WithoutInitializing),
      n);
}

}  // namespace

template <class ExecutionSpace>
Groups<typename ExecutionSpace::memory_space> collect_groups(
    const ExecutionSpace& space, const Labels<typename ExecutionSpace::memory_space>& labels,
    Count min_members) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (min_members < 1) throw InputError("the smallest group must have at least 1 member, not 0");
  Kokkos::Profiling::ScopedRegion region("copse::fof::groups");
  const Count n = labels.extent(0);
  Groups<MemorySpace> groups;
  groups.particles = n;
  groups.min_members = min_members;
  if (n == 0) {
    groups.offsets = List<Count, MemorySpace>("copse::fof::groups::offsets", 1);
    return groups;
  }

  Workspace<MemorySpace> workspace;
  const auto label = workspace.template get<LocalIndex>("groups::labels", n);
  const auto rows = workspace.template get<LocalIndex>("groups::rows", n);
  Kokkos::parallel_for("copse::fof::groups::list_rows", CountRange<ExecutionSpace>(space, 0, n),
                       ListRows<MemorySpace>{labels, label, rows});
  sort_by_key(space, label, rows, workspace, std::bit_width(n - 1));

  FindRuns<MemorySpace> find_runs{label, {}};
  Kokkos::parallel_reduce("copse::fof::groups::count_runs", CountRange<ExecutionSpace>(space, 0, n),
                          find_runs, groups.components);
  const auto begins = allocate<Count, MemorySpace>("begins", groups.components + 1);
  find_runs.begins = begins;
  Kokkos::parallel_scan("copse::fof::groups::find_runs", CountRange<ExecutionSpace>(space, 0, n),
                        find_runs);
  const CountRange<ExecutionSpace> runs(space, 0, groups.components);
  Kokkos::parallel_reduce("copse::fof::groups::largest", runs, LargestRun<MemorySpace>{begins},
                          Kokkos::Max<Count>(groups.largest));

  SelectRuns<MemorySpace> select{begins, min_members, n, {}, {}};
  Count selected = 0;
  Kokkos::parallel_reduce("copse::fof::groups::count", runs, select, selected);
  select.keys = allocate<Count, MemorySpace>("keys", selected);
  select.runs = allocate<LocalIndex, MemorySpace>("runs", selected);
  Kokkos::parallel_scan("copse::fof::groups::select", runs, select);
  // Stable sort: groups of equal size stay in label order.
  sort_by_key(space, select.keys, select.runs, workspace, std::bit_width(n));

  groups.offsets = allocate<Count, MemorySpace>("offsets", selected + 1);
  Kokkos::parallel_for("copse::fof::groups::sizes", CountRange<ExecutionSpace>(space, 0, selected),
                       SizesOfKeys<MemorySpace>{select.keys, n});
  exclusive_scan(space, select.keys, groups.offsets);
  space.fence("copse::fof::groups::offsets");
  const Count members = element(groups.offsets, selected);
  groups.members = allocate<LocalIndex, MemorySpace>("members", members);
  Kokkos::parallel_for(
      "copse::fof::groups::members", CountRange<ExecutionSpace>(space, 0, members),
      CopyMembers<MemorySpace>{groups.offsets, begins, select.runs, rows, groups.members});
  space.fence("copse::fof::groups::members");
  return groups;
}

#define COPSE_COLLECT_GROUPS(Space)                                 \
  template Groups<Space::memory_space> collect_groups(const Space&, \
                                                      const Labels<Space::memory_space>&, Count);
COPSE_FOR_EACH_BACKEND(COPSE_COLLECT_GROUPS)

}  // namespace copse::fof
