#include "evolution.hpp"

#include "../output.hpp"
#include "../remote/leapfrog_over_ranks.hpp"
#include "../solution.hpp"
#include "leapfrog.hpp"
#include "restart.hpp"
#include <copse/app/coordinate_checksum.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/worse.hpp>
#include <copse/particles/bounding_box.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace copse::gravity {
namespace {

/// About so many rows of the table of steps are printed.
constexpr Count printed_steps = 20;

struct Record {
  Count step = 0;
  double time = 0.0;
  MotionSums sums;
};

struct Evolution {
  std::string method;
  std::uint32_t bucket_size = 0;
  Count bodies = 0;
  std::vector<Record> records;  ///< the first is the initial state
  double seconds = 0.0;         ///< of all steps

  double drift() const {
    double most = 0.0;
    const MotionSums& first = records.front().sums;
    for (const Record& r : records) {
      const double change = std::abs(r.sums.energy() - first.energy());
      most = worse(most, change);
    }
    return first.potential == 0.0 ? most : most / std::abs(first.potential);
  }
  double push(double dt) const {
    double impulse = 0.0, most = 0.0;
    const auto& p0 = records.front().sums.momentum;
    for (const Record& r : records) {
      impulse += dt * r.sums.forces;
      const auto& p = r.sums.momentum;
      const double change = std::hypot(p[0] - p0[0], p[1] - p0[1], p[2] - p0[2]);
      const double part = impulse == 0.0 ? change : change / impulse;
      most = worse(most, part);
    }
    return most;
  }
};

template <class MemorySpace>
Restart on_host(const MotionState<MemorySpace>& state, const Particles<MemorySpace>& particles) {
  const auto host = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  };
  return {
      host(state.position), host(state.velocity), host(particles.mass), host(particles.softening),
      state.step,           state.time,           particles.box,        host(state.pulls)};
}

void write_output(const std::filesystem::path& stem, const Restart& state, const Request& request,
                  std::uint32_t bucket_size) {
  write_snapshot(with_ending(stem, fmt::format(".{}.std", state.step)), state, request);
  write_restart(with_ending(stem, restart_ending), state, request, bucket_size);
}

/// Bodies of the restart file with rounded positions, and their exact ones in `state`. Records the
/// `input` of the report.
template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> continued(
    const ExecutionSpace& space, app::Session& session, const Request& request,
    std::uint32_t bucket_size, MotionState<typename ExecutionSpace::memory_space>& state) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Restart from = read_restart(request.restart, request, bucket_size);
  const Count n = from.mass.extent(0);
  auto rounded = allocate_particles<Kokkos::HostSpace>(n);
  for (Count i = 0; i < n; ++i)
    for (int a = 0; a < 3; ++a) rounded.position(i, a) = static_cast<Real>(from.position(i, a));
  rounded.mass = from.mass;
  rounded.softening = from.softening;
  rounded.box = bounding_box(Kokkos::DefaultHostExecutionSpace{}, rounded.position);
  const auto there = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(MemorySpace{}, view);
  };
  state = {there(from.position), there(from.velocity), from.step, from.time, there(from.pulls)};
  if (request.periodic) rounded.box = from.box;
  auto particles = copy_particles<MemorySpace>(rounded);
  const std::uint64_t checksum = app::coordinate_checksum(space, particles.position);
  const app::InputRecord record{n, particles.box, request.restart, checksum};
  session.report().set_input(record);
  return particles;
}

/// All bodies on one rank.
template <class ExecutionSpace>
class OnOneRank final : public Evolving {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  OnOneRank(const ExecutionSpace& space, app::Session& session, const Request& request,
            const std::string& method, std::uint32_t bucket_size) {
    if (request.restart.empty()) {
      particles_ = load_bodies(space, session, request);
      initial_ = initial_state(space, particles_);
    } else {
      particles_ = continued(space, session, request, bucket_size, initial_);
      check_bodies(space, particles_, particles_.size(), request);
    }
    motion_ =
        std::make_unique<Motion<ExecutionSpace>>(space, request, method, bucket_size, particles_);
  }

  Count bodies() const override { return particles_.size(); }
  void start() override { motion_->start(initial_); }
  void step(double dt) override { motion_->step(dt); }
  Count steps() const override { return motion_->state().step; }
  double time() const override { return motion_->state().time; }
  MotionSums sums() const override { return motion_->sums(); }
  Restart gather() const override { return on_host(motion_->state(), particles_); }

 private:
  Particles<MemorySpace> particles_;
  MotionState<MemorySpace> initial_;
  std::unique_ptr<Motion<ExecutionSpace>> motion_;
};

