// What [Liu 2019] chapter 4 prints, taken literally. Oracles: its own tables, and the mass of all
// bodies.
#include "body_problem.hpp"
#include <copse/backend/backends.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>

namespace copse::test {
namespace {

using Catch::Approx;

/// Seconds of one input in a group of table 4.3: buckets of 32 and 64.
struct Seconds {
  std::array<double, 2> before, after;
};
/// lambs, lambb, dwf1, dwf1.6144 on one node.
using Group = std::array<Seconds, 4>;
constexpr Group one_process{{{{9.58, 5.10}, {1.06, 0.85}},
                             {{359.67, 189.29}, {31.85, 26.01}},
                             {{16.89, 9.16}, {1.71, 1.40}},
                             {{194.84, 103.93}, {19.69, 16.95}}}};
constexpr Group four_processes{{{{3.08, 1.66}, {1.22, 0.89}},
                                {{101.22, 54.38}, {29.55, 23.18}},
                                {{6.26, 3.42}, {3.15, 1.95}},
                                {{67.52, 37.07}, {40.73, 25.20}}}};
constexpr Group eight_processes{{{{1.89, 1.07}, {1.05, 0.77}},
                                 {{55.16, 30.94}, {24.07, 19.83}},
                                 {{3.49, 1.90}, {2.40, 1.55}},
                                 {{38.40, 20.71}, {26.75, 16.32}}}};

/// Mean speed-up for one size of buckets.
double mean_speed_up(const Group& group, std::size_t bucket) {
  double sum = 0.0;
  for (const Seconds& s : group) sum += s.before[bucket] / s.after[bucket];
  return sum / 4;
}

TEST_CASE("The mean speed-up of table 4.3 counts the baseline's worse bucket") {
  const double worse = mean_speed_up(one_process, 0), better = mean_speed_up(one_process, 1);
  CHECK((worse + better) / 2 == Approx(8.25).margin(0.01));  // as printed
  CHECK(better == Approx(6.49).margin(0.01));
  for (const Seconds& s : one_process) CHECK(s.before[1] < s.before[0]);
}

TEST_CASE("In table 4.3 more processes on the same four GPUs are faster, so GPUs do not limit") {
  for (std::size_t input = 0; input < 4; ++input)
    for (std::size_t bucket = 0; bucket < 2; ++bucket) {
      CHECK(eight_processes[input].after[bucket] < four_processes[input].after[bucket]);
      // The whole step on one GPU bounds the local walks of four.
      if (input != 1) CHECK(four_processes[input].after[bucket] > one_process[input].after[bucket]);
    }
}

TEST_CASE("Shares that the text of section 4.4 draws from tables 4.4 and 4.5") {
  constexpr double lists = 8000, to_device = 235.29, bodies = 180.52, cells = 95.16, back = 4.59;
  constexpr double new_to_device = 16.24, walk = 297.11, new_back = 4.54;  // all in milliseconds
  CHECK(walk / (bodies + cells) == Approx(1.078).margin(0.001));           // text: 10 % more
  CHECK(walk / to_device == Approx(1.263).margin(0.001));                  // text: 25 % more
  CHECK((bodies + cells) / lists == Approx(0.034).margin(0.001));          // section 4.1.3: 5 %
  CHECK(to_device / (to_device + bodies + cells + back) == Approx(0.456).margin(0.001));
  CHECK(new_to_device / (new_to_device + walk + new_back) == Approx(0.051).margin(0.001));
  // The text has 46 % and 5 %: right.
  CHECK((new_to_device + walk + new_back) / 1000 ==
        Approx(0.318).margin(0.001));  // of 1.06 s in table 4.3
}

/// Extremes of a difference of two numbers that are printed to half a unit of their last digit.
struct Range {
  double least, most;
};
Range difference(double a, double b, double half_unit) {
  return {a - b - 2 * half_unit, a - b + 2 * half_unit};
}

TEST_CASE("The digits of table 4.2 leave the bodies saved per cell uncertain") {
  // Bodies saved by deciding for buckets, and cells gained.
  const auto ratio = [](const Range& bodies, const Range& cells) {
    return Range{bodies.least / cells.most, cells.least > 0 ? bodies.most / cells.least : INFINITY};
  };
  // 1.00E9 has a larger unit than 9.55E8.
  const Range lambs =
      ratio(difference(4.30e9, 3.37e9, 0.5e7), {1.00e9 - 9.55e8 - 5.5e6, 1.00e9 - 9.55e8 + 5.5e6});
  const Range lambb = ratio({1.17e11 - 9.61e10 - 5.5e8, 1.17e11 - 9.61e10 + 5.5e8},
                            difference(5.33e10, 5.30e10, 0.5e8));
  const Range dwf1 = ratio(difference(4.52e9, 4.02e9, 0.5e7), difference(1.52e9, 1.49e9, 0.5e7));
  const Range zoomed =
      ratio(difference(4.29e10, 4.12e10, 0.5e8), difference(1.99e10, 1.98e10, 0.5e8));
  CHECK((lambs.least > 18 && lambs.most < 24));
  CHECK((dwf1.least > 12 && dwf1.most < 26));
  CHECK((zoomed.least > 7 && std::isinf(zoomed.most)));
  CHECK((lambb.least > 50 && lambb.most < 108));  // more than a bucket of 32 holds
}

TEST_CASE("The published walk of the GPU stops at the root") {
  // [Liu 2019] figure 4.4, lines 19 to 22, stand in the branch for leaves: children are pushed
  // for nodes that have none.
  gravity::BodyTreeBuilder<Kokkos::DefaultHostExecutionSpace> builder(
      Kokkos::DefaultHostExecutionSpace{});
  const auto request = request_for(0.7, 2);
  gravity::BodyTree<Kokkos::HostSpace> bodies;
  builder.build(clustered_bodies(2000), request, 12, bodies);
  builder.compute_moments(request, bodies);
  const auto found = [&](bool as_printed) {
    const Kokkos::Array<Real, 3> target{bodies.points(0, 0), bodies.points(0, 1),
                                        bodies.points(0, 2)};
    std::vector<Node> stack{0};
    Count rows = 0;
    while (!stack.empty()) {
      const Node node = stack.back();
      stack.pop_back();
      const OctreeNode here = bodies.octree.nodes(node);
      double square = 0.0;
      for (std::size_t a = 0; a < 3; ++a)
        square += std::pow(double(target[a] - bodies.gravity.monopole(node).centre[a]), 2);
      const bool opens = square <= double(bodies.gravity.opening2(node));
      const bool computes_particles = opens && here.is_leaf();
      if (!opens || computes_particles) rows += here.rows();
      if (as_printed ? computes_particles : opens)
        for (Node c = 0; c < here.child_count; ++c) stack.push_back(here.first_child + c);
    }
    return rows;
  };
  CHECK(found(false) == 2000);
  CHECK(found(true) == 0);
}

}  // namespace
}  // namespace copse::test
