#pragma once
/// \file
/// A method over any number of ranks: every rank moves the particles of its domain.
///
/// A particle goes to the owner of its position, which may be any rank; then ranks exchange ghosts,
/// and the method gets its own particles and ghosts as one state. Ghosts are those within the reach
/// and a skin, so for some steps, until a particle may have moved by half the skin, only positions
/// of ghosts change: they are sent in persistent messages and written into the method's state. With
/// a method that cannot go on from there, everything is done after every step. A contact
/// across a border is found by both owners, each for its own particle, and terms are added by
/// ascending id; so states are those of one rank, bit by bit, and directed contacts are counted
/// once each. One rank is the case without neighbours.

#include "../methods.hpp"
#include "ghost_exchange.hpp"
#include "ghost_refresh.hpp"
#include "rank_cost.hpp"
#include <copse/backend/mpi/communicator.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace copse::collide {

template <int D, class ExecutionSpace>
class OverRanks final : public Method<D, ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// `request` says how: domains, ghosts, rebalance.
  OverRanks(const Communicator& comm, const ExecutionSpace& space,
            std::unique_ptr<Method<D, ExecutionSpace>> method, const Physics<D>& physics,
            const Request& request);

  /// Every rank passes some of the particles. Collective, as all of the following but `state`.
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
  void refresh_ghosts();
  /// How far a particle of any rank may have moved in the last step.
  double farthest_move();
  void cut_domains(const State<D, MemorySpace>& state);
  /// Sends particles to their owners, and ghosts. \return this rank's particles and ghosts
  State<D, MemorySpace> distribute(const State<D, MemorySpace>& from);
  /// \return the number of particles that arrived
  Count migrate(const State<D, MemorySpace>& from, Count stay, Count leave);
  void reserve(Count rows, Count keep);
  State<D, MemorySpace> first_rows(Count rows) const;

  ExecutionSpace space_;
  CountedMessages messages_;
  std::unique_ptr<Method<D, ExecutionSpace>> method_;
  Physics<D> physics_;
  bool orb_;
  Count rebalance_;  ///< steps between new domains; 0: never
  double skin_;      ///< in cutoffs
  OrbDomains<D, ExecutionSpace> cutter_;
  GhostExchange<D, ExecutionSpace> ghosts_;
  GhostRefresh<D, ExecutionSpace> refresh_;
  Workspace<MemorySpace> workspace_;
  Owner<D, MemorySpace> owner_;
  std::vector<Neighbour> neighbours_;
  WithinReach<D> needs_;
  double moved_ = 0.0;    ///< bound of the moves since ghosts were chosen
  double allowed_ = 0.0;  ///< half the skin; 0 if ghosts are chosen after every step
  Count held_ghosts_ = 0;
  bool refresh_ready_ = false;
  Count refresh_bytes_ = 0;     ///< of one refresh
  bool sizes_ = false;          ///< particles have sizes of their own
  State<D, MemorySpace> room_;  ///< own particles, ghosts, free space
  RankCost cost_;
};

}  // namespace copse::collide
