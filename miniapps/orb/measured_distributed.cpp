#include "distributed_run.hpp"
#include "fused/engine.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace copse {
namespace {

/// First row of rank r: rank 0 has `factor` times the mean, the others share the rest evenly.
Count injected_begin(Count n, int rank, int ranks, double factor) {
  if (rank == 0) return 0;
  if (rank == ranks) return n;
  const auto p = static_cast<Count>(ranks);
  const auto r = static_cast<Count>(rank);
  if (factor == 1.0) return n / p * r + n % p * r / p;
  const double wanted = std::floor(factor * static_cast<double>(n) / static_cast<double>(ranks));
  const Count first = std::min(n, static_cast<Count>(wanted));
  const Count rest = n - first;
  return first + rest / (p - 1) * (r - 1) + rest % (p - 1) * (r - 1) / (p - 1);
}

template <class T, class MemorySpace>
struct CountUp {
  Kokkos::View<T*, MemorySpace> out;
  Count first;
  KOKKOS_FUNCTION void operator()(Count i) const { out(i) = first + i; }
};

/// The same rows in the same order, of which this rank now holds those that the injected imbalance
/// gives it.
template <class MemorySpace>
DistributedPoints<MemorySpace> inject(const Communicator& comm,
                                      const DistributedPoints<MemorySpace>& points, Count& first,
                                      Count total, double factor) {
  const Count end = first + points.position.extent(0);
  std::vector<Count> counts;
  for (int r = 0; r < comm.size(); ++r) {
    const Count low = std::max(first, injected_begin(total, r, comm.size(), factor));
    const Count high = std::min(end, injected_begin(total, r + 1, comm.size(), factor));
    counts.push_back(high > low ? high - low : 0);
  }
  const ExchangePlan plan = comm.plan_exchange(counts);
  const Count n = plan.receive.total();
  const auto alloc = [](const char* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  DistributedPoints<MemorySpace> moved;
  moved.position = Points<3, MemorySpace>(alloc("copse::orb::points"), n);
  moved.id = Kokkos::View<GlobalId*, MemorySpace>(alloc("copse::orb::id"), n);
  comm.alltoallv(plan, points.position, moved.position);
  comm.alltoallv(plan, points.id, moved.id);
  const Count weights = comm.allreduce(Count{points.weight.extent(0)}, Reduction::max);
  if (weights > 0) {
    moved.weight = Kokkos::View<std::uint32_t*, MemorySpace>(alloc("copse::orb::weight"), n);
    comm.alltoallv(plan, points.weight, moved.weight);
  }
  first = injected_begin(total, comm.rank(), comm.size(), factor);
  return moved;
}

template <class MemorySpace>
RankParticles on_host(const DistributedPoints<MemorySpace>& points, Count first_row) {
  const auto fetch = [](const auto& view) {
    using View = std::remove_cvref_t<decltype(view)>;
    Kokkos::View<typename View::data_type, typename View::array_layout, Kokkos::HostSpace> host(
        Kokkos::view_alloc("copse::orb::fetched", Kokkos::WithoutInitializing), view.layout());
    Kokkos::deep_copy(host, view);
    return host;
  };
  return {{fetch(points.position), fetch(points.id), fetch(points.weight)}, first_row};
}

template <class ExecutionSpace>
DistributedRun run_on(const ExecutionSpace& space, app::Session& session, const Communicator& comm,
                      const BuildRequest& request, const DistributedRequest& distributed) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const std::string backend(backend_name<ExecutionSpace>());
  DistributedRun run;
  DistributedPoints<MemorySpace> points;
  Count first = 0;
  {
    const auto particles = session.load_particles(space, request.weights.columns());
    run.domain = particles.box;
    first = session.first_row();
    points.position = particles.position;
    points.id = Kokkos::View<GlobalId*, MemorySpace>("copse::orb::id", particles.size());
    Kokkos::parallel_for("copse::orb::number",
                         Kokkos::RangePolicy<ExecutionSpace>(space, 0, particles.size()),
                         CountUp<GlobalId, MemorySpace>{points.id, first});
    if (request.weights.wanted())
      points.weight = make_weights(space, comm, request.weights, particles, session.options().seed,
                                   first, session.total_particles());
    space.fence("copse::orb::number");
  }
  if (distributed.inject_imbalance != 1.0)
    points = inject(comm, points, first, session.total_particles(), distributed.inject_imbalance);

  const Reshuffle reshuffle = distributed.when(comm.size(), request.leaves);
  const Points<3, MemorySpace> copy(
      Kokkos::view_alloc("copse::orb::copy", Kokkos::WithoutInitializing),
      points.position.extent(0));
  DistributedOrbBuilder<ExecutionSpace> builder(comm, space,
                                                orb::engine_for<ExecutionSpace>(Placement::best));
  DistributedOrb<MemorySpace> result;
  session.measure("copse::orb::run_" + backend, [&](int repeat) {
    {
      const Kokkos::Profiling::ScopedRegion region("copse::orb::copy_" + backend);
      Kokkos::deep_copy(space, copy, points.position);
      space.fence("copse::orb::copy");
    }
    comm.barrier();
    const Kokkos::Profiling::ScopedRegion region("copse::orb::build_" + backend);
    result = builder.build(points, orb_options(request, run.domain), reshuffle,
                           request.weights.wanted());
    if (repeat >= 0) run.costs.push_back(builder.cost());
  });
  run.build = session.last_samples("copse::orb::build_" + backend);
  run.copy = session.last_samples("copse::orb::copy_" + backend);
  for (app::Samples* samples : {&run.build, &run.copy})
    comm.allreduce(std::span(samples->seconds), Reduction::max);
  run.before = on_host(points, first);
  run.after = on_host(result.points, result.first_row);
  run.tree.cells = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, result.tree.cells);
  run.tree.leaves = result.tree.leaves;
  run.tree.rule = result.tree.rule;
  run.tree.axis_rule = result.tree.axis_rule;
  return run;
}

}  // namespace

DistributedRun measure_distributed(app::Session& session, const Communicator& comm,
                                   const std::string& backend, const BuildRequest& request,
                                   const DistributedRequest& distributed) {
  DistributedRun run;
  dispatch_backend(backend,
                   [&](auto space) { run = run_on(space, session, comm, request, distributed); });
  return run;
}

}  // namespace copse
