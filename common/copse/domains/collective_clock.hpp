#pragma once
/// \file
/// Splits the time of a phase over several ranks into computation, waiting and communication.

#include <copse/backend/mpi/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <chrono>

namespace copse {

/// Every collective operation is preceded by a barrier, so that the time until the last rank
/// arrives counts as waiting, not as communication. Cost: one more message latency per collective.
class CollectiveClock {
 public:
  void start() {
    begin_ = now();
    communicate_ = wait_ = 0.0;
  }
  void stop() { total_ = now() - begin_; }

  /// Runs `messages()`, collective over `comm`, after all ranks have arrived and the device is
  /// idle.
  template <class F>
  void communicate(const Communicator& comm, F&& messages) {
    Kokkos::fence("copse::distributed::before_messages");
    const double arrived = now();
    comm.barrier();
    const double begun = now();
    messages();
    wait_ += begun - arrived;
    communicate_ += now() - begun;
  }

  /// Runs `completion()`, which waits for messages in flight; all of it counts as communication.
  template <class F>
  void complete(F&& completion) {
    const double begun = now();
    completion();
    communicate_ += now() - begun;
  }

  double communicate_seconds() const { return communicate_; }
  double wait_seconds() const { return wait_; }
  double compute_seconds() const { return total_ - wait_ - communicate_; }

 private:
  static double now() {
    using Seconds = std::chrono::duration<double>;
    return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  double begin_ = 0.0;
  double total_ = 0.0;
  double communicate_ = 0.0;
  double wait_ = 0.0;
};

}  // namespace copse
