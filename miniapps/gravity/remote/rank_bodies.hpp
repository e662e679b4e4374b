#pragma once
/// \file
/// The bodies of one rank, and how they move to their owners.

#include "../body_tree.hpp"
#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/radix_sort.hpp>
#include <copse/backend/backends.hpp>
#include <copse/domains/counted_messages.hpp>
#include <copse/particles/destination_order.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse::gravity {

/// Invariant: ids ascend. An id is the body's row in the input of all ranks.
template <class MemorySpace>
struct RankBodies {
  using Exact = Kokkos::View<double* [3], Kokkos::LayoutLeft, MemorySpace>;

  Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace> id;
  Points<3, MemorySpace> position;
  Column<MemorySpace> mass;
  Column<MemorySpace> softening;  ///< spline lengths, or empty
  Column<MemorySpace> pulls;  ///< |a| of the last fields, G = 1; empty: not the relative criterion
  Column<MemorySpace> work;   ///< flops of the last walk; empty: none yet
  Exact exact, velocity;      ///< of bodies that move, or empty

  Count size() const { return position.extent(0); }
};

template <class Ids>
struct NumberFrom {
  Ids ids;
  Count first;
  KOKKOS_FUNCTION void operator()(Count i) const { ids(i) = first + i; }
};

/// The ids of n bodies that are consecutive rows of the input. Returns when the work is done.
template <class ExecutionSpace>
auto ids_from(const ExecutionSpace& space, Count first, Count n) {
  decltype(RankBodies<typename ExecutionSpace::memory_space>::id) ids("copse::gravity::id", n);
  Kokkos::parallel_for("copse::gravity::first_ids", CountRange<ExecutionSpace>(space, 0, n),
                       NumberFrom<decltype(ids)>{ids, first});
  space.fence("copse::gravity::first_ids");
  return ids;
}

/// Sends bodies to their owners; keeps its work arrays.
template <class ExecutionSpace>
class BodyExchange {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  BodyExchange(const ExecutionSpace& space, CountedMessages& messages)
      : space_(space), messages_(messages) {}

  /// `destination` has the rank of every body. \return the bodies this rank owns then. Collective.
  RankBodies<MemorySpace> move(const RankBodies<MemorySpace>& bodies,
                               const Kokkos::View<const int*, MemorySpace>& destination) {
    const auto order = order_by_destination(space_, destination, messages_.ranks());
    left_ = bodies.size() - order.counts[static_cast<std::size_t>(messages_.rank())];
    rows_ = order.rows;
    plan_ = messages_.plan(order.counts);
    const Count n = plan_.receive.total();
    sorted_ = Kokkos::View<LocalIndex*, MemorySpace>(
        Kokkos::view_alloc("copse::gravity::by_id", Kokkos::WithoutInitializing), n);
    number_rows("copse::gravity::number", space_, sorted_);
    RankBodies<MemorySpace> owned;
    owned.id = arrived(bodies.id);
    const auto keys = workspace_.template get<std::uint64_t>("gravity::ids", n);
    Kokkos::deep_copy(space_, keys, owned.id);
    sort_by_key(space_, keys, sorted_, workspace_);
    Kokkos::deep_copy(space_, owned.id, keys);
    owned.position = in_order(bodies.position);
    owned.mass = in_order(bodies.mass);
    owned.softening = in_order(bodies.softening);
    owned.pulls = in_order(bodies.pulls);
    owned.work = in_order(bodies.work);
    owned.exact = in_order(bodies.exact);
    owned.velocity = in_order(bodies.velocity);
    space_.fence("copse::gravity::move_bodies");
    return owned;
  }

  /// Bodies that left this rank in the last move.
  Count left() const { return left_; }

 private:
  template <class View>
  static View allocate(Count n) {
    return View(Kokkos::view_alloc("copse::gravity::moved", Kokkos::WithoutInitializing), n);
  }
  /// A column of the arriving bodies, by rank.
  template <class View>
  View arrived(const View& column) {
    const View sent = allocate<View>(rows_.extent(0));
    gather_rows("copse::gravity::send_bodies", space_, column, sent, rows_);
    const View received = allocate<View>(plan_.receive.total());
    messages_.exchange(plan_, sent, received);
    return received;
  }
  /// The same by id. A column that bodies lack stays empty; ranks without bodies have none of any.
  template <class View>
  View in_order(const View& column) {
    const bool exists = messages_.allreduce(column.extent(0) > 0 ? 1 : 0, Reduction::max) > 0;
    if (!exists) return {};
    const View received = arrived(column);
    const View ordered = allocate<View>(received.extent(0));
    gather_rows("copse::gravity::order_bodies", space_, received, ordered, sorted_);
    return ordered;
  }

  ExecutionSpace space_;
  CountedMessages& messages_;
  Workspace<MemorySpace> workspace_;
  Kokkos::View<LocalIndex*, MemorySpace> rows_, sorted_;
  ExchangePlan plan_;
  Count left_ = 0;
};

}  // namespace copse::gravity
