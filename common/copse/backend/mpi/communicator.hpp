#pragma once
/// \file
/// A group of MPI ranks with typed collectives on scalars, spans and Views.
///
/// - Every method except the queries is collective: all ranks call it, in the same order, with the
///   same reduction or root and, unless the name ends in v, the same number of elements.
/// - Counts are 64-bit. MPI 3 counts in `int`, so longer messages are cut into pieces of at most
///   `max_message_bytes`.
/// - Views are rank-1 and contiguous, or LayoutLeft of rank 2, which are sent column by column.
///   They may be in any memory space. If the space is not the host's and MPI is not GPU-aware
///   (`gpu_aware()`), elements are staged in two pinned host buffers kept by the Communicator.
///   Larger all-to-all exchanges are instead copied between the devices of a node
///   (`copies_peers()`).
/// - Views are fenced before MPI reads them, and are complete when a method returns.
/// - Data other than reduced numbers are sent as bytes: all ranks need the same byte order and ABI.
/// - MPI errors are not fatal; they become MpiError and are reported like any other error. A wrong
///   shape is std::invalid_argument.
/// - Only the thread that initialised MPI may call (MPI_THREAD_FUNNELED).

#include <copse/backend/mpi/exchange_plan.hpp>
#include <copse/backend/mpi/gpu_aware_mpi.hpp>
#include <copse/backend/mpi/message_memory.hpp>
#include <copse/backend/mpi/mpi_call.hpp>
#include <copse/backend/mpi/peer_exchange.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace copse {

/// Far below the 2^31 of `int`, and long enough to make the latency of a message negligible.
inline constexpr std::size_t default_max_message_bytes = std::size_t{1} << 30;

/// Below this size an exchange of device memory is staged on the host, because mapping the memory
/// of other ranks costs more than the copy. Refers to the rank that sends most.
inline constexpr std::size_t default_least_peer_bytes = std::size_t{1} << 20;

template <class V>
concept AnyView = Kokkos::is_view_v<V>;

/// The result of gathering Views of type V: an owning View in the same memory space.
template <class V>
using GatheredView =
    Kokkos::View<typename V::non_const_data_type, Kokkos::LayoutLeft, typename V::memory_space>;

/// Owns a duplicate of an MPI communicator, so its messages cannot match those of other libraries.
/// Must be destroyed before the Runtime.
class Communicator {
 public:
  explicit Communicator(MPI_Comm parent = MPI_COMM_WORLD,
                        std::size_t max_message_bytes = default_max_message_bytes,
                        GpuAwareMpi gpu_aware = gpu_aware_mpi(),
                        std::size_t least_peer_bytes = default_least_peer_bytes);
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm handle() const { return comm_; }

  /// Does MPI accept pointers to device memory?
  bool gpu_aware() const { return gpu_aware_.enabled; }
  /// Are all-to-all exchanges of device memory copied between devices?
  bool copies_peers() const { return peers_ && peers_->usable(); }
  /// The path of device memory to other ranks: "mpi", "peers" or "host".
  const char* device_path() const {
    return gpu_aware() ? "mpi" : copies_peers() ? "peers" : "host";
  }
  /// The reason for this path, as one clause.
  std::string gpu_aware_reason() const;

  std::size_t max_message_bytes() const { return max_message_bytes_; }
  /// A tag for messages that may be in flight at the same time as others (neighbour_exchange.hpp).
  /// Tags agree if all ranks call it equally often; tag 0 is used by all-to-all exchanges. MPI has
  /// at least 32768.
  int next_tag() const { return 1 + last_tag_++ % 32767; }

  /// The ranks that passed the same `color` (>= 0), ordered by key, then by rank.
  Communicator split(int color, int key) const;
  void barrier() const;

  /// Element-wise over all ranks; every rank gets bitwise the same result. The order of
  /// floating-point sums depends on the number of ranks.
  template <Reducible T>
  T allreduce(T value, Reduction reduction) const;
  template <Reducible T, std::size_t Extent>
  void allreduce(std::span<T, Extent> values, Reduction reduction) const;
  template <AnyView V>
  void allreduce(const V& view, Reduction reduction) const;

  /// Element-wise exclusive prefix sum over the ranks; zero on rank 0.
  template <Reducible T>
  T exclusive_scan(T value) const;
  template <Reducible T, std::size_t Extent>
  void exclusive_scan(std::span<T, Extent> values) const;
  template <AnyView V>
  void exclusive_scan(const V& view) const;

