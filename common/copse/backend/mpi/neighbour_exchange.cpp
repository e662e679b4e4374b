#include <copse/backend/mpi/mpi_call.hpp>
#include <copse/backend/mpi/neighbour_exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace copse {

PersistentMessages::~PersistentMessages() {
  if (std::exchange(in_flight_, false))
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
}

void PersistentMessages::set_up(const Communicator& comm, const ExchangePlan& plan,
                                const void* send, void* receive, std::size_t element_bytes) {
  const int tag = comm.next_tag();
  // Calls `make(byte offset, length, request)` for every piece of the message to or from `rank`.
  const auto for_each_piece = [&](const ExchangePlan::Side& side, std::size_t rank, auto&& make) {
    const Count begin = side.offsets[rank] * element_bytes;
    const Count end = begin + side.counts[rank] * element_bytes;
    for (Count at = begin; at < end; at += comm.max_message_bytes())
      make(at, static_cast<int>(std::min<Count>(comm.max_message_bytes(), end - at)),
           &requests_.emplace_back(MPI_REQUEST_NULL));
  };
  const int ranks = comm.size();
  for (int step = 0; step < ranks; ++step) {
    const int from = (comm.rank() + ranks - step) % ranks;
    for_each_piece(plan.receive, from, [&](Count offset, int length, MPI_Request* request) {
      check_mpi(MPI_Recv_init(static_cast<std::byte*>(receive) + offset, length, MPI_BYTE, from,
                              tag, comm.handle(), request),
                "MPI_Recv_init");
    });
  }
  for (int step = 0; step < ranks; ++step) {
    const int to = (comm.rank() + step) % ranks;
    for_each_piece(plan.send, to, [&](Count offset, int length, MPI_Request* request) {
      check_mpi(MPI_Send_init(static_cast<const std::byte*>(send) + offset, length, MPI_BYTE, to,
                              tag, comm.handle(), request),
                "MPI_Send_init");
    });
  }
}

void PersistentMessages::start() {
  if (requests_.empty()) return;
  check_mpi(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()), "MPI_Startall");
  in_flight_ = true;
}

void PersistentMessages::finish() {
  if (!std::exchange(in_flight_, false)) return;
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
}

}  // namespace copse
