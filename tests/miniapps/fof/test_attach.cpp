// Oracle: a test of every linked particle for each of the others, in index order.
#include "attach_cases.hpp"

#include <catch2/generators/catch_generators.hpp>

#include <fof/species/attach.hpp>

namespace copse::fof::test {
namespace {

using HostRows = RowList<Kokkos::HostSpace>;

HostRows to_rows(const std::vector<LocalIndex>& rows) {
  HostRows list("copse::test::rows", rows.size());
  std::copy(rows.begin(), rows.end(), list.data());
  return list;
}

void check_attached(const Sample& sample, double length) {
  const Split parts = split(sample, each_third);
  const LinkingLengths links{.length = length, .velocity = std::numeric_limits<double>::infinity()};
  const auto linked = problem_of(parts.linked, links);
  const auto groups = reference_labels(linked, sample.box);
  const auto nearest = nearest_by_all_pairs(parts, linked.friendship);
  const auto expected = labels_with_others(parts, groups, nearest);
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

TEST_CASE(
    "Other particles join the group of the nearest linked particle, and a smaller row becomes its "
    "label") {
  const bool periodic = GENERATE(false, true);
  const double length = GENERATE(0.003, 0.02, 0.1);
  check_attached(clustered(1200, 3, periodic, false), length);
}

TEST_CASE("Of equally near particles the one with the smallest row attaches") {
  check_attached(lattice(), 0.13);
  // No particle is within reach at exactly the linking length.
  check_attached(lattice(), 0.125);
  Sample heap;
  heap.x.assign(100, {Real(0.25), Real(0.25), Real(0.25)});
  check_attached(heap, 0.1);
}

TEST_CASE("Without linked particles, or without others, no particle is attached") {
  Sample one;
  one.x.push_back({Real(0.5), Real(0.5), Real(0.5)});
  check_attached(one, 0.1);
  check_attached(Sample{}, 0.1);
}

}  // namespace
}  // namespace copse::fof::test
