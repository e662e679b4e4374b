/// \file
/// gravity_table [N [theta]]: errors and costs of Barnes-Hut walks of N Plummer particles as
/// Markdown tables; the defaults are N = 1e5 and theta = 0.6. Times are process CPU times; set
/// OMP_NUM_THREADS=1 for those of one thread.

#include "gravity_problem.hpp"
#include <copse/particles/generators.hpp>

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <random>

namespace copse::test {
namespace {

using HostSpace = Kokkos::DefaultHostExecutionSpace;
using Problem = GravityProblem<HostSpace>;

struct Kind {
  WalkKind walk;
  const char* name;
};
constexpr Kind kinds[] = {{WalkKind::group, "group"},
                          {WalkKind::fsm, "fsm"},
                          {WalkKind::lockstep, "lockstep"},
                          {WalkKind::stack, "ropes"}};

Problem plummer(Count n, std::uint32_t bucket_size) {
  GeneratorOptions options;
  options.kind = "plummer";
  options.particles = n;
  const auto particles = generate(HostSpace{}, options, 0, n);
  const HostMasses masses("copse::test::masses", n);
  Kokkos::deep_copy(masses, Real(1) / static_cast<Real>(n));
  return {
      HostSpace{}, particles.position, masses, {.bucket_size = bucket_size, .box = particles.box}};
}

std::vector<LocalIndex> some_rows(Count n, int count) {
  std::mt19937 random(7);
  std::vector<LocalIndex> rows;
  for (int i = 0; i < count; ++i) rows.push_back(static_cast<LocalIndex>(random() % n));
  return rows;
}

struct Errors {
  double median, at_99, largest, potential;
};

Errors errors_of(const std::vector<GravityField<Real>>& fields, const std::vector<LocalIndex>& rows,
                 const std::vector<GravityField<double>>& exact) {
  std::vector<double> off, potential;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    off.push_back(relative_error(fields[rows[i]], exact[i]));
    potential.push_back(
        std::abs(static_cast<double>(fields[rows[i]].potential) / exact[i].potential - 1.0));
  }
  std::sort(off.begin(), off.end());
  std::sort(potential.begin(), potential.end());
  return {off[off.size() / 2], off[off.size() * 99 / 100], off.back(),
          potential[potential.size() / 2]};
}

template <int Order>
void error_table(Problem& problem, const char* name) {
  const auto rows = some_rows(problem.size(), 256);
  const auto exact = direct_gravity(problem.host_points, problem.host_masses, rows, 0.0);
  fmt::print(
      "\n| {} theta | median | 99 % | largest | potential | nodes | rows | median of group |\n"
      "|---:|---:|---:|---:|---:|---:|---:|---:|\n",
      name);
  for (const double theta : {0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
    if (theta == 0.0 && problem.size() > 100000) continue;
    problem.open_at(theta);
    const auto e = errors_of(problem.fields<Order>(WalkKind::fsm), rows, exact);
    const auto group = errors_of(problem.fields<Order>(WalkKind::group), rows, exact);
    const auto counting = problem.counting_visitor();
    walk(problem.space, WalkKind::fsm, counting, {problem.size(), {}});
    problem.space.fence();
    const auto mean = [&](const auto& counts) {
      return std::accumulate(counts.data(), counts.data() + counts.extent(0), 0.0) /
             static_cast<double>(problem.size());
    };
    fmt::print("| {} | {:.2e} | {:.2e} | {:.2e} | {:.2e} | {:.0f} | {:.0f} | {:.2e} |\n", theta,
               e.median, e.at_99, e.largest, e.potential, mean(counting.nodes), mean(counting.rows),
               group.median);
    std::fflush(stdout);
  }
}

void cost_table(Count n, double theta) {
  fmt::print(
      "\n| bucket | nodes | walk | us per query | nodes per packet | utilisation |\n"
      "|---:|---:|---|---:|---:|---:|\n");
  for (const std::uint32_t bucket : {16u, 32u, 64u, 8u}) {
    Problem problem = plummer(n, bucket);
    problem.open_at(theta);
    const auto visitor = problem.visitor<2>(0.0);
    for (const Kind& kind : kinds) {
      double least = 1e300;
      for (int repeat = 0; repeat < 3; ++repeat) {
        const std::clock_t begin = std::clock();
        walk(problem.space, kind.walk, visitor, {n, {}});
        problem.space.fence();
        least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      }
      const auto counters = count_walk(problem.space, kind.walk, visitor, {n, {}});
      fmt::print("| {} | {} | {} | {:.3f} | {:.0f} | {:.2f} |\n", bucket, problem.tree.size(),
                 kind.name, 1e6 * least / static_cast<double>(n), counters.nodes_per_packet(),
                 counters.utilisation());
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace copse::test

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const auto n = static_cast<copse::Count>(argc > 1 ? std::atof(argv[1]) : 1e5);
  const double theta = argc > 2 ? std::atof(argv[2]) : 0.6;
  if (theta > 0.0) copse::test::cost_table(n, theta);
  auto problem = copse::test::plummer(n, 16);
  copse::test::error_table<2>(problem, "quadrupole");
  copse::test::error_table<1>(problem, "monopole");
}
