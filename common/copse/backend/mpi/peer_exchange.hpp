#pragma once
/// \file
/// All-to-all exchanges by direct copies between the ranks of one node; MPI does not touch the
/// data. Each rank maps the arrays that others send from and copies its pieces, or maps the arrays
/// that others receive in and writes there from a kernel.
///
/// - One small MPI_Alltoall distributes the locations of the arrays. A rank calls it when its array
///   is ready, so it also acts as the barrier before the copies. A second barrier follows the
///   copies; after it the arrays may be reused.
/// - A rank starts with the piece of the rank below it, so that no rank is the source of all others
///   at once.
/// - Mappings are kept. A rank exports at most `slots` allocations at a time and sends the list in
///   every exchange. The others first close mappings that are no longer in the list, because an
///   address may be reused for other memory. A freed allocation stays mapped, and so occupies
///   memory, until the next exchange, but is never read.
/// - All ranks agree before the first copy whether all arrays can be exported and mapped and are
///   large enough. After three consecutive failures this path is disabled.
///
/// MPI errors are MpiError; failed copies throw the exceptions of PeerMemory.

#include <copse/backend/mpi/exchange_plan.hpp>
#include <copse/backend/mpi/peer_memory.hpp>

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace copse {

/// The arrays of one rank: columns of contiguous elements, `..._stride` bytes apart.
struct PeerArrays {
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t element_bytes = 1;
  std::size_t columns = 1;
  std::size_t send_stride = 0;
  std::size_t receive_stride = 0;
};

/// Determines whether ranks can read each other's memory, and holds the mappings. The communicator
/// must outlive it.
class PeerExchange {
 public:
  /// Tests a small copy between all pairs of ranks. Collective; all ranks get the same answer.
  /// `memory` may be nullptr on ranks without a device; the answer is then no.
  PeerExchange(MPI_Comm comm, std::shared_ptr<PeerMemory> memory);
  /// The same memory and mappings for a subset of the ranks of `whole`. Collective over `part`.
  PeerExchange(MPI_Comm part, const PeerExchange& whole);
  ~PeerExchange();
  PeerExchange(const PeerExchange&) = delete;
  PeerExchange& operator=(const PeerExchange&) = delete;

  bool usable() const;
  /// Whether it works, and why not, as one clause.
  const std::string& reason() const;

  /// Starts an exchange by `plan`, including this rank's own piece. Returns false on all ranks,
  /// without starting anything, if this path is not possible or if no rank sends `least_bytes`. If
  /// true, the arrays must not change until `finish`. Collective.
  bool begin(const ExchangePlan& plan, const PeerArrays& arrays, std::size_t least_bytes);
  /// Maps the `array` of `bytes` of every rank, including its own, into this process; nullptr for
  /// an empty array. Until `finish` any rank may write to these arrays; a rank's writing kernels
  /// must have ended before it calls `finish`. Returns an empty vector on all ranks if this is not
  /// possible or if no array has `least_bytes`. Collective.
  std::vector<std::byte*> open_for_writing(void* array, std::size_t bytes, std::size_t least_bytes);
  /// Waits until all copies to and from this rank are complete. Collective.
  void finish();

  /// Number of open mappings of other ranks' allocations.
  std::size_t open_mappings() const;

 private:
  struct Offer;
  struct Shared;

  std::string try_out();
  Offer offer_of(const void* array, std::size_t bytes);
  bool open_offers(const std::vector<Offer>& offers, const std::vector<bool>& wanted);
  bool trade(std::vector<Offer>& offers, std::size_t least_bytes) const;
  bool map_offers(const std::vector<Offer>& offers, const std::vector<bool>& wanted);
  std::byte* mapped(const std::vector<Offer>& offers, std::size_t r) const;
  bool agreed(bool here) const;

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<int> member_;  ///< [size] each rank's number in the first PeerExchange
  std::shared_ptr<Shared> shared_;
};

}  // namespace copse
