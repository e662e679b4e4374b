/// How [Wood 2014] converts links to lists of groups (algorithms 1, 2 and 4), as printed.

#include "few_particles.hpp"

#include <algorithm>
#include <map>

namespace copse::fof::test {
namespace {

constexpr std::size_t least_members = 20;

/// Algorithm 1, and algorithm 2, which differs only in the source of neighbours. Each fault of the
/// printed form can be enabled separately.
struct PublishedColouring {
  bool overwrites_colour = false;   ///< line 6: the colour is set to the number of the vertex
  bool clears_listed_only = false;  ///< lines 11 to 14: small groups are not cleared
  std::vector<std::vector<LocalIndex>> neighbours;

  std::vector<LocalIndex> colour{};
  std::vector<LocalIndex> group{};
  std::vector<std::vector<LocalIndex>> listed{};
  std::size_t depth = 0, deepest = 0;

  void run() {
    const auto n = static_cast<LocalIndex>(neighbours.size());
    colour.assign(n, 0);
    LocalIndex counter = 0;
    for (LocalIndex vertex = 0; vertex < n; ++vertex) {
      if (overwrites_colour) colour[vertex] = vertex;
      if (colour[vertex] == 0) visit(vertex, ++counter);
      const bool lists = !group.empty() && group.size() > least_members;
      if (lists) listed.push_back(group);
      if (lists || !clears_listed_only) group.clear();
    }
  }

  void visit(LocalIndex vertex, LocalIndex counter) {
    deepest = std::max(deepest, ++depth);
    colour[vertex] = counter;
    group.push_back(vertex);
    for (const LocalIndex next : neighbours[vertex])
      if (colour[next] == 0) visit(next, counter);
    --depth;
  }
};

/// Particles at unit spacing on a line, with gaps before the indices in `starts`.
FewParticles beads(LocalIndex n, const std::vector<LocalIndex>& starts) {
  FewParticles particles;
  Real x = -900;
  for (LocalIndex i = 0; i < n; ++i) {
    x += std::count(starts.begin(), starts.end(), i) > 0 ? Real(5) : Real(1);
    particles.position.push_back({x, 0, 0});
  }
  return particles;
}

const LinkingLengths bead_links{.length = 1.5, .velocity = no_velocity_link};

PublishedColouring colouring(const FewParticles& particles) {
  PublishedColouring published{.neighbours = {}};
  published.neighbours.resize(particles.size());
  for (LocalIndex i = 0; i < particles.size(); ++i)
    for (LocalIndex j = 0; j < particles.size(); ++j)
      if (i != j && distance(particles.position[i], particles.position[j]) < Real(1.5))
        published.neighbours[i].push_back(j);
  return published;
}

/// Number of particles of each group, by its smallest particle index.
std::map<LocalIndex, Count> sizes(const Groups& groups) {
  std::map<LocalIndex, Count> count;
  for (const LocalIndex group : groups) ++count[group];
  return count;
}

TEST_CASE("Published colouring overwrites the colour before reading it: one group is found") {
  const auto particles = beads(42, {0, 21});
  auto published = colouring(particles);
  published.overwrites_colour = true;
  published.run();
  REQUIRE(published.listed.size() == 1);
  CHECK(published.listed[0].size() == 21);
  CHECK(sizes(right_groups(particles, bead_links)) ==
        std::map<LocalIndex, Count>{{0, 21}, {21, 21}});
}

TEST_CASE("Published colouring keeps members of small groups: strangers make a group") {
  FewParticles strangers;
  for (int i = 0; i < 21; ++i) strangers.position.push_back({Real(10 * i), 0, 0});
  auto published = colouring(strangers);
  published.clears_listed_only = true;
  published.run();
  REQUIRE(published.listed.size() == 1);
  CHECK(published.listed[0].size() == 21);
  CHECK(sizes(right_groups(strangers, bead_links)).size() == 21);
}

TEST_CASE("Published colouring without its two faults lists the groups of more than 20") {
  // Three groups of 20, 21 and 22 particles: the text keeps the first, the algorithm does not.
  const auto particles = beads(63, {0, 20, 41});
  auto published = colouring(particles);
  published.run();
  REQUIRE(published.listed.size() == 2);
  CHECK(published.listed[0].size() == 21);
  CHECK(published.listed[1].size() == 22);
  CHECK(sizes(right_groups(particles, bead_links)) ==
        std::map<LocalIndex, Count>{{0, 20}, {20, 21}, {41, 22}});
}

TEST_CASE("Published colouring goes as deep as a chain of friends is long") {
  auto published = colouring(beads(1000, {}));
  published.run();
  CHECK(published.deepest == 1000);
}

/// Algorithm 4: counts the particles of each group at its leader.
struct PublishedCount {
  bool resets_counts = true;      ///< line 8: the array of counts is cleared after each particle
  bool counts_at_arrival = true;  ///< line 4: each particle is counted before it is tested
  Groups leader;                  ///< the result array of the kernels

  std::vector<Count> counts{};
  std::vector<bool> processed{};

  void run() {
    counts.assign(leader.size(), 0);
    processed.assign(leader.size(), false);
    Count increment = 0;
    for (LocalIndex i = 0; i < leader.size(); ++i) {
      if (counts_at_arrival) ++increment;
      if (processed[i]) continue;
      walk(i, increment);
      increment = 0;
      if (resets_counts) std::fill(counts.begin(), counts.end(), 0);
    }
  }

  void walk(LocalIndex i, Count increment) {
    if (!processed[i]) {
      ++increment;
      processed[i] = true;
    }
    if (leader[i] == i) {
      counts[i] += increment;
    } else {
      walk(leader[i], increment);
    }
  }
};

TEST_CASE("Published counting clears the counts that it has just made") {
  PublishedCount published{.leader = {0, 0, 2}};
  published.run();
  CHECK(published.counts == std::vector<Count>{0, 0, 0});
  CHECK(sizes({0, 0, 2}) == std::map<LocalIndex, Count>{{0, 2}, {2, 1}});
}

TEST_CASE("Published counting counts the first arrival twice") {
  // The smaller index leads, as in the listings: every count is doubled.
  PublishedCount published{.resets_counts = false, .leader = {0, 0, 2}};
  published.run();
  CHECK(published.counts == std::vector<Count>{4, 0, 2});
  // The larger index leads, as in the text: {0, 1, 2} and {3} are counted as five and three.
  published = {.resets_counts = false, .leader = {2, 2, 2, 3}};
  published.run();
  CHECK(published.counts == std::vector<Count>{0, 0, 5, 3});
  CHECK(sizes({2, 2, 2, 3}) == std::map<LocalIndex, Count>{{2, 3}, {3, 1}});
}

TEST_CASE("Published counting is right without its two faults") {
  for (const Groups& leader : {Groups{0, 0, 2}, Groups{2, 2, 2, 3}, Groups{0, 0, 1, 1, 4}}) {
    PublishedCount published{.resets_counts = false, .counts_at_arrival = false, .leader = leader};
    published.run();
    const auto sets = singletons(static_cast<LocalIndex>(leader.size()));
    for (LocalIndex i = 0; i < leader.size(); ++i) sets.unite(i, leader[i]);
    std::vector<Count> right, found;
    for (const auto& [group, count] : sizes(groups_of(sets))) right.push_back(count);
    for (const Count count : published.counts)
      if (count > 0) found.push_back(count);
    CHECK(found == right);
  }
}

}  // namespace
}  // namespace copse::fof::test
