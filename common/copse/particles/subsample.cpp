#include <copse/backend/backends.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/particles/subsample.hpp>

#include <fmt/format.h>

#include <limits>

namespace copse {
namespace {

/// Selects the keys that are kept. `everything` means the limit 2^64, which 64 bits cannot
/// represent.
struct KeyLimit {
  std::uint64_t below = 0;
  bool everything = false;

  KOKKOS_FUNCTION bool keeps(std::uint64_t key) const { return everything || key < below; }
};

template <class MemorySpace>
struct Selection {
  typename Particles<MemorySpace>::template Column<GlobalId> id;
  GlobalId first_row;
  std::uint64_t seed;
  KeyLimit limit;

  KOKKOS_FUNCTION bool keeps(Count row) const {
    return limit.keeps(sampling_key(seed, id.extent(0) > 0 ? id(row) : first_row + row));
  }
};

template <class MemorySpace>
using Rows = Kokkos::View<LocalIndex*, MemorySpace>;

template <class MemorySpace>
struct CopyKept {
  Particles<MemorySpace> from;
  Particles<MemorySpace> to;
  Rows<MemorySpace> rows;

  KOKKOS_FUNCTION void operator()(Count slot) const {
    const LocalIndex row = rows(slot);
    for (int a = 0; a < 3; ++a) to.position(slot, a) = from.position(row, a);
    if (to.velocity.extent(0) > 0)
      for (int a = 0; a < 3; ++a) to.velocity(slot, a) = from.velocity(row, a);
    if (to.mass.extent(0) > 0) to.mass(slot) = from.mass(row);
    if (to.id.extent(0) > 0) to.id(slot) = from.id(row);
    if (to.weight.extent(0) > 0) to.weight(slot) = from.weight(row);
    if (to.species.extent(0) > 0) to.species(slot) = from.species(row);
    if (to.softening.extent(0) > 0) to.softening(slot) = from.softening(row);
  }
};

template <class ExecutionSpace, class MemorySpace>
Count count_kept(const ExecutionSpace& space, const Selection<MemorySpace>& selection, Count n) {
  Count kept = 0;
  Kokkos::parallel_reduce(
      "copse::particles::subsample_count", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count row, Count& sum) {
        if (selection.keeps(row)) ++sum;
      },
      kept);
  return kept;
}

template <class ExecutionSpace, class MemorySpace>
Rows<MemorySpace> rows_kept(const ExecutionSpace& space, const Selection<MemorySpace>& selection,
                            Count n) {
  const Count kept = count_kept(space, selection, n);
  Rows<MemorySpace> rows(
      Kokkos::view_alloc("copse::particles::subsample_rows", Kokkos::WithoutInitializing), kept);
  Kokkos::parallel_scan(
      "copse::particles::subsample_list", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count row, Count& slot, const bool last_pass) {
        if (!selection.keeps(row)) return;
        if (last_pass) rows(slot) = static_cast<LocalIndex>(row);
        ++slot;
      });
  return rows;
}

template <class ExecutionSpace, class MemorySpace>
Particles<MemorySpace> copy_kept(const ExecutionSpace& space, const Particles<MemorySpace>& from,
                                 const Selection<MemorySpace>& selection) {
  const Rows<MemorySpace> rows = rows_kept(space, selection, from.size());
  const Count kept = rows.extent(0);
  auto to = allocate_particles<MemorySpace>(kept, columns_of(from));
  to.box = from.box;
  Kokkos::parallel_for("copse::particles::subsample_copy",
                       CountRange<ExecutionSpace>(space, 0, kept),
                       CopyKept<MemorySpace>{from, to, rows});
  space.fence("copse::particles::subsample");
  return to;
}

/// A limit below which exactly `target` keys of all ranks lie, found by bisection. `sum` adds the
/// counts at the middle over all ranks. Any limit between two neighbouring keys will do.
template <class CountBelow>
KeyLimit find_limit(Count target, Count total, const CountBelow& count_below) {
  if (target == total) return {0, true};
  if (target == 0) return {0, false};
  std::uint64_t too_low = 0;
  std::uint64_t too_high = std::numeric_limits<std::uint64_t>::max();
  while (too_high - too_low > 1) {
    const std::uint64_t middle = too_low + (too_high - too_low) / 2;
    const Count below = count_below(middle);
    if (below == target) return {middle, false};
    (below < target ? too_low : too_high) = middle;
  }
  if (count_below(too_high) == target) return {too_high, false};
  throw InputError(fmt::format(
      "cannot sub-sample to exactly {} particles: ids repeat, so the choice is ambiguous", target));
}

/// Limits `selection` to `target` of the keys; each rank has n rows.
template <class ExecutionSpace, class MemorySpace>
void limit_to(const ExecutionSpace& space, Selection<MemorySpace>& selection, Count n, Count target,
              const SumOverRanks& sum) {
  const Count total = sum(n);
  if (target > total)
    throw InputError(fmt::format("cannot sub-sample {} particles out of {}", target, total));
  const auto count_below = [&](std::uint64_t key) {
    selection.limit = {key, false};
    return sum(count_kept(space, selection, n));
  };
  selection.limit = find_limit(target, total, count_below);
}

}  // namespace

template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> subsample_count(
    const ExecutionSpace& space, const Particles<typename ExecutionSpace::memory_space>& particles,
    Count target, std::uint64_t seed, const SumOverRanks& sum, GlobalId first_row) {
  Selection<typename ExecutionSpace::memory_space> selection{particles.id, first_row, seed, {}};
  limit_to(space, selection, particles.size(), target, sum);
  return copy_kept(space, particles, selection);
}

template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> subsample_points(
    const ExecutionSpace& space, const Points<Dim, typename ExecutionSpace::memory_space>& points,
    Count target, std::uint64_t seed) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Selection<MemorySpace> selection{{}, 0, seed, {}};
  limit_to(space, selection, points.extent(0), target, [](Count n) { return n; });
  const Rows<MemorySpace> rows = rows_kept(space, selection, points.extent(0));
  const Points<Dim, MemorySpace> kept(
      Kokkos::view_alloc("copse::particles::subsample", Kokkos::WithoutInitializing),
      rows.extent(0));
  Kokkos::parallel_for(
      "copse::particles::subsample_copy", CountRange<ExecutionSpace>(space, 0, rows.extent(0)),
      KOKKOS_LAMBDA(const Count slot) {
        for (int a = 0; a < Dim; ++a) kept(slot, a) = points(rows(slot), a);
      });
  space.fence("copse::particles::subsample");
  return kept;
}

#define COPSE_INSTANTIATE_SUBSAMPLE(ExecutionSpace)                                                \
  template Particles<ExecutionSpace::memory_space> subsample_count<ExecutionSpace>(                \
      const ExecutionSpace&, const Particles<ExecutionSpace::memory_space>&, Count, std::uint64_t, \
      const SumOverRanks&, GlobalId);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE_SUBSAMPLE)

#define COPSE_INSTANTIATE_SUBSAMPLE_POINTS(ExecutionSpace, Dim)                       \
  template Points<Dim, ExecutionSpace::memory_space> subsample_points<Dim>(           \
      const ExecutionSpace&, const Points<Dim, ExecutionSpace::memory_space>&, Count, \
      std::uint64_t);
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_INSTANTIATE_SUBSAMPLE_POINTS)

}  // namespace copse
