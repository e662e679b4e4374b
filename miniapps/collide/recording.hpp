#pragma once
/// \file
/// The first run of a method, which is recorded and saved. Included by one source (CONTRIBUTING:
/// lambdas).

#include "distributed/gather.hpp"
#include "simulation.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace copse::collide {

/// Contacts are recorded after every step if there are so few steps, and so few particle-steps.
inline constexpr Count recorded_steps = 10'000;
inline constexpr double recorded_particle_steps = 2e7;

/// Collective.
template <int D, class ExecutionSpace>
Record record_of(const Communicator& comm, Method<D, ExecutionSpace>& method,
                 const Physics<D>& physics, Count step) {
  Record record;
  record.step = step;
  record.contacts = method.contacts();
  const auto state = method.state();
  for (int a = 0; a < D; ++a) {
    double momentum = 0.0, squares = 0.0;
    const auto velocity = state.velocity;
    const auto tag = state.tag;
    Kokkos::parallel_reduce(
        "copse::collide::motion", CountRange<ExecutionSpace>(0, state.rows()),
        KOKKOS_LAMBDA(const Count i, double& sum, double& sum2) {
          if (is_ghost(tag(i))) return;
          sum += velocity(i, a);
          sum2 += velocity(i, a) * velocity(i, a);
        },
        momentum, squares);
    record.momentum[a] = physics.force.mass * momentum;
    record.kinetic += 0.5 * physics.force.mass * squares;
  }
  comm.allreduce(std::span(record.momentum), Reduction::sum);
  record.kinetic = comm.allreduce(record.kinetic, Reduction::sum);
  return record;
}

/// The first run of a method, which is recorded.
template <int D, class ExecutionSpace>
class Recording {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  Recording(app::Session& session, const Communicator& comm, const Request& request,
            const Physics<D>& physics, Method<D, ExecutionSpace>& method, const Start<D>& start,
            const State<D, MemorySpace>& loaded, Output* output)
      : session_(session),
        comm_(comm),
        request_(request),
        physics_(physics),
        method_(method),
        start_(start),
        loaded_(loaded),
        output_(output) {}

  /// Also before every measured run. Velocities of the leapfrog are those of half a step before,
  /// and so are those of a restart.
  void load() {
    method_.load(loaded_);
    if (request_.leapfrog() && request_.restart.empty()) method_.kick(-0.5 * physics_.dt);
  }

  std::vector<Record> run() {
    std::vector<Record> records;
    const auto particle_steps =
        static_cast<double>(comm_.allreduce(loaded_.rows(), Reduction::sum)) *
        static_cast<double>(request_.steps);
    const bool every =
        particle_steps <= recorded_particle_steps && request_.steps <= recorded_steps;
    const auto progress = session_.progress("steps");
    if (output_) output_->begin(start_);
    observe(0, records);
    for (Count done = 0; done < request_.steps;) {
      const Count stop = every ? done + 1 : request_.next_stop(start_.step, done);
      method_.advance(stop - done);
      refuse_lost(done, stop);
      done = stop;
      if (every || done == request_.steps || is_frame(done)) observe(done, records);
      progress(done, request_.steps);
    }
    if (output_)
      output_->finish(start_.step + request_.steps, copy_state<Kokkos::HostSpace>(method_.state()),
                      start_);
    return records;
  }

 private:
  bool is_frame(Count done) const {
    return request_.is_frame(start_.step + done, start_.step + request_.steps);
  }

  void observe(Count done, std::vector<Record>& records) {
    const Count step = start_.step + done;
    const bool frame = output_ && done > 0 && is_frame(done);
    const auto look = [&] {
      records.push_back(record_of(comm_, method_, physics_, step));
      if (frame) output_->add(step, copy_state<Kokkos::HostSpace>(method_.state()));
    };
    if (!request_.leapfrog()) return look();
    const auto kept = copy_state<MemorySpace>(method_.state());
    method_.kick(0.5 * physics_.dt);
    look();
    method_.load(kept);  // half a kick back would not give the same bits
  }

  /// If a particle was lost between two stops, makes the steps between them again, one by one.
  void refuse_lost(Count before, Count now) {
    Tag lost = first_lost(comm_, method_.state());
    if (lost >= most_particles) return;
    Count step = now;
    if (before + 1 < now) {
      load();
      if (before > 0) method_.advance(before);
      // Sums in any order may lose it at another step, or at none of these.
      for (step = before + 1; step < now; ++step) {
        method_.advance(1);
        const Tag again = first_lost(comm_, method_.state());
        if (again >= most_particles) continue;
        lost = again;
        break;
      }
    }
    throw InputError(
        fmt::format("particle {} is at no finite place after step {}: --dt is too long", lost,
                    start_.step + step));
  }

  app::Session& session_;
  const Communicator& comm_;
  const Request& request_;
  const Physics<D>& physics_;
  Method<D, ExecutionSpace>& method_;
  const Start<D>& start_;
  const State<D, MemorySpace>& loaded_;
  Output* output_;
};

}  // namespace copse::collide
