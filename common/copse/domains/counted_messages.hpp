#pragma once
/// \file
/// Collective exchanges that are timed and counted.

#include <copse/backend/mpi/communicator.hpp>
#include <copse/domains/collective_clock.hpp>

#include <utility>
#include <vector>

namespace copse {

/// Data this rank has sent to other ranks since the last reset.
struct Traffic {
  Count bytes = 0;
  int exchanges = 0;
};

/// A communicator whose exchanges are timed and counted. All methods are collective.
class CountedMessages {
 public:
  explicit CountedMessages(const Communicator& comm) : comm_(comm) {}

  const Communicator& comm() const { return comm_; }
  int rank() const { return comm_.rank(); }
  int ranks() const { return comm_.size(); }

  CollectiveClock& clock() { return clock_; }
  /// Returns the traffic counted so far and resets the counter.
  Traffic take_traffic() { return std::exchange(traffic_, {}); }

  ExchangePlan plan(std::vector<Count> send_counts) {
    ExchangePlan plan;
    clock_.communicate(comm_, [&] { plan = comm_.plan_exchange(std::move(send_counts)); });
    return plan;
  }

  /// Communicator::alltoallv.
  template <AnyView Send, AnyView Receive>
  void exchange(const ExchangePlan& plan, const Send& send, const Receive& receive) {
    clock_.communicate(comm_, [&] { comm_.alltoallv(plan, send, receive); });
    const Count rows = plan.send.total() - plan.send.counts[comm_.rank()];
    traffic_.bytes += rows * send.extent(1) * sizeof(typename Send::value_type);
    ++traffic_.exchanges;
  }

  /// Exchanges host arrays, including the counts. \return the received elements, by source rank
  template <class T>
  std::vector<T> exchange(std::vector<Count> send_counts, const std::vector<T>& send) {
    const ExchangePlan agreed = plan(std::move(send_counts));
    std::vector<T> received(agreed.receive.total());
    using Sent = Kokkos::View<const T*, Kokkos::LayoutLeft, Kokkos::HostSpace>;
    using Received = Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace>;
    exchange(agreed, Sent(send.data(), send.size()), Received(received.data(), received.size()));
    return received;
  }

  /// Communicator::allreduce.
  template <class T>
  T allreduce(T value, Reduction reduction) {
    clock_.communicate(comm_, [&] { value = comm_.allreduce(value, reduction); });
    return value;
  }

 private:
  const Communicator& comm_;
  CollectiveClock clock_;
  Traffic traffic_;
};

}  // namespace copse