template <class ExecutionSpace>
Evolution evolve_on(const ExecutionSpace& space, app::Session& session, const Request& request) {
  Evolution result;
  result.method = request.methods.front();
  result.bucket_size = request.bucket_size_of(result.method, session.options().backend);
  std::unique_ptr<Evolving> motion;
  if (request.remote == "none")
    motion = std::make_unique<OnOneRank<ExecutionSpace>>(space, session, request, result.method,
                                                         result.bucket_size);
  else
    motion = make_motion_over_ranks(space, session, request, result.method, result.bucket_size);
  result.bodies = motion->bodies();
  const auto record = [&] {
    result.records.push_back({motion->steps(), motion->time(), motion->sums()});
    motion->count_work();
  };
  const auto& stem = session.options().output;
  const auto samples = session.measure(
      "copse::gravity::motion", {{"copse::gravity::start", [&](int) { motion->start(); }},
                                 {"copse::gravity::steps", [&](int run) {
                                    if (run < 0) record();
                                    for (Count done = 1; done <= request.steps; ++done) {
                                      motion->step(request.dt);
                                      if (run >= 0) continue;
                                      record();
                                      const bool due =
                                          request.snapshot_every > 0 &&
                                          motion->steps() % request.snapshot_every == 0;
                                      if (!stem || !(due || done == request.steps)) continue;
                                      const Restart state = motion->gather();
                                      session.together([&] {
                                        if (session.is_root())
                                          write_output(*stem, state, request, result.bucket_size);
                                      });
                                    }
                                  }}});
  result.seconds = samples.back().median();
  motion->report(session);
  return result;
}

nlohmann::json json_of(const Record& r) {
  return {{"step", r.step},
          {"time", r.time},
          {"kinetic", r.sums.kinetic},
          {"potential", r.sums.potential},
          {"energy", r.sums.energy()},
          {"momentum", r.sums.momentum},
          {"angular_momentum", r.sums.angular_momentum}};
}

void report(app::Session& session, const Request& request, const Evolution& run) {
  app::Table table({"step", "time", "kinetic", "potential", "energy", "|momentum|", "|L|"});
  const auto length = [](const std::array<double, 3>& v) { return std::hypot(v[0], v[1], v[2]); };
  const Count stride = (request.steps + printed_steps - 1) / printed_steps;
  auto& results = session.report().results();
  auto& entries = results["steps"] = nlohmann::json::array();
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const Record& r = run.records[i];
    entries.push_back(json_of(r));
    if (i % stride == 0 || i + 1 == run.records.size())
      table.add_row({fmt::format("{}", r.step), fmt::format("{:.6g}", r.time),
                     fmt::format("{:.8g}", r.sums.kinetic), fmt::format("{:.8g}", r.sums.potential),
                     fmt::format("{:.8g}", r.sums.energy()),
                     fmt::format("{:.3e}", length(r.sums.momentum)),
                     fmt::format("{:.6g}", length(r.sums.angular_momentum))});
  }
  const auto steps = static_cast<double>(request.steps);
  auto& motion = results["motion"];
  motion.update({{"method", run.method},
                 {"tree", request.tree},
                 {"bucket_size", run.bucket_size},
                 {"bodies", run.bodies},
                 {"seconds_per_step", run.seconds / steps},
                 {"energy_drift", run.drift()},
                 {"momentum_push", run.push(request.dt)}});
  // The first fields of a run are a build and a walk more than its steps have, or two of each.
  const double firsts = request.is_relative() && request.restart.empty() ? 2.0 : 1.0;
  for (const char* phase : {"tree", "moments", "walk"})
    motion[fmt::format("{}_seconds", phase)] =
        session.last_samples(fmt::format("copse::gravity::{}", phase)).median() / (steps + firsts);
  if (run.records.front().sums.kinetic == 0.0) session.print("the bodies start at rest");
  session.print(table);
  session.print(fmt::format(
      "{}: {} per step; largest change of the energy {:.2e} of the first potential energy, of the "
      "momentum {:.2e} of the impulse of all forces",
      run.method, app::format_seconds(run.seconds / steps), run.drift(), run.push(request.dt)));
  session.report().add_figure_of_merit(
      "bodies_per_second", static_cast<double>(run.bodies) * steps / run.seconds, "1/s");
}

}  // namespace

void evolve(app::Session& session, const Request& request) {
  Evolution run;
  dispatch_backend(session.options().backend,
                   [&](const auto& space) { run = evolve_on(space, session, request); });
  if (session.options().verify) {
    session.verification().check(run.method + "_energy_drift", run.drift(), drift_tolerance);
    session.verification().check(run.method + "_momentum_push", run.push(request.dt),
                                 push_tolerance);
    if (!session.verification().passed()) return;
  }
  report(session, request, run);
}

}  // namespace copse::gravity
