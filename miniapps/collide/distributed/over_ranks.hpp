#pragma once
/// \file
/// A method over any number of ranks: every rank moves the particles of its domain.
///
/// The method gets a rank's own particles and ghosts as one state (distribution.hpp). Ghosts are
/// the particles within the reach plus a skin. Until a particle may have moved by half the skin,
/// ranks send only the positions of ghosts, in persistent messages, and write them into the
/// method's own rows. While messages are in flight, a method may move particles that meet no ghost
/// (`Method::advance_while`). Both owners find a contact across a border, each for its own
/// particle, and add terms by ascending id. States therefore equal those of one rank, bit by bit,
/// and each direction of a contact is counted once. A single rank has no neighbours.

#include "../methods.hpp"
#include "distribution.hpp"
#include "ghost_refresh.hpp"
#include "rank_cost.hpp"
#include <copse/backend/mpi/communicator.hpp>

#include <map>
#include <memory>
#include <string>

namespace copse::collide {

template <int D, class ExecutionSpace>
class OverRanks final : public Method<D, ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// `request` says how: domains, ghosts, rebalance.
  OverRanks(const Communicator& comm, const ExecutionSpace& space,
            std::unique_ptr<Method<D, ExecutionSpace>> method, const Physics<D>& physics,
            const Request& request);

  /// Every rank passes some of the particles. Collective, as are `advance` and `contacts`.
  void load(const State<D, MemorySpace>& state) override;
  void advance(Count steps) override;
  void kick(double time) override { method_->kick(time); }
  /// This rank's particles and ghosts.
  State<D, MemorySpace> state() override { return method_->state(); }
  /// Summed over all ranks.
  ContactSums contacts() override;
  /// Of this rank's method, since it was loaded the last time.
  std::map<std::string, double> figures() const override { return method_->figures(); }

  const RankCost& cost() const { return cost_; }

 private:
  /// After a step of the method.
  void exchange();
  /// Starts messages with the new positions of ghosts; ends them and writes the positions.
  void send_ghosts();
  void receive_ghosts();
  /// How far a particle of any rank may have moved in the last step.
  double farthest_move();
  /// Sends particles to their owners, and ghosts, and loads the method with what has arrived.
  void distribute(const State<D, MemorySpace>& from);

  ExecutionSpace space_;
  CountedMessages messages_;
  std::unique_ptr<Method<D, ExecutionSpace>> method_;
  Physics<D> physics_;
  Count rebalance_;  ///< steps between new domains; 0: never
  double skin_;      ///< in largest reaches (cutoff times the largest size)
  RankCost cost_;
  Distribution<D, ExecutionSpace> particles_;
  GhostRefresh<D, ExecutionSpace> refresh_;
  double moved_ = 0.0;     ///< bound of the moves since ghosts were chosen
  double allowed_ = 0.0;   ///< half the skin; 0 if ghosts are chosen after every step
  double farthest_ = 0.0;  ///< bound of the moves of the last step
  bool refresh_ready_ = false;
  bool in_flight_ = false;   ///< new positions of ghosts, only within `advance`
  Count refresh_bytes_ = 0;  ///< of one refresh
};

}  // namespace copse::collide
