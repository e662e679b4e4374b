#pragma once
/// \file
/// Particles to link, and every method on every backend.

#include "../../common/domains/clustered_points.hpp"
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

using copse::test::clustered;
using copse::test::Row;
using copse::test::Sample;
using copse::test::to_points;

inline LinkProblem<Kokkos::HostSpace> problem_of(const Sample& sample, LinkingLengths links) {
  if (sample.v.empty()) links.velocity = std::numeric_limits<double>::infinity();
  return {to_points(sample.x), to_points(sample.v), make_friendship(links, sample.box)};
}

/// Labels from a test of all pairs in sequence: the simplest oracle.
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
    linker.link(problem, options, labels);  // reuses the scratch arrays of the first call
  });
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, labels);
  return {mirror.data(), mirror.data() + mirror.extent(0)};
}

/// Checks that every method on every backend gives these labels.
inline void check_labels(const LinkProblem<Kokkos::HostSpace>& problem,
                         const std::vector<LocalIndex>& expected, const LinkOptions& options = {}) {
  for_each_backend([&]<class Space>(Space space) {
    for (const std::string& method : exact_method_names()) {
      INFO(method << " on " << backend_name<Space>());
      CHECK(labels_of(space, method, problem, options) == expected);
    }
  });
}

/// The same, including the reference, with the labels from all pairs.
inline void check_sample(const Sample& sample, const LinkingLengths& links) {
  const auto problem = problem_of(sample, links);
  const auto expected = all_pairs_labels(sample, links);
  CHECK(reference_labels(problem, sample.box) == expected);
  check_labels(problem, expected);
}

}  // namespace copse::fof::test
