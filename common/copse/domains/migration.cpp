#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/domains/migration.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <limits>
#include <numeric>

namespace copse {
namespace {

/// Computes the global index of each received particle; pieces are ordered by source rank.
template <class MemorySpace>
struct NumberArrivals {
  Kokkos::View<const Count*, Kokkos::LayoutLeft, MemorySpace> piece_begin;   ///< [ranks]
  Kokkos::View<const GlobalId*, Kokkos::LayoutLeft, MemorySpace> first_row;  ///< [ranks]
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> row;
  Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace> id;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    Count low = 0;
    Count high = piece_begin.extent(0);
    while (high - low > 1) {
      const Count middle = (low + high) / 2;
      if (piece_begin(middle) <= i) {
        low = middle;
      } else {
        high = middle;
      }
    }
    id(i) = first_row(low) + row(i);
  }
};

}  // namespace

template <class ExecutionSpace>
auto Migration<ExecutionSpace>::points(const std::string& name, Count rows)
    -> Points<3, MemorySpace> {
  return Points<3, MemorySpace>(workspace_.template get<Real>("domains::" + name, 3 * rows).data(),
                                rows);
}

template <class ExecutionSpace>
Domain<typename ExecutionSpace::memory_space> Migration<ExecutionSpace>::move(
    const Points<3, MemorySpace>& position, const Box<3>& box, CountedMessages& messages,
    const DomainOptions& options) {
  const Count n = position.extent(0);
  std::vector<Count> rows_of_rank;
  messages.clock().communicate(messages.comm(),
                               [&] { rows_of_rank = messages.comm().allgather(n); });
  const std::vector<GlobalId> first_row = consecutive_pieces(rows_of_rank).offsets;
  total_ = std::accumulate(rows_of_rank.begin(), rows_of_rank.end(), Count{0});
  narrow_ = options.narrow_numbers && total_ <= std::numeric_limits<std::uint32_t>::max();

  const auto tree = cut(position, first_row, box, messages, options);
  const Points<3, MemorySpace> packed = points("packed", n);
  plan_ = messages.plan(by_leaf_.move(tree, position, packed));
  const Count size = plan_.receive.total();
  if (messages.allreduce(size, Reduction::max) > max_particles_per_rank)
    throw InputError("a domain would hold more than 2^32 particles: use more ranks");

  Domain<MemorySpace> domain;
  room_ = size + size / options.ghost_room;
  domain.position_room = points("position", room_);
  domain.position = first_points(domain.position_room, size);
  messages.exchange(plan_, packed, domain.position);
  const auto rows = workspace_.template get<LocalIndex>("domains::rows", size);
  messages.exchange(plan_, by_leaf_.rows(), rows);
  domain.id = workspace_.template get<GlobalId>("domains::id", size);
  const auto piece_begin =
      upload(space_, plan_.receive.offsets, workspace_, "domains::piece_begin");
  const auto first = upload(space_, first_row, workspace_, "domains::first_row");
  Kokkos::parallel_for("copse::domains::number_arrivals",
                       CountRange<ExecutionSpace>(space_, 0, size),
                       NumberArrivals<MemorySpace>{piece_begin, first, rows, domain.id});
  space_.fence("copse::domains::number_arrivals");
  return domain;
}

template <class ExecutionSpace>
auto Migration<ExecutionSpace>::move_along(const std::string& name,
                                           const Points<3, MemorySpace>& column,
                                           CountedMessages& messages) -> Points<3, MemorySpace> {
  // The previous packed data has been sent, so its memory is free.
  const Points<3, MemorySpace> packed = points("packed", column.extent(0));
  const Points<3, MemorySpace> arrived = points("along_" + name, room_);
  by_leaf_.move_along(column, packed);
  space_.fence("copse::domains::move_along");
  messages.exchange(plan_, packed, first_points(arrived, plan_.receive.total()));
  return arrived;
}

template <class ExecutionSpace>
auto Migration<ExecutionSpace>::cut(const Points<3, MemorySpace>& position,
                                    const std::vector<GlobalId>& first_row, const Box<3>& box,
                                    CountedMessages& messages, const DomainOptions& options)
    -> OrbTree<MemorySpace> {
  const Kokkos::Profiling::ScopedRegion region("copse::domains::cut");
  const auto ranks = static_cast<std::uint32_t>(messages.ranks());
  const DomainSample sample = DomainSample::of(total_, options.sample_rows * ranks);
  const auto some = sample_rows(space_, sample, position,
                                first_row[static_cast<std::size_t>(messages.rank())], workspace_);
  return builder_.build(some, {.leaves = ranks, .box = box}, Reshuffle::once, false).tree;
}

template <class ExecutionSpace>
void Migration<ExecutionSpace>::bring_back(const Numbers& of_domain, const Numbers& mine,
                                           CountedMessages& messages) {
  if (narrow_) {
    const Count n = of_domain.extent(0);
    const auto narrow = workspace_.template get<std::uint32_t>("domains::narrow_numbers", n);
    Kokkos::parallel_for(
        "copse::domains::narrow_numbers", CountRange<ExecutionSpace>(space_, 0, n),
        KOKKOS_LAMBDA(const Count i) { narrow(i) = static_cast<std::uint32_t>(of_domain(i)); });
    take_back(narrow, mine, messages);
  } else {
    take_back(of_domain, mine, messages);
  }
}

template <class ExecutionSpace>
template <class NumbersSent>
void Migration<ExecutionSpace>::take_back(const NumbersSent& of_domain, const Numbers& mine,
                                          CountedMessages& messages) {
  using T = typename NumbersSent::non_const_value_type;
  const auto packed = workspace_.template get<T>("domains::packed_numbers", mine.extent(0));
  messages.exchange(ExchangePlan{plan_.receive, plan_.send}, of_domain, packed);
  by_leaf_.template bring_back<T>(packed, mine);
  space_.fence("copse::domains::bring_back");
}

template <class ExecutionSpace>
Count Migration<ExecutionSpace>::estimate_bytes(Count rows, int ranks, Count columns) {
  const auto leaves = static_cast<std::uint32_t>(ranks);
  const Count points = 3 * sizeof(Real);
  const Count sampled = std::min(rows, default_sample_rows);
  return rows * ((columns + 1) * points + sizeof(LocalIndex) + sizeof(GlobalId) +
                 2 * sizeof(std::uint32_t)) +
         rows / DomainOptions{}.ghost_room * columns * points +
         RowsByLeaf<ExecutionSpace>::estimate_bytes(rows, leaves) +
         sampled * (points + sizeof(GlobalId)) +
         DistributedOrbBuilder<ExecutionSpace>::estimate_bytes(sampled, ranks, leaves,
                                                               Reshuffle::once, false);
}

#define COPSE_INSTANTIATE(Space) template class Migration<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
