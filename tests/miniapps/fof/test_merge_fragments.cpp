// Run with 1 to 5 ranks. Oracle: every rank knows all links and joins them in sequence.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fof/distributed/merge_fragments.hpp>
#include <map>
#include <random>
#include <vector>

namespace copse::fof::test {
namespace {

/// A link reported by rank `finder`.
struct Link {
  GlobalId a;
  GlobalId b;
  int finder;
};

/// Fragment f belongs to rank f % ranks.
int owner(GlobalId fragment, int ranks) {
  return static_cast<int>(fragment % static_cast<GlobalId>(ranks));
}

Count members_of(GlobalId fragment) {
  return 1 + fragment * fragment % 17;
}

std::map<GlobalId, GlobalId> join_one_by_one(const std::vector<Link>& links) {
  std::map<GlobalId, GlobalId> labels;
  for (const Link& link : links) labels[link.a] = link.a, labels[link.b] = link.b;
  for (const Link& link : links) {
    const GlobalId least = std::min(labels[link.a], labels[link.b]);
    const GlobalId most = std::max(labels[link.a], labels[link.b]);
    for (auto& [fragment, label] : labels)
      if (label == most) label = least;
  }
  return labels;
}

void check_merge(const std::vector<Link>& links) {
  const Communicator comm;
  CountedMessages messages(comm);
  std::vector<FragmentLink> mine;
  for (const Link& link : links) {
    if (link.finder != comm.rank()) continue;
    const bool a_here = owner(link.a, comm.size()) == comm.rank();
    const GlobalId here = a_here ? link.a : link.b;
    const GlobalId there = a_here ? link.b : link.a;
    mine.push_back({here, there, owner(there, comm.size())});
    mine.push_back(mine.back());  // found twice
  }
  const Count told = mine.size() / 2;
  const auto merged = merge_fragments(
      mine,
      [](const std::vector<GlobalId>& fragments) {
        std::vector<Count> members;
        for (const GlobalId fragment : fragments) members.push_back(members_of(fragment));
        return members;
      },
      messages);
  CHECK(mine.size() <= told);

  const auto labels = join_one_by_one(links);
  std::map<GlobalId, Count> members;
  for (const auto& [fragment, label] : labels) members[label] += members_of(fragment);
  std::vector<FragmentLabel> expected;
  for (const auto& [fragment, label] : labels)
    if (owner(fragment, comm.size()) == comm.rank())
      expected.push_back({fragment, label, members[label]});
  REQUIRE(merged.size() == expected.size());
  for (std::size_t k = 0; k < merged.size(); ++k) {
    CHECK(merged[k].fragment == expected[k].fragment);
    CHECK(merged[k].label == expected[k].label);
    CHECK(merged[k].members == expected[k].members);
  }
  int steps = 0;
  while (1 << steps < comm.size()) ++steps;
  CHECK(messages.take_traffic().exchanges == 2 * steps + 1);
}

int ranks() {
  return Communicator().size();
}

TEST_CASE("Without links nothing is renamed") {
  check_merge({});
}

TEST_CASE("A chain that passes all ranks repeatedly gets its smallest name on every rank") {
  if (ranks() == 1) SKIP("needs several ranks");
  std::vector<Link> links;
  std::vector<GlobalId> names(300);
  for (GlobalId k = 0; k < names.size(); ++k) names[k] = 10 * static_cast<GlobalId>(ranks()) + k;
  for (std::size_t k = 0; k + 1 < names.size(); ++k)
    links.push_back({names[k], names[k + 1], owner(names[k + k % 2], ranks())});
  check_merge(links);
}

TEST_CASE("Links between any ranks merge to the same groups as sequential links") {
  if (ranks() == 1) SKIP("needs several ranks");
  for (const unsigned seed : {1u, 2u, 3u, 4u})
    for (const std::size_t wanted : {3, 40, 400}) {
      std::mt19937 random(seed);
      std::map<std::pair<GlobalId, GlobalId>, Link> links;
      while (links.size() < wanted) {
        const GlobalId a = random() % 600, b = random() % 600;
        const int rank_a = owner(a, ranks()), rank_b = owner(b, ranks());
        if (rank_a == rank_b) continue;
        links[std::minmax(a, b)] = {a, b, (rank_a + rank_b) % 2 ? rank_a : rank_b};
      }
      std::vector<Link> all;
      for (const auto& [pair, link] : links) all.push_back(link);
      check_merge(all);
    }
}

}  // namespace
}  // namespace copse::fof::test
