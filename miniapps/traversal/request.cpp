#include "request.hpp"

#include "benchmark.hpp"
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/random_order.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/lanes.hpp>
#include <copse/io/point_reader.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/particles/point_models.hpp>
#include <copse/particles/subsample.hpp>
#include <copse/traversal/correlation.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace copse::traversal {
namespace {

constexpr std::array<const char*, 4> schedule_names{"none", "sorted", "hybrid", "auto"};

template <class Names>
std::vector<std::string> names_and(const Names& names, const std::vector<std::string>& more) {
  std::vector<std::string> all(names.begin(), names.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Index of a name in the list that the command line accepts.
template <class Kind, class Names>
Kind kind_named(const std::string& name, const Names& names) {
  return static_cast<Kind>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Benchmarks that support the group walk.
const std::vector<std::string>& benchmarks_with_groups() {
  static const std::vector<std::string> with{"point-correlation", "nearest-neighbor", "knn",
                                             "barnes-hut"};
  return with;
}
bool has_groups(const std::string& benchmark) {
  const auto& with = benchmarks_with_groups();
  return std::find(with.begin(), with.end(), benchmark) != with.end();
}

/// Sum of the hashes of all points' coordinates, independent of their order.
template <class ExecutionSpace, class PointSet>
std::uint64_t checksum(const ExecutionSpace& space, const PointSet& points) {
  std::uint64_t checksum = 0;
  Kokkos::parallel_reduce(
      "copse::traversal::checksum", Kokkos::RangePolicy<ExecutionSpace>(space, 0, points.extent(0)),
      KOKKOS_LAMBDA(const Count i, std::uint64_t& sum) {
        std::uint64_t hash = 0x9e3779b97f4a7c15ull;
        for (std::size_t a = 0; a < points.extent(1); ++a) {
          hash ^= Kokkos::bit_cast<OrderedKey<Real>>(points(i, a));
          hash *= 0xff51afd7ed558ccdull;
          hash ^= hash >> 29;
        }
        sum += hash;
      },
      checksum);
  return checksum;
}

}  // namespace

const char* schedule_name(ScheduleKind kind) {
  return schedule_names[static_cast<std::size_t>(kind)];
}

void Request::declare(CLI::App& cli) {
  cli_ = &cli;
  app::add_choice_option(cli, "--benchmark", benchmark, benchmark_names(),
                         "What each query computes");
  app::add_count_option(cli, "--dimension", dimension, "Dimension of the points");
  app::add_choice_option(
      cli, "--walk", walk, names_and(walk_names, {"auto", "all"}),
      "Walk of the tree; auto: group with --schedule auto or sorted, on a GPU, and for "
      "barnes-hut on hosts with AVX2 or AVX-512; on hosts without these recursive for "
      "point-correlation, else ropes; ropes in searches with --schedule none on all hosts; "
      "else fsm; all: every walk, but group only if queries are scheduled");
  app::add_choice_option(cli, "--schedule", schedule, names_and(schedule_names, {"all"}),
                         "Order of the queries");
  app::add_choice_option(
      cli, "--scheduler", scheduler, {"device", "host"},
      "Where hybrid schedules are made: on the backend, or on the host as published");
  app::add_count_option(
      cli, "--profile-depth", profile_depth,
      "Depth of the top tree that is inspected; 0: a third of the tree's depth, or all of it if "
      "--profile-steps is 0 and the backend schedules guided walks",
      0);
  app::add_count_option(cli, "--profile-steps", profile.steps,
                        "Top leaves recorded per query of a guided walk; 0: only the first on the "
                        "backend, 4 on the host",
                        0);
  app::add_count_option(cli, "--profile-memory", profile.memory,
                        "Memory limit of the scheduling matrix on the backend, in bytes");
  app::add_choice_option(
      cli, "--tree", tree, {"auto", "kd", "hilbert", "morton"},
      "Order of the points in a tree of boxes; auto: the fastest on the backend");
  app::add_count_option(cli, "--bucket-size", bucket_size,
                        "Maximum points in a tree leaf; 0: 32, or 16 for barnes-hut", 0);
  app::add_choice_option(cli, "--queries", queries, {"own", "split"},
                         "All points, or a random half that searches the other half");
  app::add_count_option(cli, "--neighbors", neighbors, "Neighbours per knn query");
  app::add_flag(cli, "--from-root", from_root,
                "Search neighbours of the tree's points from the root, not from their own leaf");
  app::add_number_option(cli, "--radius", radius,
                         "Radius of point-correlation; default: derived from --mean-neighbors",
                         app::nonnegative_numbers);
  app::add_number_option(
      cli, "--mean-neighbors", mean_neighbors,
      "Mean number of points within the radius, if they were uniform in their bounding box",
      app::positive_numbers);
  app::add_flag(
      cli, "--correlation", correlation,
      "For point-correlation: measure the correlation function with pairs of random points");
  app::add_count_option(
      cli, "--bins", bins,
      fmt::format("Number of logarithmic separation bins of --correlation, at most {}",
                  most_separation_bins));
  app::add_number_option(
      cli, "--min-separation", least_separation,
      "Smallest separation of --correlation; default: a hundredth of the largest",
      app::positive_numbers);
  app::add_number_option(
      cli, "--max-separation", most_separation,
      "Largest separation of --correlation; default: a twentieth of the box's shortest side",
      app::positive_numbers);
  app::add_count_option(cli, "--random-factor", random_factor,
                        "Random points per point in --correlation");
  app::add_number_option(cli, "--theta", theta, "Opening angle of barnes-hut",
                         {0.0, 2.0, "FLOAT in [0 - 2]"});
  app::add_number_option(cli, "--softening", softening, "Plummer softening length of barnes-hut",
                         app::nonnegative_numbers);
  app::add_flag(cli, "--monopole", monopole, "Omit the quadrupoles of barnes-hut");
  app::add_parsed_option(cli, "--columns", "TEXT", "Columns of a text --input: 1-7 or lat,lon",
                         [this](const std::string& text) { columns = text; });
  app::add_flag(cli, "--project", project,
                "Project the rows of --input randomly to --dimension coordinates");
  app::add_flag(
      cli, "--trace", trace,
      "Report which queries of one packet visit which nodes in the lockstep walk, on a host");
}

void Request::settle(const app::CommonOptions& common) {
  refuse_impossible(common);
  walks = wanted_walks(common);
  refuse_without_effect(common);
  if (correlation) check_correlation(common);
  // A GPU sorts along a curve in a few passes over memory, but a kd-tree takes several passes per
  // level. This outweighs the slower walks through the curve's larger boxes, in 3 and in 7
  // dimensions.
  if (tree == "auto") tree = common.backend == "cuda" ? "hilbert" : "kd";
  profile.depth = static_cast<int>(profile_depth);
  schedules = {ScheduleKind::none, ScheduleKind::sorted, ScheduleKind::hybrid,
               ScheduleKind::automatic};
  if (schedule != "all") schedules = {kind_named<ScheduleKind>(schedule, schedule_names)};
}

void Request::refuse_impossible(const app::CommonOptions& common) const {
  if (dimension < 1 || dimension > 8)
    throw InputError(fmt::format("--dimension {} is not from 1 to 8", dimension));
  dispatch_dimension(static_cast<int>(dimension), [](auto) {});
  if (bucket_size > 65536)
    throw InputError(fmt::format("--bucket-size {} is more than the maximum, 65536", bucket_size));
  if (profile_depth > 15)
    throw InputError(fmt::format("--profile-depth {} is more than the maximum, 15", profile_depth));
  if (neighbors > 32)
    throw InputError(fmt::format("--neighbors {} is more than the maximum, 32", neighbors));
  if (!common.input)
    check_point_model({common.generate, common.particles, common.seed},
                      static_cast<int>(dimension));
  if (common.dry_run && common.input)
    throw InputError("--dry-run does not read files: give --particles instead of --input");
}

void Request::check_correlation(const app::CommonOptions& common) const {
  if (queries == "split")
    throw InputError(
        "--correlation does not support --queries split: it counts pairs of all points");
  if (common.box && dimension != 3)
    throw InputError(
        "--box is three-dimensional: in other dimensions the random points of --correlation fill "
        "the bounding box of the data");
  if (common.box)
    for (const bool periodic : common.box->periodic)
      if (periodic) throw InputError("--correlation does not support a periodic --box");
  // Separations that depend on the points are checked after the points are loaded.
  if (bins > most_separation_bins)
    throw InputError(
        fmt::format("--bins {} is more than the maximum, {}", bins, most_separation_bins));
  if (most_separation) separation_edges(*most_separation);
}

std::vector<WalkKind> Request::wanted_walks(const app::CommonOptions& common) const {
  const bool on_device = common.backend == "cuda";
  if (on_device && walk == "recursive")
    throw InputError("--walk recursive runs on hosts only, not on --backend cuda");
  const bool groups = has_groups(benchmark) && !correlation;
  if (walk == "group" && !groups)
    throw InputError(fmt::format("--walk group is for --benchmark {}, and not for --correlation",
                                 fmt::join(benchmarks_with_groups(), ", ")));
  if (walk == "auto") {
    const bool together = schedule == "auto" || schedule == "sorted";
    const bool bodies = benchmark == "barnes-hut" && packets_are_vectors;
    if (groups && together && (on_device || bodies)) return {WalkKind::group};
    // On hosts, queries are faster alone than in packets if there are no vectors, or in searches if
    // the queries are unsorted. Bodies are faster in packets of vectors. With AVX-512 hard searches
    // differ: alone, point-correlation and ball-tree take up to 2.6 times as long as the best walk
    // for hard inputs in 7 dimensions. --schedule none accepts that.
    const bool alone = !on_device && schedule == "none" && !bodies;
    // In vantage-point trees on an H200, the stack is 2.3 times as fast as the state machine in the
    // plane and up to 1.9 times slower in 7 dimensions.
    const bool shells_in_plane = on_device && benchmark == "vantage-point" && dimension <= 2;
    const WalkKind walk_kind = alone || shells_in_plane ? WalkKind::stack : usual_walk(on_device);
    // Without vectors, recursion takes 0.8 to 0.9 times as long as the stack to count points, but
    // as long or longer in the plane. In searches and for bodies the two take the same time, or the
    // stack less.
    const bool counts = benchmark == "point-correlation" && dimension > 2 && !packets_are_vectors;
    return {walk_kind == WalkKind::stack && counts ? WalkKind::recursive : walk_kind};
  }
  if (walk != "all") return {kind_named<WalkKind>(walk, walk_names)};
  std::vector<WalkKind> all{WalkKind::lockstep, WalkKind::fsm, WalkKind::stack};
  if (groups) all.push_back(WalkKind::group);
  if (!on_device) all.push_back(WalkKind::recursive);
  return all;
}

bool Request::given(const std::string& option) const {
  return app::is_given(*cli_, option);
}

double Request::radius_in(double volume, Count points) const {
  if (radius) return *radius;
  if (!(volume > 0))
    throw InputError(
        "the bounding box of the points has no volume, so --mean-neighbors gives no radius: give "
        "--radius");
  const double d = static_cast<double>(dimension);
  const double ball = std::pow(std::numbers::pi, 0.5 * d) / std::tgamma(0.5 * d + 1.0);
  const double density = static_cast<double>(points) / volume;
  return std::pow(mean_neighbors / (density * ball), 1.0 / d);
}

std::vector<Real> Request::separation_edges(double reach) const {
  const double most = most_separation.value_or(reach);
  const double least = least_separation.value_or(most / 100);
  if (!(least < most))
    throw InputError(
        fmt::format("--min-separation {} is not less than --max-separation {}{}", least, most,
                    most_separation ? "" : ", a twentieth of the box's shortest side"));
  auto edges = logarithmic_edges(least, most, bins);
  check_separation_edges(edges, most_separation_bins);
  return edges;
}

Count Request::random_points(Count points) const {
  if (random_factor > max_particles_per_rank / std::max<Count>(points, 1))
    throw InputError(fmt::format(
        "--random-factor {} for {} points: more than the 2^32 points that one rank can hold",
        random_factor, points));
  return random_factor * points;
}

template <int Dim, class ExecutionSpace>
PointInput<Dim, typename ExecutionSpace::memory_space> load_input(app::Session& session,
                                                                  const ExecutionSpace& space,
                                                                  const Request& request) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using PointSet = Points<Dim, MemorySpace>;
  const Kokkos::Profiling::ScopedRegion region("copse::traversal::load");
  const auto& options = session.options();
  PointSet points;
  std::string source;
  if (options.input) {
    io::PointFileOptions reading;
    reading.columns = request.columns;
    if (request.project) reading.projection = 42;  // one projection, whatever --seed
    reading.progress = session.progress("reading");
    const auto on_host = io::read_points<Dim>(*options.input, reading);
    points = PointSet(Kokkos::view_alloc("copse::traversal::points", Kokkos::WithoutInitializing),
                      on_host.extent(0));
    Kokkos::deep_copy(points, on_host);
    source = options.input->string();
  } else {
    points = generate_points<Dim>(space, {options.generate, options.particles, options.seed}, 0,
                                  options.particles);
    source = fmt::format("{} seed {} {}-D", options.generate, options.seed, Dim);
  }
  if (options.subsample) {
    if (*options.subsample > points.extent(0))
      throw InputError(fmt::format("--subsample {} is more than the {} particles",
                                   *options.subsample, points.extent(0)));
    points = subsample_points<Dim>(space, points, *options.subsample, options.seed);
    source += fmt::format(" subsample {}", *options.subsample);
  }
  const Box<Dim> box = bounding_box(space, points);
  Box<3> reported;
  for (int a = 0; a < 3 && a < Dim; ++a) {
    reported.lower[a] = box.lower[a];
    reported.upper[a] = box.upper[a];
  }
  session.report().set_input({points.extent(0), reported, source, checksum(space, points)});

  if (request.queries != "split") return {points, points, true};
  if (points.extent(0) < 2) throw InputError("--queries split needs at least two points to divide");
  Workspace<MemorySpace> workspace;
  const auto halves = split_points<Dim>(space, points, options.seed, workspace);
  return {halves.tree, halves.queries, false};
}

#define COPSE_INSTANTIATE(ExecutionSpace, Dim)                            \
  template PointInput<Dim, ExecutionSpace::memory_space> load_input<Dim>( \
      app::Session&, const ExecutionSpace&, const Request&);
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::traversal
