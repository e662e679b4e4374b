#include "measured_build.hpp"

#include "build_variant.hpp"
#include "fused/engine.hpp"
#include "inject_imbalance.hpp"
#include <copse/app/coordinate_checksum.hpp>
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/weighted_orb.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <utility>

namespace copse::orb {
namespace {

auto uninitialized(const char* label) {
  return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
}

/// Returns the array itself if it is already on the host.
template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
}

template <class View>
auto copy_on_host(const View& view) {
  Kokkos::View<typename View::data_type, typename View::array_layout, Kokkos::HostSpace> host(
      uninitialized("copse::orb::fetched"), view.layout());
  Kokkos::deep_copy(host, view);
  return host;
}

template <class MemorySpace>
OrbTree<Kokkos::HostSpace> on_host(const OrbTree<MemorySpace>& tree) {
  OrbTree<Kokkos::HostSpace> host;
  host.cells = on_host(tree.cells);
  host.leaves = tree.leaves;
  host.rule = tree.rule;
  host.axis_rule = tree.axis_rule;
  return host;
}

/// The input of a build, in the memory of its backend.
template <class MemorySpace>
struct Input {
  Particles<MemorySpace> particles;
  IntegerWeights<MemorySpace> weights;  ///< empty in an unweighted tree
};

/// Loads the particles, rounds them to the grid of `--compress`, and sets the result's domain.
template <class ExecutionSpace>
Input<typename ExecutionSpace::memory_space> load_input(const ExecutionSpace& space,
                                                        app::Session& session,
                                                        const Communicator& comm,
                                                        const Request& request,
                                                        MeasuredBuild& result) {
  const Weighting& weighting = request.weights;
  Input<typename ExecutionSpace::memory_space> input;
  input.particles = session.load_particles(space, weighting.columns());
  result.domain = input.particles.box;
  if (request.compress_bits > 0) {
    CompressedRun& run = result.compressed.emplace();
    run.grid = fixed_point(result.domain, request.compress_bits);
    FixedPoint grid = run.grid;
    app::corruptible(grid);
    run.error =
        comm.allreduce(round_positions(space, grid, input.particles.position), Reduction::max);
    verify_compression(session, run);
  }
  if (weighting.wanted())
    input.weights = make_weights(space, comm, weighting, input.particles, session.options().seed,
                                 session.first_row(), session.total_particles());
  return input;
}

/// The last step of every measured run: times the reference copy and the build.
void measure(app::Session& session, MeasuredBuild& result, std::vector<app::Step> steps,
             std::function<void(int)> copy, std::function<void(int)> build) {
  steps.push_back({"copse::orb::copy_" + result.backend, std::move(copy)});
  steps.push_back({"copse::orb::build_" + result.backend, std::move(build)});
  const auto samples = session.measure("copse::orb::run_" + result.backend, steps);
  result.copy = samples[samples.size() - 2];
  result.build = samples.back();
}

/// Sets the bytes moved by the copy, and by a build that the model covers, for n particles.
void set_work(app::Session& session, const MeasuredBuild& result, const Request& request, Count n) {
  const auto particles = static_cast<double>(n);
  session.report().set_work("copse::orb::copy_" + result.backend,
                            2.0 * model::bytes::position * particles, 0.0);
  if (request.weights.wanted() || !request.variant.uses_builder()) return;
  const auto traffic =
      model::traffic(modelled_variant(result.backend, request), n, request.leaves, 0);
  session.report().set_work("copse::orb::build_" + result.backend, traffic.in_memory() * particles,
                            0.0);
}

/// Bytes moved by a bisection according to its log: keys counted, and rows partitioned out of
/// place.
double logged_bytes(const BuildLog& log, Count n, const Variant& variant) {
  double keys = 0.0;
  for (const LevelLog& level : log.levels) keys += static_cast<double>(level.keys_counted);
  const double row = 2.0 * (model::bytes::position + sizeof(LocalIndex));
  const double partition_keys = variant.partition == PartitionMethod::scan ? 2.0 : 1.0;
  return sizeof(Real) * keys + static_cast<double>(log.levels.size()) * static_cast<double>(n) *
                                   (row + partition_keys * sizeof(Real));
}

/// Measures `build(rows, variant, log)`. It reorders rows in place, so the step before it copies
/// the positions anew; that copy is also the timing reference. Steps before the copy are transfers
/// from page-locked host memory, for variants on a device and with `--compress`; if a stream is
/// compressed, the same build without compression.
template <class Space, class Build>
void measure_rows(const Space& space, app::Session& session, const Request& request,
                  const Input<typename Space::memory_space>& input, MeasuredBuild& result,
                  const Build& build) {
  using MemorySpace = typename Space::memory_space;
  const Points<3, MemorySpace>& position = input.particles.position;
  const Count n = input.particles.size();
  OrbRows<MemorySpace> rows;
  rows.points = Points<3, MemorySpace>(uninitialized("copse::orb::points"), n);
  OrbTree<MemorySpace> tree;
  std::vector<app::Step> send;
  std::optional<PositionSender<Space>> sender;
  const auto send_step = [&](const std::string& how, double bytes, auto step) {
    send.push_back({"copse::orb::send_" + how + result.backend, step});
    session.report().set_work(send.back().label, bytes * static_cast<double>(n), 0.0);
  };
  const bool streams = request.variant.batch > 0;
  const FixedPoint grid = result.compressed && !streams ? result.compressed->grid : FixedPoint{};
  const auto rebuild = [&](const Variant& variant) {
    result.log = {};
    tree = build(rows, variant, result.log);
  };
  const auto sent_by_levels = [&] {
    Count sum = 0;
    for (const LevelLog& level : result.log.levels) sum += level.bytes_to_device;
    return sum;
  };
  const std::string plain = "copse::orb::build_uncompressed_" + result.backend;
  if (result.compressed && streams) {
    send.push_back({"copse::orb::copy_uncompressed_" + result.backend,
                    [&](int) { Kokkos::deep_copy(space, rows.points, position); }});
    send.push_back({plain, [&](int) {
                      Variant variant = request.variant;
                      variant.bits = 0;
                      rebuild(variant);
                      result.compressed->plain_bytes =
                          static_cast<double>(sent_by_levels()) / static_cast<double>(n);
                    }});
  }
  if (grid.bits > 0 || (!runs_on_host<Space> && !request.variant.uses_builder())) {
    sender.emplace(space, grid, position);
    send_step("", model::bytes::position, [&](int) { sender->send(rows.points); });
    if (!runs_on_host<Space>) result.bytes_to_device = n * 3 * sizeof(Real);
  }
  if (grid.bits > 0) {
    CompressedRun& run = *result.compressed;
    run.bytes = static_cast<double>(triple_bytes(grid.bits));
    run.plain_bytes = model::bytes::position;
    send_step("compressed_", run.bytes, [&](int) { sender->send_compressed(rows.points); });
    if (session.options().verify) {
      sender->send_compressed(rows.points);
      space.fence("copse::orb::compressed_arrived");
      verify_arrival(session, grid, on_host(position), on_host(rows.points));
    }
    if (!runs_on_host<Space>) result.bytes_to_device = n * triple_bytes(grid.bits);
  }
  measure(
      session, result, send, [&](int) { Kokkos::deep_copy(space, rows.points, position); },
      [&](int) { rebuild(request.variant); });
  if (grid.bits > 0) {
    result.compressed->plain_seconds = session.last_samples(send.front().label);
    result.compressed->seconds = session.last_samples(send.back().label);
  }
  set_work(session, result, request, n);
  if (request.variant.bisects() && request.variant.partition != PartitionMethod::hoare)
    session.report().set_work("copse::orb::build_" + result.backend,
                              logged_bytes(result.log, n, request.variant), 0.0);
  result.bytes_to_device += sent_by_levels();
  if (result.compressed && streams) {
    result.compressed->bytes = static_cast<double>(sent_by_levels()) / static_cast<double>(n);
    result.compressed->seconds = result.build;
    result.compressed->plain_seconds = session.last_samples(plain);
  }
  result.before.points.position = on_host(position);
  result.before.points.weight = on_host(input.weights);
  result.after.points.position = on_host(rows.points);
  result.permutation = on_host(rows.permutation);
  result.tree = on_host(tree);
}

/// Measures a variant with `builder`, for particles in the memory of `space`.
template <class Space, class Builder>
void measure_variant(const Space& space, app::Session& session, const Communicator& comm,
                     const Request& request, MeasuredBuild& result, Builder builder) {
  const auto input = load_input(space, session, comm, request, result);
  measure_rows(space, session, request, input, result,
               [&](auto& rows, const Variant& variant, BuildLog& log) {
                 return builder.build(rows, request.options(result.domain), variant, log);
               });
}

/// Build by weight. Making the weights is not timed.
template <class Space>
void measure_weighted(const Space& space, app::Session& session, const Communicator& comm,
                      const Request& request, MeasuredBuild& result) {
  const auto input = load_input(space, session, comm, request, result);
  {
    WeightedOrbBuilder<Space> builder(space);
    measure_rows(space, session, request, input, result,
                 [&](auto& rows, const Variant&, BuildLog&) {
                   return builder.build(rows.points, rows.permutation, input.weights,
                                        request.options(result.domain));
                 });
    session.report().results()["iterations_per_level"] = builder.rounds_per_level();
  }
  // The imbalance in the given weights, before the exponent used for the cuts. The builder has
  // freed its memory, so this does not raise the peak.
  auto work = result.before.points.weight;
  if (request.weights.exponent != 1.0)
    work = on_host(make_weights(space, comm, {request.weights.kind, 1.0}, input.particles,
                                session.options().seed, session.first_row(),
                                session.total_particles()));
  session.report().results()["work_imbalance"] =
      weight_imbalance(comm, result, [&](Count row) { return work(result.permutation(row)); });
}

/// Positions alone are reloaded for every build and reordered in place, so that a device holds only
/// two copies.
template <class Space>
void measure_positions(const Space& space, app::Session& session, const Request& request,
                       MeasuredBuild& result) {
  using MemorySpace = typename Space::memory_space;
  Points<3, MemorySpace> points;
  Points<3, MemorySpace> spare;
  OrbTree<MemorySpace> tree;
  OrbBuilder<Space> builder(space, engine_for<Space>(request.variant.placement));
  const auto load = [&](int) {
    points = {};  // free the memory for the next load
    const auto particles = session.load_particles(space);
    points = particles.position;
    result.domain = particles.box;
    if (!result.input_checksum) result.input_checksum = app::coordinate_checksum(space, points);
    if (spare.extent(0) != points.extent(0))
      spare = Points<3, MemorySpace>(uninitialized("copse::orb::spare_points"), points.extent(0));
  };
  measure(
      session, result, {{"copse::orb::load_" + result.backend, load}},
      [&](int) { Kokkos::deep_copy(space, spare, points); },
      [&](int) { tree = builder.build(points, spare, request.options(result.domain)); });
  set_work(session, result, request, points.extent(0));
  result.after.points.position = on_host(points);
  result.tree = on_host(tree);
}

template <class Space>
DistributedPoints<typename Space::memory_space> numbered_points(
    const Space& space, const Input<typename Space::memory_space>& input, Count first) {
  DistributedPoints<typename Space::memory_space> points;
  points.position = input.particles.position;
  points.weight = input.weights;
  const Kokkos::View<GlobalId*, typename Space::memory_space> id(uninitialized("copse::orb::id"),
                                                                 input.particles.size());
  Kokkos::parallel_for(
      "copse::orb::number", CountRange<Space>(space, 0, id.extent(0)),
      KOKKOS_LAMBDA(Count i) { id(i) = first + i; });
  space.fence("copse::orb::number");
  points.id = id;
  return points;
}

/// Build over ranks. It does not modify its input; the copy is only the timing reference.
template <class Space>
void measure_distributed(const Space& space, app::Session& session, const Communicator& comm,
                         const Request& request, MeasuredBuild& result) {
  using MemorySpace = typename Space::memory_space;
  if (request.inject_imbalance > comm.size())
    throw InputError(fmt::format("--inject-imbalance {} is more than all particles of {} ranks",
                                 request.inject_imbalance, comm.size()));
  DistributedPoints<MemorySpace> points;
  Count first = session.first_row();
  {
    const auto input = load_input(space, session, comm, request, result);
    first = session.first_row();
    points = numbered_points(space, input, first);
  }
  if (request.inject_imbalance != 1.0)
    inject_imbalance(comm, points, first, session.total_particles(), request.inject_imbalance);
  result.reshuffle = request.reshuffle_on(comm.size());
  const Points<3, MemorySpace> copy(uninitialized("copse::orb::copy"), points.position.extent(0));
  DistributedOrbBuilder<Space> builder(comm, space, engine_for<Space>(Placement::best));
  DistributedOrb<MemorySpace> built;
  const auto build = [&](const FixedPoint& grid) {
    built = builder.build(points, request.options(result.domain), *result.reshuffle,
                          request.weights.wanted(), grid);
  };
  const auto sent_bytes = [&] {
    return static_cast<double>(comm.allreduce(builder.cost().particle_bytes_sent, Reduction::sum)) /
           static_cast<double>(session.total_particles());
  };
  const std::string plain = "copse::orb::build_uncompressed_" + result.backend;
  std::vector<app::Step> steps;
  if (result.compressed)
    steps.push_back({plain, [&](int) {
                       build({});
                       result.compressed->plain_bytes = sent_bytes();
                     }});
  measure(
      session, result, steps, [&](int) { Kokkos::deep_copy(space, copy, points.position); },
      [&](int repeat) {
        build(result.compressed ? result.compressed->grid : FixedPoint{});
        if (repeat >= 0) result.costs.push_back(builder.cost());
      });
  if (result.compressed) {
    result.compressed->bytes = sent_bytes();
    result.compressed->seconds = result.build;
    result.compressed->plain_seconds = session.last_samples(plain);
  }
  result.before = {{on_host(points.position), on_host(points.id), on_host(points.weight)}, first};
  // Copies, because the builder's arrays are freed with it.
  const auto& after = built.points;
  result.after = {
      {copy_on_host(after.position), copy_on_host(after.id), copy_on_host(after.weight)},
      built.first_row};
  result.tree = on_host(built.tree);
}

}  // namespace

