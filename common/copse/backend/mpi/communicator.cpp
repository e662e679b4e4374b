#include <copse/backend/mpi/communicator.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace copse {

namespace {

/// Calls `f(offset, length)` for consecutive pieces of [0, n), none longer than `limit`.
template <class F>
void for_each_piece(Count n, Count limit, F&& f) {
  for (Count offset = 0; offset < n; offset += limit)
    f(offset, static_cast<int>(std::min(limit, n - offset)));
}

MPI_Comm duplicate(MPI_Comm parent) {
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(parent, &copy), "MPI_Comm_dup");
  return copy;
}

}  // namespace

Communicator::Communicator(MPI_Comm parent, std::size_t max_message_bytes, GpuAwareMpi gpu_aware,
                           std::size_t least_peer_bytes)
    : Communicator(Owned{duplicate(parent)}, max_message_bytes, std::move(gpu_aware),
                   least_peer_bytes) {
  if (size_ == 1) return;
  std::unique_ptr<PeerMemory> memory = device_peer_memory();
  if (!memory) return;
  // The environment variable may differ between ranks.
  gpu_aware_.enabled = allreduce<int>(gpu_aware_.enabled, Reduction::min) != 0;
  gpu_aware_.peers = allreduce<int>(gpu_aware_.peers, Reduction::min) != 0;
  if (gpu_aware_.peers) peers_ = std::make_unique<PeerExchange>(comm_, std::move(memory));
}

Communicator::Communicator(Owned owned, std::size_t max_message_bytes, GpuAwareMpi gpu_aware,
                           std::size_t least_peer_bytes)
    : comm_(owned.comm),
      max_message_bytes_(std::clamp(max_message_bytes, std::size_t{1}, default_max_message_bytes)),
      least_peer_bytes_(least_peer_bytes),
      gpu_aware_(std::move(gpu_aware)) {
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
      max_message_bytes_(other.max_message_bytes_),
      least_peer_bytes_(other.least_peer_bytes_),
      rank_(other.rank_),
      size_(other.size_),
      gpu_aware_(std::move(other.gpu_aware_)),
      peers_(std::move(other.peers_)),
      last_tag_(other.last_tag_),
      send_staging_(std::move(other.send_staging_)),
      receive_staging_(std::move(other.receive_staging_)) {}

Communicator::~Communicator() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

Communicator Communicator::split(int color, int key) const {
  if (color < 0) throw std::invalid_argument("the color of a split must not be negative");
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm_, color, key, &part), "MPI_Comm_split");
  Communicator result(Owned{part}, max_message_bytes_, gpu_aware_, least_peer_bytes_);
  if (peers_ && result.size() > 1)
    result.peers_ = std::make_unique<PeerExchange>(result.comm_, *peers_);
  return result;
}

std::string Communicator::gpu_aware_reason() const {
  return gpu_aware_.reason + (peers_ ? "; " + peers_->reason() : "");
}

void Communicator::barrier() const {
  check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
}

void Communicator::allreduce_elements(void* data, Count n, MPI_Datatype type,
                                      std::size_t element_bytes, Reduction reduction) const {
  const Count limit = std::max<Count>(1, max_message_bytes_ / element_bytes);
  for_each_piece(n, limit, [&](Count offset, int length) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, static_cast<std::byte*>(data) + offset * element_bytes,
                            length, type, mpi_operation(reduction), comm_),
              "MPI_Allreduce");
  });
}

void Communicator::scan_elements(void* data, Count n, MPI_Datatype type,
                                 std::size_t element_bytes) const {
  const Count limit = std::max<Count>(1, max_message_bytes_ / element_bytes);
  for_each_piece(n, limit, [&](Count offset, int length) {
    check_mpi(MPI_Exscan(MPI_IN_PLACE, static_cast<std::byte*>(data) + offset * element_bytes,
                         length, type, MPI_SUM, comm_),
              "MPI_Exscan");
  });
}

void Communicator::allgather_bytes(const void* mine, std::size_t bytes, void* all) const {
  const int length = static_cast<int>(bytes);
  check_mpi(MPI_Allgather(mine, length, MPI_BYTE, all, length, MPI_BYTE, comm_), "MPI_Allgather");
}

ExchangePlan Communicator::plan_exchange(std::vector<Count> send_counts) const {
  if (send_counts.size() != static_cast<std::size_t>(size_))
    throw std::invalid_argument("an all-to-all exchange needs one count per rank");
  std::vector<Count> receive_counts(size_);
  check_mpi(MPI_Alltoall(send_counts.data(), 1, MPI_UINT64_T, receive_counts.data(), 1,
                         MPI_UINT64_T, comm_),
            "MPI_Alltoall");
  return {consecutive_pieces(std::move(send_counts)),
          consecutive_pieces(std::move(receive_counts))};
}

ExchangePlan Communicator::plan_gather(Count mine) const {
  // Every rank gets the same elements, so the send side has one piece, shared by all ranks.
  const ExchangePlan::Side send{std::vector<Count>(size_, mine), std::vector<Count>(size_, 0)};
  return {send, consecutive_pieces(allgather(mine))};
}

ExchangePlan Communicator::plan_gather(Count mine, int root) const {
  std::vector<Count> send_counts(size_, 0);
  send_counts.at(root) = mine;
  return plan_exchange(std::move(send_counts));
}

void Communicator::finish_alltoallv() const {
  if (std::exchange(peers_copy_, false)) peers_->finish();
}

void Communicator::exchange_with_others(const ExchangePlan& plan, const void* send, void* receive,
                                        std::size_t element_bytes) const {
  // In step s each rank sends to the rank s above and receives from the rank s below, so that no
  // rank is the target of all others at once. Pieces of one pair arrive in the order sent, so one
  // tag suffices.
  std::vector<MPI_Request> requests;
  for (int step = 1; step < size_; ++step) {
    const int to = (rank_ + step) % size_;
    const int from = (rank_ + size_ - step) % size_;
    const auto* out = static_cast<const std::byte*>(send) + plan.send.offsets[to] * element_bytes;
    auto* in = static_cast<std::byte*>(receive) + plan.receive.offsets[from] * element_bytes;
    requests.clear();
    for_each_piece(plan.receive.counts[from] * element_bytes, max_message_bytes_,
                   [&](Count offset, int length) {
                     check_mpi(MPI_Irecv(in + offset, length, MPI_BYTE, from, 0, comm_,
                                         &requests.emplace_back(MPI_REQUEST_NULL)),
                               "MPI_Irecv");
                   });
    for_each_piece(plan.send.counts[to] * element_bytes, max_message_bytes_,
                   [&](Count offset, int length) {
                     check_mpi(MPI_Isend(out + offset, length, MPI_BYTE, to, 0, comm_,
                                         &requests.emplace_back(MPI_REQUEST_NULL)),
                               "MPI_Isend");
                   });
    check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
  }
}

}  // namespace copse
