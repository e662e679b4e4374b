#pragma once
/// \file
/// All-to-all exchanges in which the ranks of one node copy between their memories, without MPI
/// touching the data: every rank maps the arrays that others send from and fetches its pieces, or
/// maps those that others receive in and has a kernel write there.
///
/// - One small MPI_Alltoall tells everybody where the others' arrays lie. A rank calls it when its
///   array is ready, so it is also the barrier before the copies; another barrier follows them,
///   after which the arrays may be used as before.
/// - A rank starts with the piece of the rank below it, so that nobody is everybody's source.
/// - Mappings are kept. A rank exports at most `slots` allocations at a time and tells in every
///   exchange which; what is no longer among them is closed by the others before they open anything
///   else, since an address may come back with other memory behind it. Between the freeing of an
///   allocation and the next exchange its memory stays mapped, and thus taken, but is never read.
/// - All ranks take the same way: whether everything could be named, mapped and is worth it is
///   agreed before the first copy. After three failures in a row it is not tried again.
///
/// Errors of MPI are MpiError; failed copies throw what PeerMemory throws.

#include <copse/backend/exchange_plan.hpp>
#include <copse/backend/peer_memory.hpp>

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace copse {

/// What one rank exchanges: columns of contiguous elements, `..._stride` bytes apart.
struct PeerArrays {
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t element_bytes = 1;
  std::size_t columns = 1;
  std::size_t send_stride = 0;
  std::size_t receive_stride = 0;
};

/// Whether ranks can read each other's memory, and their mappings of it. The communicator it is
/// given must outlive it.
class PeerExchange {
 public:
  /// Tries it with a small copy from every rank to every other. Collective; all ranks come to the
  /// same answer. `memory` may be nullptr on ranks that have none, then the answer is no.
  PeerExchange(MPI_Comm comm, std::shared_ptr<PeerMemory> memory);
  /// The same memory and mappings for some of the ranks of `whole`. Collective over `part`.
  PeerExchange(MPI_Comm part, const PeerExchange& whole);
  ~PeerExchange();
  PeerExchange(const PeerExchange&) = delete;
  PeerExchange& operator=(const PeerExchange&) = delete;

  bool usable() const;
  /// One clause: that it works, or why not.
  const std::string& reason() const;

  /// Starts an exchange by `plan`, this rank's own piece included. Returns false, on all ranks and
  /// with nothing started, if it cannot be done this way or if no rank sends `least_bytes`. After
  /// true the arrays must stay as they are until `finish`. Collective.
  bool begin(const ExchangePlan& plan, const PeerArrays& arrays, std::size_t least_bytes);
  /// For every rank, where this process finds the `bytes` that the rank gives as `array`, its own
  /// among them; nullptr where it gives none. Until `finish` any rank may write there, and before
  /// it its kernels that do must have ended. Empty, on all ranks, if that cannot be or if no rank
  /// gives `least_bytes`. Collective.
  std::vector<std::byte*> open_for_writing(void* array, std::size_t bytes, std::size_t least_bytes);
  /// Returns when everything has arrived here and has been fetched from here. Collective.
  void finish();

  /// Mappings of others' allocations that are open now.
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
