#include "ghost_refresh.hpp"

#include <copse/backend/backends.hpp>

#include <cstdint>
#include <string>

namespace copse::collide {
namespace {

template <class Map, class Tags>
struct InsertTags {
  Map map;
  Tags tags;
  KOKKOS_FUNCTION void operator()(Count k) const { map.insert(tags(k), LocalIndex{0}); }
};

/// Enters the rows of all particles that are in the map.
template <class Map, class Column>
struct EnterRows {
  Map map;
  Column tag;
  KOKKOS_FUNCTION void operator()(Count i) const {
    const auto slot = map.find(tag(i));
    if (map.valid_at(slot)) map.value_at(slot) = static_cast<LocalIndex>(i);
  }
};

template <class Map, class Tags, class Rows>
struct LookUpRows {
  Map map;
  Tags tags;
  Rows rows;
  KOKKOS_FUNCTION void operator()(Count k) const { rows(k) = map.value_at(map.find(tags(k))); }
};

/// Looks for particles in the rows that held them and in the next few, and counts those that are
/// elsewhere.
template <class Column, class Tags, class Rows>
struct FindNear {
  static constexpr std::int64_t furthest = 8;

  Column tag;
  Tags tags;
  Rows rows;
  KOKKOS_FUNCTION void operator()(Count k, Count& elsewhere) const {
    const auto n = static_cast<std::int64_t>(tag.extent(0));
    const std::int64_t before = rows(k);
    for (std::int64_t d = 0; d <= furthest; ++d)
      for (const std::int64_t row : {before - d, before + d})
        if (row >= 0 && row < n && tag(row) == tags(k)) {
          rows(k) = static_cast<LocalIndex>(row);
          return;
        }
    ++elsewhere;
  }
};

template <int D, class Positions, class Rows, class Places>
struct ReadPlaces {
  Positions position;
  Rows rows;
  Places places;
  KOKKOS_FUNCTION void operator()(Count k) const {
    for (int a = 0; a < D; ++a) places(k).x[a] = position(rows(k), a);
  }
};

template <int D, class Positions, class Rows, class Places>
struct WritePlaces {
  Positions position;
  Rows rows;
  Places places;
  KOKKOS_FUNCTION void operator()(Count k) const {
    for (int a = 0; a < D; ++a) position(rows(k), a) = places(k).x[a];
  }
};

}  // namespace

template <int D, class ExecutionSpace>
void GhostRefresh<D, ExecutionSpace>::set_up(const Communicator& comm, const ExchangePlan& plan,
                                             const Tags& sent, const Tags& ghosts) {
  const auto copy = [&](const Tags& tags, const std::string& name) {
    const Kokkos::View<Tag*, Kokkos::LayoutLeft, MemorySpace> kept(
        Kokkos::view_alloc(name, Kokkos::WithoutInitializing), tags.extent(0));
    Kokkos::deep_copy(space_, kept, tags);
    return kept;
  };
  messages_ = std::make_unique<NeighbourExchange<Place, MemorySpace>>(comm, plan);
  sent_ = copy(sent, "copse::collide::sent_tags");
  ghosts_ = copy(ghosts, "copse::collide::ghost_tags");
  sent_rows_ = RowsOf("copse::collide::sent_rows", sent.extent(0));
  ghost_rows_ = RowsOf("copse::collide::ghost_rows", ghosts.extent(0));
  space_.fence("copse::collide::set_up_refresh");
}

template <int D, class ExecutionSpace>
void GhostRefresh<D, ExecutionSpace>::find_rows(const State<D, MemorySpace>& state) {
  using Map = decltype(row_of_);
  const Count sent = sent_.extent(0), ghosts = ghosts_.extent(0);
  row_of_ = Map(static_cast<std::uint32_t>(2 * (sent + ghosts) + 16));
  const auto over = [&](Count n) { return CountRange<ExecutionSpace>(space_, 0, n); };
  Kokkos::parallel_for("copse::collide::insert_tags", over(sent),
                       InsertTags<Map, Tags>{row_of_, sent_});
  Kokkos::parallel_for("copse::collide::insert_tags", over(ghosts),
                       InsertTags<Map, Tags>{row_of_, ghosts_});
  Kokkos::parallel_for("copse::collide::enter_rows", over(state.rows()),
                       EnterRows<Map, decltype(state.tag)>{row_of_, state.tag});
  Kokkos::parallel_for("copse::collide::look_up_rows", over(sent),
                       LookUpRows<Map, Tags, RowsOf>{row_of_, sent_, sent_rows_});
  Kokkos::parallel_for("copse::collide::look_up_rows", over(ghosts),
                       LookUpRows<Map, Tags, RowsOf>{row_of_, ghosts_, ghost_rows_});
}

template <int D, class ExecutionSpace>
void GhostRefresh<D, ExecutionSpace>::start(const State<D, MemorySpace>& state,
                                            CollectiveClock& clock) {
  using Positions = Vectors<D, MemorySpace>;
  using Places = typename NeighbourExchange<Place, MemorySpace>::Elements;
  const auto over = [&](Count n) { return CountRange<ExecutionSpace>(space_, 0, n); };
  const auto elsewhere = [&](const Tags& tags, const RowsOf& rows) {
    Count count = 0;
    Kokkos::parallel_reduce("copse::collide::check_rows", over(tags.extent(0)),
                            FindNear<decltype(state.tag), Tags, RowsOf>{state.tag, tags, rows},
                            count);
    return count;
  };
  if (elsewhere(sent_, sent_rows_) + elsewhere(ghosts_, ghost_rows_) > 0) find_rows(state);
  Kokkos::parallel_for(
      "copse::collide::read_places", over(sent_.extent(0)),
      ReadPlaces<D, Positions, RowsOf, Places>{state.position, sent_rows_, messages_->send()});
  space_.fence("copse::collide::read_places");
  clock.complete([&] { messages_->start(); });
  in_flight_.reset();
}

template <int D, class ExecutionSpace>
double GhostRefresh<D, ExecutionSpace>::finish(const State<D, MemorySpace>& state,
                                               CollectiveClock& clock) {
  using Positions = Vectors<D, MemorySpace>;
  using Places = typename NeighbourExchange<Place, MemorySpace>::Elements;
  const double seconds = in_flight_.seconds();
  clock.complete([&] { messages_->wait(); });
  space_.fence("copse::collide::before_places");  // a kernel since `start` is not communication
  clock.complete([&] { messages_->take(); });
  Kokkos::parallel_for(
      "copse::collide::write_places", CountRange<ExecutionSpace>(space_, 0, ghosts_.extent(0)),
      WritePlaces<D, Positions, RowsOf, Places>{state.position, ghost_rows_, messages_->receive()});
  space_.fence("copse::collide::write_places");
  return seconds;
}

#define COPSE_INSTANTIATE(Space)         \
  template class GhostRefresh<2, Space>; \
  template class GhostRefresh<3, Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
