/// \file
/// schedule_table [N [T]]: the quality of the schedulers, as the Markdown tables of
/// docs/paper-traversal.md. First against the exact optimum of small instances, then for N queries
/// (default 2000) against nearest neighbour and 2-opt, last the times for T queries (default:
/// none).

#include "difference.hpp"
#include "sched.hpp"
#include "walks_in_cube.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/buckets.hpp>
#include <copse/traversal/schedule/sandpile.hpp>
#include <copse/traversal/schedule/signature.hpp>

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <functional>

namespace copse::test {
namespace {

using HostSpace = Kokkos::DefaultHostExecutionSpace;

/// One set of queries with the matrices of both kinds of walk.
struct Instance {
  Count leaves;
  VisitMatrix<Host> visits;
  StepMatrix<Host> steps;
  std::vector<std::uint64_t> tree_key;
  Count size() const { return visits.extent(0); }
};

template <std::size_t Dim>
Instance instance_in_cube(Count n, int depth, double radius, unsigned seed) {
  const WalksInCube<Dim> cube(depth, radius);
  StepRows unguided, guided;
  std::vector<std::uint64_t> keys;
  Count longest = 1;
  for (const auto& point : random_points<Dim>(n, seed)) {
    unguided.push_back(cube.walk(point, false));
    guided.push_back(cube.walk(point, true));
    keys.push_back(cube.tree_key(point));
    longest = std::max<Count>(longest, guided.back().size());
  }
  return {cube.leaves(), visits_of_walks(unguided, cube.leaves()), step_matrix(guided, longest),
          keys};
}

/// Packs the first four steps of a query into one number, the earliest in the highest bits; 0 past
/// the end of the row.
std::uint64_t first_steps(const StepMatrix<Host>& steps, Count query) {
  std::uint64_t key = 0;
  for (Count i = 0; i < 4; ++i) key = key << 16 | (i < steps.extent(1) ? steps(query, i) : Step{0});
  return key;
}

template <class Matrix>
HostSchedule by_signature(const Matrix& matrix, Count leaves) {
  const Count n = matrix.extent(0);
  const SignatureFormat format(leaves);
  const Kokkos::View<Signature*, Kokkos::LayoutLeft, Host> signature("signature", n);
  const ScheduleView<Host> order("order", n);
  Workspace<Host> workspace;
  write_signatures(HostSpace{}, matrix, format, signature);
  signature_order(HostSpace{}, format, signature, order, workspace);
  return to_vector<Host>(order);
}

struct Scheduler {
  std::string name;
  std::function<HostSchedule(const Instance&)> schedule;
};

std::vector<Scheduler> schedulers() {
  const auto into_order = [](Count n, const auto& fill) {
    const ScheduleView<Host> order("order", n);
    Workspace<Host> workspace;
    fill(order, workspace);
    return to_vector<Host>(order);
  };
  return {
      {"input order",
       [](const Instance& i) {
         return stably_sorted(i.size(), [](LocalIndex, LocalIndex) { return false; });
       }},
      {"tree order",
       [](const Instance& i) {
         return stably_sorted(
             i.size(), [&](LocalIndex a, LocalIndex b) { return i.tree_key[a] < i.tree_key[b]; });
       }},
      {"sandpile",
       [=](const Instance& i) {
         return into_order(i.size(), [&](const auto& order, auto& workspace) {
           sandpile(HostSpace{}, i.visits, i.leaves, order, workspace);
         });
       }},
      {"buckets, 32",
       [=](const Instance& i) {
         return into_order(i.size(), [&](const auto& order, auto& workspace) {
           buckets(HostSpace{}, i.steps, order, workspace);
         });
       }},
      {"whole sequences",
       [=](const Instance& i) {
         return into_order(i.size(), [&](const auto& order, auto& workspace) {
           buckets(HostSpace{}, i.steps, order, workspace, 1);
         });
       }},
      {"first four steps",
       [](const Instance& i) {
         return stably_sorted(i.size(), [&](LocalIndex a, LocalIndex b) {
           return first_steps(i.steps, a) < first_steps(i.steps, b);
         });
       }},
      {"signature of visits", [](const Instance& i) { return by_signature(i.visits, i.leaves); }},
      {"signature of steps", [](const Instance& i) { return by_signature(i.steps, i.leaves); }},
      {"nearest neighbour",
       [](const Instance& i) { return nearest_neighbour_schedule(DifferenceTable(i.visits)); }},
      {"nearest neighbour and 2-opt", [](const Instance& i) {
         const DifferenceTable difference(i.visits);
         return two_opt(difference, nearest_neighbour_schedule(difference));
       }}};
}

Count cost(const Instance& i, const HostSchedule& order) {
  const ConstSchedule<Host> view(order.data(), order.size());
  return total_difference(HostSpace{}, i.visits, view);
}

double expansion(const Instance& i, const HostSchedule& order) {
  const ConstSchedule<Host> view(order.data(), order.size());
  return static_cast<double>(packet_visits(HostSpace{}, i.visits, view, 32)) /
         static_cast<double>(packet_visits(HostSpace{}, i.visits, view, 1));
}

/// Ratios of Delta to the optimum over instances of 12 queries. \return false if one is below 1
bool small_table(const std::string& what, const std::function<Instance(unsigned)>& make) {
  constexpr unsigned instances = 200;
  std::vector<Instance> all;
  std::vector<Count> best;
  for (unsigned seed = 0; all.size() < instances; ++seed) {
    Instance one = make(seed);
    const DifferenceTable difference(one.visits);
    const Count least = difference.cost(sched_optimum(difference));
    if (least == 0) continue;
    all.push_back(one);
    best.push_back(least);
  }
  fmt::print("\n{}, {} instances of {} queries, Delta over the optimum:\n\n", what, instances,
             all[0].size());
  fmt::print("| schedule | mean | worst | optimal |\n|---|---|---|---|\n");
  bool sound = true;
  for (const auto& [name, schedule] : schedulers()) {
    double sum = 0, worst = 0;
    int optimal = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Count here = cost(all[k], schedule(all[k]));
      sound = sound && here >= best[k];
      const double ratio = static_cast<double>(here) / static_cast<double>(best[k]);
      sum += ratio;
      worst = std::max(worst, ratio);
      optimal += here == best[k];
    }
    fmt::print("| {} | {:.2f} | {:.2f} | {} |\n", name, sum / instances, worst, optimal);
  }
  return sound;
}

void medium_table(const std::string& what, const Instance& instance) {
  const auto all = schedulers();
  const Count reference = cost(instance, all.back().schedule(instance));
  const HostSchedule input = all.front().schedule(instance);
  const ConstSchedule<Host> view(input.data(), input.size());
  fmt::print("\n{}: {} queries, {} of {} top leaves reached on average:\n\n", what, instance.size(),
             fmt::format("{:.1f}",
                         static_cast<double>(packet_visits(HostSpace{}, instance.visits, view, 1)) /
                             static_cast<double>(instance.size())),
             instance.leaves);
  fmt::print("| schedule | Delta / 2-opt | leaves visited by packets of 32 / by queries |\n");
  fmt::print("|---|---|---|\n");
  for (const auto& [name, schedule] : all) {
    const HostSchedule order = schedule(instance);
    fmt::print("| {} | {:.2f} | {:.2f} |\n", name,
               static_cast<double>(cost(instance, order)) / static_cast<double>(reference),
               expansion(instance, order));
  }
}

void large_table(Count n) {
  const std::vector<Instance> instances = {instance_in_cube<2>(n, 8, 0.1, 1),
                                           instance_in_cube<3>(n, 8, 0.15, 2),
                                           instance_in_cube<7>(n, 8, 0.4, 3)};
  fmt::print("\n{} queries, 256 top leaves, leaves visited by packets of 32 / by queries:\n\n", n);
  fmt::print("| schedule | square, 0.1 | cube, 0.15 | 7-cube, 0.4 |\n|---|---|---|---|\n");
  const auto all = schedulers();
  for (std::size_t k = 0; k + 2 < all.size(); ++k) {  // without the two that need an n^2 table
    fmt::print("| {} |", all[k].name);
    for (const auto& one : instances) fmt::print(" {:.2f} |", expansion(one, all[k].schedule(one)));
    fmt::print("\n");
  }
}

/// Minimum of five runs, in milliseconds.
template <class Space, class Body>
double milliseconds(const Space& space, const Body& body) {
  double best = 1e30;
  for (int repeat = 0; repeat < 6; ++repeat) {
    space.fence();
    const Kokkos::Timer timer;
    body();
    space.fence();
    if (repeat > 0) best = std::min(best, 1000 * timer.seconds());
  }
  return best;
}

template <class Space>
void time_backend(const Space& space, const Instance& instance) {
  using Memory = typename Space::memory_space;
  const auto visits = copy_to(instance.visits, Memory{});
  const auto steps = copy_to(instance.steps, Memory{});
  const Count n = instance.size();
  const ScheduleView<Memory> order("order", n);
  const SignatureFormat format(instance.leaves);
  const Kokkos::View<Signature*, Kokkos::LayoutLeft, Memory> signature("signature", n);
  Workspace<Memory> workspace;
  const auto row = [&](const std::string& name, const auto& body) {
    fmt::print("| {} | {} | {} | {:.1f} |\n", name, backend_name<Space>(), space.concurrency(),
               milliseconds(space, body));
  };
  if constexpr (runs_on_host<Space>) {
    row("sandpile", [&] { sandpile(space, visits, instance.leaves, order, workspace); });
    row("buckets, 32", [&] { buckets(space, steps, order, workspace); });
  } else {
    Kokkos::View<VisitWord**, Kokkos::LayoutLeft, Kokkos::SharedHostPinnedSpace> pinned(
        "pinned", visits.extent(0), visits.extent(1));
    row("visits to pinned memory", [&] { Kokkos::deep_copy(space, pinned, visits); });
  }
  row("signature of visits", [&] {
    write_signatures(space, visits, format, signature);
    signature_order(space, format, signature, order, workspace);
  });
  row("signature of steps", [&] {
    write_signatures(space, steps, format, signature);
    signature_order(space, format, signature, order, workspace);
  });
}

void time_table(Count n) {
  const Instance instance = instance_in_cube<2>(n, 8, 0.05, 5);
  fmt::print("\n{} queries, {} top leaves, up to {} steps:\n\n", n, instance.leaves,
             instance.steps.extent(1));
  fmt::print("| schedule | backend | concurrency | ms |\n|---|---|---|---|\n");
  for_each_backend([&](auto space) { time_backend(space, instance); });
}

Instance random_instance(unsigned seed) {
  const BitRows rows = random_bit_rows(12, 32, seed);
  StepRows steps(rows.size());
  for (Count q = 0; q < rows.size(); ++q)
    for (Count c = 0; c < 32; ++c)
      if (rows[q][c] != 0) steps[q].push_back(static_cast<Step>(c + 1));
  return {32, visit_matrix(rows), step_matrix(steps, 32), std::vector<std::uint64_t>(12)};
}

bool print_tables(Count medium, Count large, Count timed) {
  bool sound = small_table("Random rows of 32 leaves", random_instance);
  sound = small_table("Balls of radius 0.2 in the square, 32 leaves",
                      [](unsigned seed) { return instance_in_cube<2>(12, 5, 0.2, seed); }) &&
          sound;
  medium_table("Balls of radius 0.1 in the square", instance_in_cube<2>(medium, 6, 0.1, 1));
  medium_table("Balls of radius 0.15 in the cube", instance_in_cube<3>(medium, 8, 0.15, 2));
  medium_table("Balls of radius 0.4 in the 7-cube", instance_in_cube<7>(medium, 8, 0.4, 3));
  large_table(large);
  if (timed > 0) time_table(timed);
  return sound;
}

}  // namespace
}  // namespace copse::test

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const auto number = [&](int i, copse::Count otherwise) {
    return argc > i ? static_cast<copse::Count>(std::atoll(argv[i])) : otherwise;
  };
  if (copse::test::print_tables(number(1, 2000), number(2, 100000), number(3, 0)))
    return EXIT_SUCCESS;
  fmt::print(stderr, "a schedule costs less than the optimum\n");
  return EXIT_FAILURE;
}
