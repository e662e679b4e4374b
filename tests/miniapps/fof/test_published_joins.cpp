/// How [Wood 2014] joins groups on a GPU (algorithm 3, EditGroups of algorithm 6, performCalc of
/// the appendix), as printed, in chosen thread orders, compared with UnionFind.

#include "few_particles.hpp"
#include "interleavings.hpp"

#include <algorithm>
#include <compare>

namespace copse::fof::test {
namespace {

const LinkingLengths link_of_one{.length = 1.5, .velocity = no_velocity_link};

/// Particle rows[k] is at x = k: a chain of friends.
FewParticles chain(const std::vector<LocalIndex>& rows) {
  FewParticles particles{.position = std::vector<RealVector>(rows.size()), .velocity = {}};
  for (std::size_t k = 0; k < rows.size(); ++k)
    particles.position[rows[k]] = {static_cast<Real>(k), 0, 0};
  return particles;
}

/// One join, as published: a thread first looks up both leaders, then writes.
struct PublishedJoin {
  LocalIndex self = 0, target = 0;
  LocalIndex self_leader = 0, target_leader = 0;

  /// Algorithm 3, line 21 as printed restarts from the target.
  void look(const Groups& leader, bool as_in_line_21 = false) {
    LocalIndex target_here = target, self_here = self;
    target_leader = leader[target];
    self_leader = leader[self];
    while (self_here != self_leader || target_here != target_leader) {
      target_here = target_leader;
      target_leader = leader[as_in_line_21 ? target : target_here];
      self_here = self_leader;
      self_leader = leader[self_here];
    }
  }
  void write(Groups& leader) const {
    if (self_leader < target_leader) leader[target_leader] = self_leader;
    if (self_leader > target_leader) leader[self_leader] = target_leader;
  }
};

Groups each_its_own(LocalIndex n) {
  Groups leader(n);
  std::iota(leader.begin(), leader.end(), LocalIndex{0});
  return leader;
}

/// The smallest particle index of each group in a final result array.
Groups read_off(const Groups& leader) {
  std::vector<Edge> edges;
  for (LocalIndex i = 0; i < leader.size(); ++i) edges.emplace_back(i, leader[i]);
  return groups_of(static_cast<LocalIndex>(leader.size()), edges);
}

TEST_CASE("Published joins of two threads with one leader: a link is lost and not found again") {
  const auto particles = chain({0, 2, 1});
  Groups leader = each_its_own(3);
  PublishedJoin thread_0{.self = 0, .target = 2}, thread_1{.self = 1, .target = 2};
  thread_0.look(leader);
  thread_1.look(leader);  // both take particle 2 as a leader
  thread_0.write(leader);
  CHECK(leader == Groups{0, 1, 0});
  PublishedJoin thread_2{.self = 2, .target = 0};
  thread_2.look(leader);  // already in one group: the pair is not tested again
  thread_2.write(leader);
  thread_1.write(leader);  // particle 2 is no longer a leader, and 0 - 2 is overwritten
  CHECK(leader == Groups{0, 1, 1});
  thread_2.target = 1;
  thread_2.look(leader);
  thread_2.write(leader);
  CHECK(read_off(leader) == Groups{0, 1, 1});
  CHECK(right_groups(particles, link_of_one) == Groups{0, 0, 0});
}

TEST_CASE("The same joins through UnionFind make one group in every order") {
  std::vector<Edge> joins{{0, 2}, {1, 2}, {2, 0}, {2, 1}};
  std::sort(joins.begin(), joins.end());
  int orders = 0;
  do {
    const auto sets = singletons(3);
    int joined = 0;
    for (const auto& [a, b] : joins) joined += sets.unite(a, b);
    CHECK(joined == 2);
    CHECK(groups_of(sets) == Groups{0, 0, 0});
    ++orders;
  } while (std::next_permutation(joins.begin(), joins.end()));
  CHECK(orders == 24);
}

/// A thread of the published kernel: one particle and the friends it finds.
struct PublishedThread {
  LocalIndex self = 0;
  std::vector<LocalIndex> friends{};
  std::size_t next = 0;
  bool has_looked = false;
  LocalIndex self_leader = 0, target_leader = 0;

