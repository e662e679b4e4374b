#pragma once
/// \file
/// Repeated messages to fixed neighbours, for example to refresh ghosts every step.
///
/// Invariants
///  - A rank exchanges one message with each rank, itself included, that it sends elements to or
///    receives elements from, and none with the others. Messages longer than the communicator's
///    `max_message_bytes()` are cut.
///  - Buffers and persistent MPI requests are created once. If MPI cannot access device memory,
///    elements are staged in pinned host memory, even where devices can copy from each other.

#include <copse/backend/mpi/communicator.hpp>
#include <copse/backend/mpi/exchange_plan.hpp>
#include <copse/backend/mpi/message_memory.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <type_traits>
#include <vector>

namespace copse {

/// Persistent MPI requests of one exchange. The destructor waits for messages in flight.
class PersistentMessages {
 public:
  PersistentMessages() = default;
  ~PersistentMessages();
  PersistentMessages(const PersistentMessages&) = delete;
  PersistentMessages& operator=(const PersistentMessages&) = delete;

  void set_up(const Communicator& comm, const ExchangePlan& plan, const void* send, void* receive,
              std::size_t element_bytes);
  void start();
  void finish();
  Count messages() const { return requests_.size(); }

 private:
  std::vector<MPI_Request> requests_;  ///< receives first
  bool in_flight_ = false;
};

/// Exchanges elements of any trivially copyable type T by a fixed plan. The constructor is
/// collective: all ranks of the communicator construct their exchanges in the same order. `start`
/// and `finish` involve only neighbours, and several exchanges may be in flight. The communicator
/// must outlive the exchange.
template <class T, class MemorySpace>
class NeighbourExchange {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using Elements = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  /// `plan` comes from Communicator::plan_exchange.
  NeighbourExchange(const Communicator& comm, const ExchangePlan& plan)
      : send_(Kokkos::view_alloc("copse::backend::neighbour_send", Kokkos::WithoutInitializing),
              plan.send.total()),
        receive_(
            Kokkos::view_alloc("copse::backend::neighbour_receive", Kokkos::WithoutInitializing),
            plan.receive.total()),
        staged_(!in_host_memory<Elements> && !comm.gpu_aware()) {
    if (staged_) {
      staged_send_ = send_staging_.room_for<T>(send_.extent(0));
      staged_receive_ = receive_staging_.room_for<T>(receive_.extent(0));
    }
    messages_.set_up(comm, plan, staged_ ? staged_send_.data() : send_.data(),
                     staged_ ? staged_receive_.data() : receive_.data(), sizeof(T));
  }

  /// [plan.send.total()] ordered by destination; the caller fills it before each `start`.
  const Elements& send() const { return send_; }
  /// [plan.receive.total()] ordered by source; valid from `finish` to the next `start`.
  const Elements& receive() const { return receive_; }

  /// Sends `send()`, which may be overwritten after `finish`. Fences first.
  void start() {
    Kokkos::fence("copse::backend::before_message");
    if (staged_) Kokkos::deep_copy(staged_send_, send_);
    messages_.start();
  }
  void finish() {
    wait();
    take();
  }
  /// The parts of `finish`: waits for the messages, and copies staged elements to the device, where
  /// the copy also waits for kernels.
  void wait() { messages_.finish(); }
  void take() {
    if (staged_) Kokkos::deep_copy(receive_, staged_receive_);
  }

  /// Messages that this rank sends and receives in one exchange.
  Count messages() const { return messages_.messages(); }

 private:
  Elements send_;
  Elements receive_;
  bool staged_;
  StagingBuffer send_staging_;
  StagingBuffer receive_staging_;
  FlatView<T, PinnedSpace> staged_send_;
  FlatView<T, PinnedSpace> staged_receive_;
  PersistentMessages messages_;  ///< last: destroyed before the buffers
};

}  // namespace copse
