#include "gather_rows.hpp"

#include <copse/backend/backends.hpp>

namespace copse::book {
namespace {

template <class ExecutionSpace>
using EachRow = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;

// [begin columns]
template <class MemorySpace>
struct GatherColumns {
  Columns<MemorySpace> from;
  Order<MemorySpace> order;
  Columns<MemorySpace> to;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const LocalIndex row = order(i);
    to.x(i) = from.x(row);
    to.y(i) = from.y(row);
    to.z(i) = from.z(row);
    to.id(i) = from.id(row);
  }
};
// [end columns]

// [begin through_rows]
template <class MemorySpace>
struct Interleave {
  Columns<MemorySpace> from;
  RowArray<MemorySpace> to;

  KOKKOS_FUNCTION void operator()(Count i) const {
    to(i) = Row{from.x(i), from.y(i), from.z(i), from.id(i)};
  }
};

template <class MemorySpace>
struct GatherIntoColumns {
  RowArray<MemorySpace> from;
  Order<MemorySpace> order;
  Columns<MemorySpace> to;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const Row row = from(order(i));
    to.x(i) = row.x;
    to.y(i) = row.y;
    to.z(i) = row.z;
    to.id(i) = row.id;
  }
};
// [end through_rows]

// [begin blocks]
/// Reads sixty-four rows, all in flight, before it writes their numbers to one column after the
/// other.
template <class MemorySpace>
struct GatherBlock {
  static constexpr Count size = 64;
  RowArray<MemorySpace> from;
  Order<MemorySpace> order;
  Columns<MemorySpace> to;

  KOKKOS_FUNCTION void operator()(Count item) const {
    const Count begin = size * item;
    Row row[size];
    for (Count k = 0; k < size; ++k) row[k] = from(order(begin + k));
    for (Count k = 0; k < size; ++k) to.x(begin + k) = row[k].x;
    for (Count k = 0; k < size; ++k) to.y(begin + k) = row[k].y;
    for (Count k = 0; k < size; ++k) to.z(begin + k) = row[k].z;
    for (Count k = 0; k < size; ++k) to.id(begin + k) = row[k].id;
  }
};
// [end blocks]

// [begin rows]
template <class MemorySpace>
struct GatherRows {
  RowArray<MemorySpace> from;
  Order<MemorySpace> order;
  RowArray<MemorySpace> to;

  KOKKOS_FUNCTION void operator()(Count i) const { to(i) = from(order(i)); }
};
// [end rows]

}  // namespace

template <class MemorySpace>
Columns<MemorySpace> make_columns(Count n) {
  const auto named = [](const char* name) {
    return Kokkos::view_alloc(std::string(name), Kokkos::WithoutInitializing);
  };
  Columns<MemorySpace> columns;
  columns.x = decltype(columns.x)(named("copse::book::x"), n);
  columns.y = decltype(columns.y)(named("copse::book::y"), n);
  columns.z = decltype(columns.z)(named("copse::book::z"), n);
  columns.id = decltype(columns.id)(named("copse::book::id"), n);
  return columns;
}

template <class ExecutionSpace>
void gather_columns(const ExecutionSpace& space,
                    const Columns<typename ExecutionSpace::memory_space>& from,
                    Order<typename ExecutionSpace::memory_space> order,
                    const Columns<typename ExecutionSpace::memory_space>& to) {
  using Memory = typename ExecutionSpace::memory_space;
  Kokkos::parallel_for("copse::book::gather_columns",
                       EachRow<ExecutionSpace>(space, 0, order.extent(0)),
                       GatherColumns<Memory>{from, order, to});
  space.fence("copse::book::gather_columns");
}

template <class ExecutionSpace>
void gather_through_rows(const ExecutionSpace& space,
                         const Columns<typename ExecutionSpace::memory_space>& from,
                         Order<typename ExecutionSpace::memory_space> order,
                         const Columns<typename ExecutionSpace::memory_space>& to,
                         RowArray<typename ExecutionSpace::memory_space> between) {
  using Memory = typename ExecutionSpace::memory_space;
  const EachRow<ExecutionSpace> each(space, 0, order.extent(0));
  Kokkos::parallel_for("copse::book::interleave", each, Interleave<Memory>{from, between});
  Kokkos::parallel_for("copse::book::gather_into_columns", each,
                       GatherIntoColumns<Memory>{between, order, to});
  space.fence("copse::book::gather_through_rows");
}

template <class ExecutionSpace>
void gather_by_blocks(const ExecutionSpace& space,
                      const Columns<typename ExecutionSpace::memory_space>& from,
                      Order<typename ExecutionSpace::memory_space> order,
                      const Columns<typename ExecutionSpace::memory_space>& to,
                      RowArray<typename ExecutionSpace::memory_space> between) {
  using Memory = typename ExecutionSpace::memory_space;
  using Each = EachRow<ExecutionSpace>;
  const Count n = order.extent(0), items = n / GatherBlock<Memory>::size;
  Kokkos::parallel_for("copse::book::interleave", Each(space, 0, n),
                       Interleave<Memory>{from, between});
  Kokkos::parallel_for("copse::book::gather_by_blocks", Each(space, 0, items),
                       GatherBlock<Memory>{between, order, to});
  Kokkos::parallel_for("copse::book::gather_into_columns",
                       Each(space, items * GatherBlock<Memory>::size, n),
                       GatherIntoColumns<Memory>{between, order, to});
  space.fence("copse::book::gather_by_blocks");
}

template <class ExecutionSpace>
void gather_rows(const ExecutionSpace& space, RowArray<typename ExecutionSpace::memory_space> from,
                 Order<typename ExecutionSpace::memory_space> order,
                 RowArray<typename ExecutionSpace::memory_space> to) {
  using Memory = typename ExecutionSpace::memory_space;
  Kokkos::parallel_for("copse::book::gather_rows",
                       EachRow<ExecutionSpace>(space, 0, order.extent(0)),
                       GatherRows<Memory>{from, order, to});
  space.fence("copse::book::gather_rows");
}

#define COPSE_INSTANTIATE_MEMORY(SPACE) template Columns<SPACE> make_columns<SPACE>(Count);
COPSE_FOR_EACH_MEMORY_SPACE(COPSE_INSTANTIATE_MEMORY)
#undef COPSE_INSTANTIATE_MEMORY

#define COPSE_INSTANTIATE(SPACE)                                                         \
  template void gather_columns<SPACE>(const SPACE&, const Columns<SPACE::memory_space>&, \
                                      Order<SPACE::memory_space>,                        \
                                      const Columns<SPACE::memory_space>&);              \
  template void gather_through_rows<SPACE>(                                              \
      const SPACE&, const Columns<SPACE::memory_space>&, Order<SPACE::memory_space>,     \
      const Columns<SPACE::memory_space>&, RowArray<SPACE::memory_space>);               \
  template void gather_by_blocks<SPACE>(                                                 \
      const SPACE&, const Columns<SPACE::memory_space>&, Order<SPACE::memory_space>,     \
      const Columns<SPACE::memory_space>&, RowArray<SPACE::memory_space>);               \
  template void gather_rows<SPACE>(const SPACE&, RowArray<SPACE::memory_space>,          \
                                   Order<SPACE::memory_space>, RowArray<SPACE::memory_space>);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::book
