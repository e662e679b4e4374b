#pragma once
/// \file
/// Particles to link, and every method on every backend that links them.

#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fof/methods.hpp>
#include <fof/reference.hpp>
#include <limits>
#include <random>
#include <vector>

namespace copse::fof::test {

using Row = std::array<Real, 3>;

/// Particles on the host.
struct Sample {
  std::vector<Row> x;
  std::vector<Row> v;  ///< empty in 3-D
  Box<3> box = unit_box<3>();
};

/// Half of the particles in clumps around others, the rest anywhere, in a box with sides of 1, 1
/// and `height`; velocities spread by 1.
inline Sample clustered(std::size_t n, unsigned seed, bool periodic, bool velocities,
                        Real height = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> anywhere(0.0, 1.0);
  std::normal_distribution<double> near(0.0, 0.01), speed(0.0, 1.0);
  Sample sample;
  sample.box = unit_box<3>(periodic);
  sample.box.upper[2] = height;
  for (std::size_t i = 0; i < n; ++i) {
    Row x{};
    const std::size_t center = sample.x.empty() ? 0 : random() % sample.x.size() / 8;
    for (int a = 0; a < 3; ++a) {
      const double side = static_cast<double>(sample.box.upper[a]);
      double here = anywhere(random) * side;
      if (i > 8 && i % 2 == 0) here = static_cast<double>(sample.x[center][a]) + near(random);
      here = periodic ? here - std::floor(here / side) * side : here;
      x[a] = static_cast<Real>(std::clamp(here, 0.0, side));
    }
    sample.x.push_back(x);
    if (velocities)
      sample.v.push_back({static_cast<Real>(speed(random)), static_cast<Real>(speed(random)),
                          static_cast<Real>(speed(random))});
  }
  return sample;
}

inline Points<3, Kokkos::HostSpace> to_points(const std::vector<Row>& rows) {
  Points<3, Kokkos::HostSpace> points("copse::test::points", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int a = 0; a < 3; ++a) points(i, a) = rows[i][a];
  return points;
}

inline LinkProblem<Kokkos::HostSpace> problem_of(const Sample& sample, LinkingLengths links) {
  if (sample.v.empty()) links.velocity = std::numeric_limits<double>::infinity();
  return {to_points(sample.x), to_points(sample.v), make_friendship(links, sample.box)};
}

/// Labels by all pairs, one after the other: the slowest and plainest oracle.
inline std::vector<LocalIndex> all_pairs_labels(const Sample& sample, LinkingLengths links) {
  const auto problem = problem_of(sample, links);
  const auto& rule = problem.friendship;
  const std::size_t n = sample.x.size();
  std::vector<LocalIndex> labels(n);
  for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<LocalIndex>(i);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      Real sum = 0;
      for (int a = 0; a < 3; ++a) {
        const Real d = std::fabs(sample.x[i][a] - sample.x[j][a]);
        sum = std::fma(std::min(d, rule.period[a] - d), std::min(d, rule.period[a] - d), sum);
      }
      if (!sample.v.empty()) {
        Real speed2 = 0;
        for (int a = 0; a < 3; ++a) {
          const Real d = sample.v[i][a] - sample.v[j][a];
          speed2 = std::fma(d, d, speed2);
        }
        sum = std::fma(speed2, rule.velocity_factor, sum);
      }
      if (!(sum < rule.reach2) || labels[i] == labels[j]) continue;
      const LocalIndex least = std::min(labels[i], labels[j]);
      const LocalIndex most = std::max(labels[i], labels[j]);
      std::replace(labels.begin(), labels.end(), most, least);
    }
  return labels;
}

template <class Space>
std::vector<LocalIndex> labels_of(const Space& space, const std::string& method,
                                  const LinkProblem<Kokkos::HostSpace>& host,
                                  const LinkOptions& options = {}) {
  using MemorySpace = typename Space::memory_space;
  const LinkProblem<MemorySpace> problem{
      Kokkos::create_mirror_view_and_copy(MemorySpace{}, host.position),
      Kokkos::create_mirror_view_and_copy(MemorySpace{}, host.velocity), host.friendship};
  const Labels<MemorySpace> labels("copse::test::labels", host.size());
  with_linker(method, space, [&](auto linker) {
    linker.link(problem, options, labels);
    linker.link(problem, options, labels);  // with the scratch arrays of the first time
  });
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, labels);
  return {mirror.data(), mirror.data() + mirror.extent(0)};
}

/// Every method on every backend gives these labels.
inline void check_labels(const LinkProblem<Kokkos::HostSpace>& problem,
                         const std::vector<LocalIndex>& expected, const LinkOptions& options = {}) {
  for_each_backend([&]<class Space>(Space space) {
    for (const std::string& method : exact_method_names()) {
      INFO(method << " on " << backend_name<Space>());
      CHECK(labels_of(space, method, problem, options) == expected);
    }
  });
}

/// The same, and the reference too, against all pairs.
inline void check_sample(const Sample& sample, const LinkingLengths& links) {
  const auto problem = problem_of(sample, links);
  const auto expected = all_pairs_labels(sample, links);
  CHECK(reference_labels(problem, sample.box) == expected);
  check_labels(problem, expected);
}

}  // namespace copse::fof::test