  auto operator<=>(const PublishedThread&) const = default;
  bool done() const { return next == friends.size(); }
  void step(Groups& leader) {
    PublishedJoin join{self, friends[next], self_leader, target_leader};
    if (has_looked) {
      join.write(leader);
      ++next;
    } else {
      join.look(leader);
      self_leader = join.self_leader;
      target_leader = join.target_leader;
    }
    has_looked = !has_looked;
  }
};

TEST_CASE("Published joins: the chains of three that can break, over all orders of steps") {
  const auto broken = [](const std::vector<LocalIndex>& rows) {
    std::vector<PublishedThread> threads(3);
    for (LocalIndex i = 0; i < 3; ++i) threads[i].self = i;
    for (std::size_t k = 0; k < 2; ++k) {
      threads[rows[k]].friends.push_back(rows[k + 1]);
      threads[rows[k + 1]].friends.push_back(rows[k]);
    }
    for (auto& thread : threads) std::sort(thread.friends.begin(), thread.friends.end());
    Count wrong = 0;
    copse::test::explore_interleavings(
        each_its_own(3), threads, [](const Groups&) {},
        [&](const Groups& leader, const auto&) {
          wrong += read_off(leader) != Groups{0, 0, 0};
        });
    return wrong > 0;
  };
  CHECK(broken({0, 2, 1}));
  // If the largest index is at an end of the chain, no leader is written twice.
  CHECK_FALSE(broken({0, 1, 2}));
  CHECK_FALSE(broken({1, 0, 2}));
}

TEST_CASE("Published algorithm 3, line 21, loses a link without any race") {
  const auto particles = chain({0, 4, 2, 3, 1});
  // Threads run in sequence, in an order that a GPU may choose.
  const auto run = [&](bool as_in_line_21) {
    Groups leader = each_its_own(5);
    for (const LocalIndex self : {0u, 2u, 4u, 1u, 3u})
      for (LocalIndex target = 0; target < 5; ++target) {
        const Real d = distance(particles.position[self], particles.position[target]);
        if (!(d < Real(1.5)) || target == self) continue;
        PublishedJoin join{.self = self, .target = target};
        join.look(leader, as_in_line_21);
        join.write(leader);
      }
    return read_off(leader);
  };
  CHECK(run(true) == Groups{0, 1, 1, 1, 0});
  CHECK(run(false) == Groups{0, 0, 0, 0, 0});
  CHECK(right_groups(particles, link_of_one) == Groups{0, 0, 0, 0, 0});
}

TEST_CASE("Published text lets the larger row lead, the listings the smaller") {
  Groups leader = each_its_own(2);
  PublishedJoin join{.self = 0, .target = 1};
  join.look(leader);
  join.write(leader);
  CHECK(leader == Groups{0, 0});  // section 4.3.2 and figure 4.1: {1, 1}
}

/// The loops of the brute-force kernel (appendix), in thread order: `block` threads per block, and
/// enough blocks for n threads; a tile advances by `stride`, a constant in the listing.
Groups published_tiles(const FewParticles& particles, LocalIndex block, LocalIndex stride) {
  const LocalIndex n = particles.size();
  const LocalIndex padded = (n + block - 1) / block * block;
  // Memory behind the particles, assumed to be zero.
  std::vector<RealVector> memory(particles.position);
  memory.resize(padded);
  Groups leader = each_its_own(padded);
  for (LocalIndex self = 0; self < padded; ++self)
    for (LocalIndex first = 0, tile = 0; first < n; first += stride, ++tile)
      for (LocalIndex j = 0; j < block; ++j) {
        const Real d = distance(memory[self], memory[tile * block + j]);
        if (!(d < Real(1.5)) || d == 0) continue;
        PublishedJoin join{.self = self, .target = first + j};
        join.look(leader);
        join.write(leader);
      }
  Groups groups = read_off(leader);
  groups.resize(n);
  return groups;
}

TEST_CASE("Published tiles join memory beyond the particles if the last tile is not full") {
  const FewParticles strangers{{RealVector{-1, 0, 0}, RealVector{1, 0, 0}, RealVector{50, 0, 0}},
                               {}};
  CHECK(published_tiles(strangers, 3, 3) == Groups{0, 1, 2});
  CHECK(published_tiles(strangers, 4, 4) == Groups{0, 0, 2});  // linked by a zero at the origin
  CHECK(right_groups(strangers, link_of_one) == Groups{0, 1, 2});
}

TEST_CASE("Published tiles join the wrong rows, if blocks are smaller than the constant") {
  const FewParticles particles{{RealVector{50, 0, 0}, RealVector{60, 0, 0}, RealVector{51, 0, 0},
                                RealVector{70, 0, 0}, RealVector{80, 0, 0}, RealVector{90, 0, 0}},
                               {}};
  CHECK(published_tiles(particles, 2, 2) == Groups{0, 1, 0, 3, 4, 5});
  CHECK(published_tiles(particles, 2, 4) == Groups{0, 1, 0, 3, 0, 5});  // 2 is read in place of 4
  CHECK(right_groups(particles, link_of_one) == Groups{0, 1, 0, 3, 4, 5});
}

}  // namespace
}  // namespace copse::fof::test
