// Oracle: groups collected in maps on the host.
#include "../../common/algorithms/on_each_backend.hpp"
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fof/catalogue/groups.hpp>
#include <map>
#include <random>
#include <vector>

namespace copse::fof {
namespace {

using copse::test::to_backend;
using copse::test::to_host;

/// Converts arbitrary set numbers of particles to labels.
std::vector<LocalIndex> labels_of(const std::vector<int>& sets) {
  std::map<int, LocalIndex> first;
  std::vector<LocalIndex> labels;
  for (std::size_t i = 0; i < sets.size(); ++i)
    labels.push_back(first.try_emplace(sets[i], static_cast<LocalIndex>(i)).first->second);
  return labels;
}

void check_groups(const std::vector<LocalIndex>& labels, Count min_members) {
  std::map<LocalIndex, std::vector<LocalIndex>> sets;
  for (std::size_t i = 0; i < labels.size(); ++i)
    sets[labels[i]].push_back(static_cast<LocalIndex>(i));
  std::vector<std::vector<LocalIndex>> expected;
  Count largest = 0;
  for (const auto& [label, rows] : sets) {
    largest = std::max<Count>(largest, rows.size());
    if (rows.size() >= min_members) expected.push_back(rows);
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<Count> offsets{0};
  std::vector<LocalIndex> members;
  for (const auto& rows : expected) {
    members.insert(members.end(), rows.begin(), rows.end());
    offsets.push_back(members.size());
  }

  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    const auto groups =
        groups_on_host(collect_groups(space, to_backend<Space>(labels), min_members));
    CHECK(groups.particles == labels.size());
    CHECK(groups.min_members == min_members);
    CHECK(groups.components == sets.size());
    CHECK(groups.largest == largest);
    CHECK(groups.size() == expected.size());
    CHECK(groups.particles_in_groups() == members.size());
    CHECK((to_host(groups.offsets) == offsets));
    CHECK((to_host(groups.members) == members));
  });
}

TEST_CASE("Groups are numbered by decreasing size, equal sizes by smallest row") {
  check_groups(labels_of({7, 3, 3, 7, 1, 5, 3, 1, 9, 9}), 1);
  check_groups(labels_of({7, 3, 3, 7, 1, 5, 3, 1, 9, 9}), 2);
}

TEST_CASE("Random groups of all sizes equal those collected with maps") {
  std::mt19937 random(5);
  std::vector<int> sets(50000);
  // Sizes follow a power law; most sets are single particles.
  for (int& set : sets) {
    const double u = static_cast<double>(random()) / 4294967296.0;
    set = u < 0.3 ? static_cast<int>(1e6 * u) + 100000 : static_cast<int>(2000.0 * u * u * u * u);
  }
  for (const Count min_members : {1u, 2u, 20u, 1000u}) check_groups(labels_of(sets), min_members);
}

TEST_CASE("One group may hold every particle, or none may be large enough") {
  check_groups(labels_of(std::vector<int>(70000, 1)), 20);
  check_groups(labels_of({1, 2, 3, 2}), 3);
  check_groups(labels_of({1}), 1);
  check_groups(labels_of({1}), 2);
  check_groups({}, 1);
}

TEST_CASE("A smallest group of no members is refused") {
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    const auto labels = to_backend<Space>(std::vector<LocalIndex>{0});
    CHECK_THROWS_AS(collect_groups(space, labels, 0), InputError);
  });
}

}  // namespace
}  // namespace copse::fof