model::Variant modelled_variant(const std::string& backend, const Request& request) {
  if (request.weights.wanted()) return model::modelled_variant(backend, "device", "histogram");
  auto variant = model::modelled_variant(backend, name_of(request.variant.placement),
                                         name_of(request.variant.cut));
  variant.positions_only = request.positions_only;
  variant.batch = request.variant.batch;
  variant.bits = request.variant.bits;
  return variant;
}

MeasuredBuild measure_build(app::Session& session, const Communicator& comm, const Request& request,
                            const std::string& backend) {
  MeasuredBuild result;
  result.backend = backend;
  dispatch_backend(backend, [&]<class Space>(const Space& space) {
    const Kokkos::DefaultHostExecutionSpace host;
    using Host = Kokkos::DefaultHostExecutionSpace;
    if (request.is_distributed(comm.size()))
      return measure_distributed(space, session, comm, request, result);
    if (request.weights.wanted()) return measure_weighted(space, session, comm, request, result);
    if (request.positions_only) return measure_positions(space, session, request, result);
    if (request.variant.placement == Placement::host)
      return measure_variant(host, session, comm, request, result,
                             VariantBuilder<Host>(host, request.variant.placement));
    if (request.variant.placement == Placement::count_on_device)
      return measure_variant(host, session, comm, request, result,
                             CountingBuilder<Space>(space, request.variant.batch > 0));
    measure_variant(space, session, comm, request, result,
                    VariantBuilder<Space>(space, request.variant.placement));
  });
  return result;
}

}  // namespace copse::orb
