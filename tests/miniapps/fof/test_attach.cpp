// Oracle: every linked particle is looked at for each of the others, in the order of rows.
#include "link_cases.hpp"

#include <catch2/generators/catch_generators.hpp>

#include <fof/species/attach.hpp>
#include <fof/species/nearest_linked.hpp>

namespace copse::fof::test {
namespace {

using HostRows = RowList<Kokkos::HostSpace>;

HostRows to_rows(const std::vector<LocalIndex>& rows) {
  HostRows list("copse::test::rows", rows.size());
  std::copy(rows.begin(), rows.end(), list.data());
  return list;
}

/// Every third particle is linked, from the second on.
bool is_linked(std::size_t row) {
  return row % 3 == 1;
}

struct Split {
  Sample linked, others;
  std::vector<LocalIndex> linked_rows, other_rows;
};

Split split(const Sample& sample) {
  Split parts;
  parts.linked.box = parts.others.box = sample.box;
  for (std::size_t i = 0; i < sample.x.size(); ++i) {
    auto& part = is_linked(i) ? parts.linked : parts.others;
    part.x.push_back(sample.x[i]);
    (is_linked(i) ? parts.linked_rows : parts.other_rows).push_back(static_cast<LocalIndex>(i));
  }
  return parts;
}

std::vector<LocalIndex> nearest_by_all_pairs(const Split& parts, const Friendship& rule) {
  std::vector<LocalIndex> nearest(parts.others.x.size(), nobody_near);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    Real least = rule.reach2;
    for (std::size_t j = 0; j < parts.linked.x.size(); ++j) {
      Real sum = 0;
      for (int a = 0; a < 3; ++a) {
        const Real d = std::fabs(parts.others.x[i][a] - parts.linked.x[j][a]);
        const Real shorter = std::min(d, rule.period[a] - d);
        sum = std::fma(shorter, shorter, sum);
      }
      if (!(sum < least)) continue;
      least = sum;
      nearest[i] = static_cast<LocalIndex>(j);
    }
  }
  return nearest;
}

void check_attached(const Sample& sample, double length) {
  const Split parts = split(sample);
  const LinkingLengths links{.length = length, .velocity = std::numeric_limits<double>::infinity()};
  const auto linked = problem_of(parts.linked, links);
  const auto groups = reference_labels(linked, sample.box);
  const auto nearest = nearest_by_all_pairs(parts, linked.friendship);
  // Whoever comes first in a group gives it its label.
  const std::size_t n = sample.x.size();
  std::vector<std::size_t> group_of_row(n);
  for (std::size_t i = 0; i < n; ++i) group_of_row[i] = n + i;
  for (std::size_t k = 0; k < groups.size(); ++k) group_of_row[parts.linked_rows[k]] = groups[k];
  for (std::size_t k = 0; k < nearest.size(); ++k)
    if (nearest[k] != nobody_near) group_of_row[parts.other_rows[k]] = groups[nearest[k]];
  std::vector<LocalIndex> expected(n);
  for (std::size_t i = 0; i < n; ++i)
    expected[i] = static_cast<LocalIndex>(
        std::find(group_of_row.begin(), group_of_row.end(), group_of_row[i]) -
        group_of_row.begin());
  for_each_backend([&]<class Space>(Space space) {
    INFO(backend_name<Space>());
    const auto there = [](const auto& view) {
      return Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, view);
    };
    const auto here = [](const auto& view) {
      const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
      return std::vector<LocalIndex>(mirror.data(), mirror.data() + mirror.extent(0));
    };
    const auto found = find_nearest_linked(space, there(linked.position),
                                           there(to_points(parts.others.x)), linked.friendship);
    CHECK(here(found) == nearest);
    CHECK(here(attach_labels(space, there(to_rows(parts.linked_rows)),
                             there(to_rows(parts.other_rows)), there(to_rows(groups)), found)) ==
          expected);
  });
}

TEST_CASE("Others join the group of the nearest linked particle, and a smaller row its label") {
  const bool periodic = GENERATE(false, true);
  const double length = GENERATE(0.003, 0.02, 0.1);
  check_attached(clustered(1200, 3, periodic, false), length);
}

TEST_CASE("Of equally near particles the one with the smallest row attaches") {
  Sample lattice;
  lattice.box = unit_box<3>(true);
  for (int i = 0; i < 512; ++i)
    lattice.x.push_back({static_cast<Real>(i % 8) / 8, static_cast<Real>(i / 8 % 8) / 8,
                         static_cast<Real>(i / 64) / 8});
  check_attached(lattice, 0.13);
  // At exactly the linking length nobody is near.
  check_attached(lattice, 0.125);
  Sample heap;
  heap.x.assign(100, {Real(0.25), Real(0.25), Real(0.25)});
  check_attached(heap, 0.1);
}

TEST_CASE("Without linked particles, or without others, nobody is attached") {
  Sample one;
  one.x.push_back({Real(0.5), Real(0.5), Real(0.5)});
  check_attached(one, 0.1);
  check_attached(Sample{}, 0.1);
}

}  // namespace
}  // namespace copse::fof::test
