#include "join_links.hpp"

#include <copse/algorithms/union_find.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/relaxed_access.hpp>

namespace copse::book {
namespace {

template <class ExecutionSpace>
using Rows = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;

// [begin plain]
template <class MemorySpace>
struct JoinPlain {
  Links<MemorySpace> links;
  Parents<MemorySpace> parent;

  KOKKOS_FUNCTION LocalIndex root(LocalIndex row) const {
    LocalIndex above = relaxed_load(&parent(row));
    while (above != row) {
      row = above;
      above = relaxed_load(&parent(row));
    }
    return row;
  }

  KOKKOS_FUNCTION void operator()(Count link) const {
    LocalIndex larger = root(links.from(link));
    LocalIndex smaller = root(links.to(link));
    while (larger != smaller) {
      if (larger < smaller) Kokkos::kokkos_swap(larger, smaller);
      // Hook the larger root under the smaller one if it is still a root.
      const LocalIndex seen = Kokkos::atomic_compare_exchange(&parent(larger), larger, smaller);
      if (seen == larger) return;
      larger = root(seen);
    }
  }
};
// [end plain]

// [begin shortened]
template <class MemorySpace>
struct JoinShortened {
  Links<MemorySpace> links;
  UnionFind<MemorySpace> sets;

  KOKKOS_FUNCTION void operator()(Count link) const {
    sets.unite(links.from(link), links.to(link));
  }
};
// [end shortened]

// [begin by_row]
template <class MemorySpace>
struct JoinByRow {
  Links<MemorySpace> links;
  UnionFind<MemorySpace> sets;

  KOKKOS_FUNCTION void operator()(Count i) const {
    LocalIndex mine = sets.find(static_cast<LocalIndex>(i));
    for (Count k = links.per_row * i; k < links.per_row * (i + 1); ++k) {
      LocalIndex larger = mine, smaller = sets.find(links.to(k));
      while (larger != smaller) {
        if (larger < smaller) Kokkos::kokkos_swap(larger, smaller);
        const LocalIndex seen =
            Kokkos::atomic_compare_exchange(&sets.parent(larger), larger, smaller);
        larger = seen == larger ? smaller : sets.find(seen);
      }
      mine = smaller;  // possibly hooked by now, but still a row of the same set
    }
  }
};
// [end by_row]

}  // namespace

template <class ExecutionSpace>
void join_links(const ExecutionSpace& space, Joining joining,
                const Links<typename ExecutionSpace::memory_space>& links,
                const Parents<typename ExecutionSpace::memory_space>& parent) {
  using Memory = typename ExecutionSpace::memory_space;
  const Rows<ExecutionSpace> every_row(space, 0, parent.extent(0));
  const Rows<ExecutionSpace> every_link(space, 0, links.to.extent(0));
  const UnionFind<Memory> sets{parent};
  make_singletons(space, sets);
  switch (joining) {
    case Joining::plain:
      Kokkos::parallel_for("copse::book::join_plain", every_link, JoinPlain<Memory>{links, parent});
      break;
    case Joining::shortened:
      Kokkos::parallel_for("copse::book::join_shortened", every_link,
                           JoinShortened<Memory>{links, sets});
      break;
    case Joining::by_row:
      Kokkos::parallel_for("copse::book::join_by_row", every_row, JoinByRow<Memory>{links, sets});
      break;
  }
  flatten_sets(space, sets);
  space.fence("copse::book::join_links");
}

// [begin instantiate]
#define COPSE_INSTANTIATE(SPACE)                                              \
  template void join_links<SPACE>(const SPACE&, Joining,                      \
                                  const Links<typename SPACE::memory_space>&, \
                                  const Parents<typename SPACE::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE
// [end instantiate]

}  // namespace copse::book
