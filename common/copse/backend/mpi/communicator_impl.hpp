#pragma once
/// \file
/// The templates of Communicator: each moves typed elements to memory that MPI can access and
/// passes them on as bytes. Included by communicator.hpp only.

#include <copse/backend/mpi/communicator.hpp>

#include <cstring>

namespace copse {

/// A span as a View, so that spans and Views share one path.
template <class T, std::size_t Extent>
FlatView<T, Kokkos::HostSpace> view_of(std::span<T, Extent> values) {
  return FlatView<T, Kokkos::HostSpace>(values.data(), values.size());
}

template <Reducible T>
T Communicator::allreduce(T value, Reduction reduction) const {
  allreduce(std::span<T>(&value, 1), reduction);
  return value;
}

template <Reducible T, std::size_t Extent>
void Communicator::allreduce(std::span<T, Extent> values, Reduction reduction) const {
  allreduce(view_of(values), reduction);
}

template <AnyView V>
void Communicator::allreduce(const V& view, Reduction reduction) const {
  using T = typename V::value_type;
  Kokkos::fence("copse::backend::before_message");
  for_each_column(view, [&](const auto& column) {
    through_message_memory(column, send_staging_, gpu_aware(), [&](T* data) {
      allreduce_elements(data, column.extent(0), mpi_datatype<T>(), sizeof(T), reduction);
    });
  });
}

template <Reducible T>
T Communicator::exclusive_scan(T value) const {
  exclusive_scan(std::span<T>(&value, 1));
  return value;
}

template <Reducible T, std::size_t Extent>
void Communicator::exclusive_scan(std::span<T, Extent> values) const {
  exclusive_scan(view_of(values));
}

template <AnyView V>
void Communicator::exclusive_scan(const V& view) const {
  using T = typename V::value_type;
  Kokkos::fence("copse::backend::before_message");
  for_each_column(view, [&](const auto& column) {
    through_message_memory(column, send_staging_, gpu_aware(), [&](T* data) {
      scan_elements(data, column.extent(0), mpi_datatype<T>(), sizeof(T));
    });
  });
  // MPI leaves rank 0's buffer undefined.
  if (rank_ == 0) Kokkos::deep_copy(view, T{0});
}

template <class T>
requires std::is_arithmetic_v<T> std::vector<T> Communicator::allgather(T value)
const {
  std::vector<T> all(size_);
  allgather_bytes(&value, sizeof(T), all.data());
  return all;
}

template <class T>
requires std::is_arithmetic_v<T> std::vector<T> Communicator::gather(T value, int root)
const {
  return gatherv(std::span<T>(&value, 1), root);
}

template <class T, std::size_t Extent>
std::vector<std::remove_const_t<T>> Communicator::allgatherv(std::span<T, Extent> values) const {
  return collect(plan_gather(values.size()), values);
}

template <class T, std::size_t Extent>
std::vector<std::remove_const_t<T>> Communicator::gatherv(std::span<T, Extent> values,
                                                          int root) const {
  return collect(plan_gather(values.size(), root), values);
}

template <AnyView V>
GatheredView<V> Communicator::allgatherv(const V& view) const {
  return collect(plan_gather(view.extent(0)), view);
}

template <AnyView V>
GatheredView<V> Communicator::gatherv(const V& view, int root) const {
  return collect(plan_gather(view.extent(0), root), view);
}

template <class V>
GatheredView<V> Communicator::collect(const ExchangePlan& plan, const V& view) const {
  static_assert(V::rank() == 1 || V::rank_dynamic() == 1, "the number of columns is a constant");
  GatheredView<V> all(Kokkos::view_alloc("copse::backend::gathered", Kokkos::WithoutInitializing),
                      plan.receive.total());
  alltoallv(plan, view, all);
  return all;
}

template <class T, std::size_t Extent>
std::vector<std::remove_const_t<T>> Communicator::collect(const ExchangePlan& plan,
                                                          std::span<T, Extent> values) const {
  std::vector<std::remove_const_t<T>> all(plan.receive.total());
  alltoallv(plan, view_of(values), view_of(std::span(all)));
  return all;
}

template <AnyView Send, AnyView Receive>
void Communicator::alltoallv(const ExchangePlan& plan, const Send& send,
                             const Receive& receive) const {
  begin_alltoallv(plan, send, receive);
  if constexpr (!in_host_memory<Receive>) finish_alltoallv();
}

template <AnyView Send, AnyView Receive>
void Communicator::begin_alltoallv(const ExchangePlan& plan, const Send& send,
                                   const Receive& receive) const {
  static_assert(Send::rank() == Receive::rank());
  static_assert(std::is_same_v<typename Send::memory_space, typename Receive::memory_space>);
  static_assert(std::is_same_v<typename Send::non_const_value_type, typename Receive::value_type>);
  static_assert(std::is_trivially_copyable_v<typename Receive::value_type>);
  Count send_rows = 0;
  for (std::size_t r = 0; r < plan.send.counts.size(); ++r)
    send_rows = std::max(send_rows, plan.send.offsets[r] + plan.send.counts[r]);
  if (send.extent(0) != send_rows || receive.extent(0) != plan.receive.total() ||
      send.extent(1) != receive.extent(1))
    throw std::invalid_argument("the View of an all-to-all exchange does not match the plan");

  Kokkos::fence("copse::backend::before_message");
  if constexpr (!in_host_memory<Receive>) {
    if (begun_by_peers(plan, send, receive)) return;
  }
  if constexpr (Send::rank() == 1) {
    require_contiguous(send);
    require_contiguous(receive);
    alltoallv_column(plan, send, receive);
  } else {
    for (std::size_t c = 0; c < send.extent(1); ++c) {
      const auto out = Kokkos::subview(send, Kokkos::ALL, c);
      const auto in = Kokkos::subview(receive, Kokkos::ALL, c);
      require_contiguous(out);
      require_contiguous(in);
      alltoallv_column(plan, out, in);
    }
  }
}

/// Returns false on all ranks if the exchange must use another path.
template <class Send, class Receive>
bool Communicator::begun_by_peers(const ExchangePlan& plan, const Send& send,
                                  const Receive& receive) const {
  if (!peers_) return false;
  using T = typename Receive::value_type;
  for_each_column(send, [](const auto&) {});  // throws for columns with gaps
  for_each_column(receive, [](const auto&) {});
  PeerArrays arrays{
      .send = send.data(), .receive = receive.data(), .element_bytes = sizeof(T), .columns = 1};
  if constexpr (Send::rank() == 2) {
    arrays.columns = send.extent(1);
    arrays.send_stride = send.stride(1) * sizeof(T);
    arrays.receive_stride = receive.stride(1) * sizeof(T);
  }
  peers_copy_ = peers_->begin(plan, arrays, least_peer_bytes_);
  return peers_copy_;
}

template <AnyView V>
std::vector<typename V::value_type*> Communicator::open_for_writing(const V& receive) const {
  std::vector<typename V::value_type*> places;
  if constexpr (!in_host_memory<V>) {
    if (!peers_) return places;
    Kokkos::fence("copse::backend::before_message");
    const std::size_t bytes = receive.span() * sizeof(typename V::value_type);
    for (std::byte* place : peers_->open_for_writing(receive.data(), bytes, least_peer_bytes_))
      places.push_back(reinterpret_cast<typename V::value_type*>(place));
  }
  return places;
}

template <class Send, class Receive>
void Communicator::alltoallv_column(const ExchangePlan& plan, const Send& send,
                                    const Receive& receive) const {
  using T = typename Receive::value_type;
  const Count own = plan.send.counts[rank_];
  if (own > 0) {
    const Count from = plan.send.offsets[rank_];
    const Count to = plan.receive.offsets[rank_];
    // Above 80 KiB Kokkos copies with all host threads, which takes longer than the copy itself: 10
    // ms if the ranks have more threads than there are cores.
    constexpr Count few_bytes = Count{4} << 20;
    if (in_host_memory<Receive> && in_host_memory<Send> && own * sizeof(T) <= few_bytes)
      std::memcpy(receive.data() + to, send.data() + from, own * sizeof(T));
    else
      Kokkos::deep_copy(flat_range(receive, to, to + own), flat_range(send, from, from + own));
  }
  if (size_ == 1) return;
  if (in_host_memory<Receive> || gpu_aware()) {
    exchange_with_others(plan, send.data(), receive.data(), sizeof(T));
    return;
  }
  const auto outgoing = send_staging_.room_for<T>(send.extent(0));
  const auto incoming = receive_staging_.room_for<T>(receive.extent(0));
  for (const auto& [begin, end] : shared_with_others(plan.send, rank_))
    Kokkos::deep_copy(flat_range(outgoing, begin, end), flat_range(send, begin, end));
  exchange_with_others(plan, outgoing.data(), incoming.data(), sizeof(T));
  for (const auto& [begin, end] : shared_with_others(plan.receive, rank_))
    Kokkos::deep_copy(flat_range(receive, begin, end), flat_range(incoming, begin, end));
}

}  // namespace copse
