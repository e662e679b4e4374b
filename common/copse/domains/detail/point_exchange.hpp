#pragma once
/// \file
/// Sends the positions of a distributed build to other ranks, as they are or in fixed point.

#include <copse/backend/mpi/communicator.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/compressed_positions.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace copse::detail {

/// The same exchange of elements of `bytes` bytes, counted in bytes.
inline ExchangePlan in_bytes(ExchangePlan plan, Count bytes) {
  for (ExchangePlan::Side* side : {&plan.send, &plan.receive}) {
    for (Count& count : side->counts) count *= bytes;
    for (Count& offset : side->offsets) offset *= bytes;
  }
  return plan;
}

/// One exchange of positions in two parts, as Communicator::begin_alltoallv and finish_alltoallv.
/// If the state has a grid, positions are compressed before and decompressed after; they must be
/// rounded to that grid, so they arrive bit by bit.
template <class State>
class PointExchange {
 public:
  using Positions = Points<3, typename State::MemorySpace>;

  PointExchange(State& s, const Communicator& comm, const ExchangePlan& plan,
                const Positions& receive)
      : s_(s), comm_(comm), plan_(plan), receive_(receive) {}

  void begin(const Positions& send) {
    begin(send, [] {});
  }
  /// The same after `others()`: complete exchanges over the same communicator, which need no
  /// barrier of their own.
  template <class Others>
  void begin(const Positions& send, const Others& others) {
    if (s_.grid.bits == 0) {
      s_.clock.communicate(comm_, [&] {
        others();
        comm_.begin_alltoallv(plan_, send, receive_);
      });
      return;
    }
    const Count bytes = triple_bytes(s_.grid.bits);
    const auto packed =
        s_.workspace.template get<std::byte>("distributed::packed", send.extent(0) * bytes);
    arriving_ =
        s_.workspace.template get<std::byte>("distributed::arriving", receive_.extent(0) * bytes);
    compress(s_.space, s_.grid, send, packed);
    s_.clock.communicate(comm_, [&] {
      others();
      comm_.begin_alltoallv(in_bytes(plan_, bytes), packed, arriving_);
    });
  }

  void finish() {
    s_.clock.complete([&] { comm_.finish_alltoallv(); });
    if (s_.grid.bits == 0) return;
    decompress(s_.space, s_.grid, arriving_, receive_);
    s_.space.fence("copse::distributed::decompress");
  }

 private:
  State& s_;
  const Communicator& comm_;
  const ExchangePlan& plan_;
  Positions receive_;
  CompressedPositions<typename State::MemorySpace> arriving_;
};

}  // namespace copse::detail