  /// One value per rank, in rank order; `gather` returns an empty result except on `root`.
  template <class T>
  requires std::is_arithmetic_v<T> std::vector<T> allgather(T value)
  const;
  template <class T>
  requires std::is_arithmetic_v<T> std::vector<T> gather(T value, int root)
  const;

  /// The elements of all ranks in rank order; the number may differ per rank. `gatherv` returns an
  /// empty result except on `root`. For a View the result is in the same memory space and has the
  /// same columns.
  template <class T, std::size_t Extent>
  std::vector<std::remove_const_t<T>> allgatherv(std::span<T, Extent> values) const;
  template <class T, std::size_t Extent>
  std::vector<std::remove_const_t<T>> gatherv(std::span<T, Extent> values, int root) const;
  template <AnyView V>
  GatheredView<V> allgatherv(const V& view) const;
  template <AnyView V>
  GatheredView<V> gatherv(const V& view, int root) const;

  /// Plans an all-to-all exchange in which this rank sends `send_counts[r]` elements to rank r,
  /// consecutively from its array. One plan serves any number of arrays.
  ExchangePlan plan_exchange(std::vector<Count> send_counts) const;

  /// Exchanges one array by the plan: `receive` gets the pieces in rank order. Pieces are exchanged
  /// pairwise, rank + 1 first, without empty messages; a rank's own piece is copied in its memory
  /// space. `receive` must not overlap `send`; both must have the plan's numbers of rows. Between
  /// devices of a node all pieces and columns are in flight at once.
  template <AnyView Send, AnyView Receive>
  void alltoallv(const ExchangePlan& plan, const Send& send, const Receive& receive) const;

  /// The same in two parts. In between, copies between devices overlap the caller's kernels, which
  /// must not touch either array, and no other all-to-all exchange of device memory may start. On
  /// the other paths the exchange is complete when `begin_alltoallv` returns. Kokkos::fence() waits
  /// for the copies; the fence of an execution space does not.
  template <AnyView Send, AnyView Receive>
  void begin_alltoallv(const ExchangePlan& plan, const Send& send, const Receive& receive) const;
  void finish_alltoallv() const;

  /// Maps the `receive` array of every rank into this process: [size] pointers that a kernel may
  /// write to, nullptr for an empty array. Returns an empty vector on all ranks if devices cannot
  /// access each other's memory or if the arrays are small. Until `finish_writing`, any rank may
  /// write to `receive` and no all-to-all exchange may start. The kernel must have ended before
  /// `finish_writing` is called.
  template <AnyView V>
  std::vector<typename V::value_type*> open_for_writing(const V& receive) const;
  /// Waits until all ranks have called it. Only after `open_for_writing` returned pointers.
  void finish_writing() const { peers_->finish(); }

 private:
  /// A communicator owned by this object alone.
  struct Owned {
    MPI_Comm comm;
  };
  Communicator(Owned owned, std::size_t max_message_bytes, GpuAwareMpi gpu_aware,
               std::size_t least_peer_bytes);

  void allreduce_elements(void* data, Count n, MPI_Datatype type, std::size_t element_bytes,
                          Reduction reduction) const;
  void scan_elements(void* data, Count n, MPI_Datatype type, std::size_t element_bytes) const;
  void allgather_bytes(const void* mine, std::size_t bytes, void* all) const;
  void exchange_with_others(const ExchangePlan& plan, const void* send, void* receive,
                            std::size_t element_bytes) const;
  ExchangePlan plan_gather(Count mine) const;
  ExchangePlan plan_gather(Count mine, int root) const;

  template <class Send, class Receive>
  bool begun_by_peers(const ExchangePlan& plan, const Send& send, const Receive& receive) const;
  template <class Send, class Receive>
  void alltoallv_column(const ExchangePlan& plan, const Send& send, const Receive& receive) const;
  template <class V>
  GatheredView<V> collect(const ExchangePlan& plan, const V& view) const;
  template <class T, std::size_t Extent>
  std::vector<std::remove_const_t<T>> collect(const ExchangePlan& plan,
                                              std::span<T, Extent> values) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::size_t max_message_bytes_;
  std::size_t least_peer_bytes_;
  int rank_ = 0;
  int size_ = 1;
  GpuAwareMpi gpu_aware_;
  std::unique_ptr<PeerExchange> peers_;
  mutable bool peers_copy_ = false;  ///< between begin_alltoallv and finish_alltoallv
  mutable int last_tag_ = 0;
  mutable StagingBuffer send_staging_;
  mutable StagingBuffer receive_staging_;
};

}  // namespace copse

#include <copse/backend/mpi/communicator_impl.hpp>
