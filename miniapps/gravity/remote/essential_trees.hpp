#pragma once
/// \file
/// Local essential trees: what every other rank needs of this rank's nodes and bodies, sent once,
/// before the walks that need it ([Salmon 1991], [Warren, Salmon 1993]).
///
/// A rank's targets lie in the boxes of its coarse leaves, which every rank knows. The sender walks
/// its own nodes for each of these boxes as a walk does for the box of a group, with the same test,
/// so what a group inside the box can open is opened here: rounding is monotone, and a box within
/// another is never nearer. Of an opened inner node its children travel, of an opened leaf its
/// bodies.

#include "remote_tree.hpp"
#include <copse/backend/mpi/neighbour_exchange.hpp>

namespace copse::gravity {

template <class ExecutionSpace>
class EssentialTrees final : public RemoteTree<ExecutionSpace> {
 public:
  using Base = RemoteTree<ExecutionSpace>;
  using Base::Base;
  using typename Base::MemorySpace;

  /// Sends what others need, too.
  /// \throws InputError on every rank if one of them would hold more than `most_bytes`
  void start(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own,
             Count most_bytes) override;
  /// Waits for the messages.
  void finish(Method<ExecutionSpace>&, const GravityFields<MemorySpace>&) override;

 private:
  using Base::cost_, Base::found_, Base::messages_, Base::own_nodes_, Base::root_of_, Base::roots_,
      Base::space_, Base::splined_, Base::tree_, Base::words_, Base::workspace_;
  using typename Base::Flags;
  using typename Base::Neighbour;

  /// The nodes of the forest that a rank's boxes open.
  Flags opened_by(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own,
                  std::size_t rank);

  Kokkos::View<OctreeNode*, MemorySpace> all_nodes_;
  std::unique_ptr<NeighbourExchange<MessageWord, MemorySpace>> exchange_;
};

}  // namespace copse::gravity
