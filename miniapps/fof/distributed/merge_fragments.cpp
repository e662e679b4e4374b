#include "merge_fragments.hpp"

#include "../linker.hpp"
#include <copse/algorithms/union_find.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace copse::fof {
namespace {

/// One of the two ends of the link between the fragments `low` and `high`.
struct LinkEnd {
  GlobalId low;
  GlobalId high;
  GlobalId group;     ///< group of this end's fragment within the block
  Count members = 0;  ///< members of that group within the block

  bool same_link(const LinkEnd& other) const { return low == other.low && high == other.high; }
};

bool by_link(const LinkEnd& a, const LinkEnd& b) {
  return std::tie(a.low, a.high) < std::tie(b.low, b.high);
}

LinkEnd end_of(GlobalId mine, GlobalId other) {
  return {std::min(mine, other), std::max(mine, other), mine};
}

/// A link in the form sent from the rank that found it to the other rank.
struct ToldLink {
  GlobalId mine;
  GlobalId other;
};

/// Sends each link to the other rank and returns the ends of all links of this rank's fragments.
std::vector<LinkEnd> ends_of(std::vector<FragmentLink>& links, CountedMessages& messages) {
  const auto key = [](const FragmentLink& l) { return std::tie(l.rank, l.mine, l.other); };
  std::sort(links.begin(), links.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  links.erase(std::unique(links.begin(), links.end(),
                          [&](const auto& a, const auto& b) { return key(a) == key(b); }),
              links.end());
  std::vector<ToldLink> told;
  std::vector<LinkEnd> ends;
  std::vector<Count> counts(messages.ranks(), 0);
  for (const FragmentLink& link : links) {
    told.push_back({link.mine, link.other});
    ends.push_back(end_of(link.mine, link.other));
    ++counts[link.rank];
  }
  for (const ToldLink& link : messages.exchange(std::move(counts), told))
    ends.push_back(end_of(link.other, link.mine));
  std::sort(ends.begin(), ends.end(), by_link);
  return ends;
}

std::vector<GlobalId> groups_of(const std::vector<LinkEnd>& ends) {
  std::vector<GlobalId> groups;
  for (const LinkEnd& end : ends) groups.push_back(end.group);
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

LocalIndex place_of(GlobalId group, const std::vector<GlobalId>& groups) {
  return static_cast<LocalIndex>(std::lower_bound(groups.begin(), groups.end(), group) -
                                 groups.begin());
}

void enter_members(std::vector<LinkEnd>& ends, const auto& members) {
  const std::vector<GlobalId> fragments = groups_of(ends);
  const std::vector<Count> counts = members(fragments);
  for (LinkEnd& end : ends) end.members = counts[place_of(end.group, fragments)];
}

/// Current label and size of a group.
struct Known {
  GlobalId label;
  Count members;
};

/// The result of merging two blocks.
struct Merger {
  std::vector<GlobalId> own;     ///< groups of this rank's block with open ends
  std::vector<GlobalId> others;  ///< groups of the other block with open ends
  std::vector<GlobalId> groups;  ///< union of both, sorted
  std::vector<Known> joined;     ///< [groups] their joined labels and sizes
};

/// Joins the groups of matching ends and drops those ends.
void join_groups(Merger& merger, const std::vector<LinkEnd>& all, std::vector<LinkEnd>& leaving) {
  const std::size_t n = merger.groups.size();
  const UnionFind<Kokkos::HostSpace> sets{
      Labels<Kokkos::HostSpace>(std::string("copse::fof::joined_groups"), n)};
  std::vector<Count> members(n), sums(n, 0);
  for (std::size_t k = 0; k < n; ++k) sets.parent(k) = static_cast<LocalIndex>(k);
  for (const LinkEnd& end : all) members[place_of(end.group, merger.groups)] = end.members;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k + 1 == all.size() || !all[k].same_link(all[k + 1])) {
      leaving.push_back(all[k]);
      continue;
    }
    sets.unite(place_of(all[k].group, merger.groups), place_of(all[k + 1].group, merger.groups));
    ++k;
  }
  for (std::size_t k = 0; k < n; ++k) sums[sets.find(static_cast<LocalIndex>(k))] += members[k];
  // Groups are sorted, so the root of a set, its smallest index, has the smallest name.
  for (std::size_t k = 0; k < n; ++k) {
    const LocalIndex root = sets.find(static_cast<LocalIndex>(k));
    merger.joined.push_back({merger.groups[root], sums[root]});
  }
}

/// Merges the ends of another block into those of this one.
Merger merge_blocks(std::vector<LinkEnd>& ends, const std::vector<LinkEnd>& others) {
  Merger merger{groups_of(ends), groups_of(others), {}, {}};
  std::set_union(merger.own.begin(), merger.own.end(), merger.others.begin(), merger.others.end(),
                 std::back_inserter(merger.groups));
  std::vector<LinkEnd> all;
  all.reserve(ends.size() + others.size());
  std::merge(ends.begin(), ends.end(), others.begin(), others.end(), std::back_inserter(all),
             by_link);
  ends.clear();
  join_groups(merger, all, ends);
  for (LinkEnd& end : ends) {
    const Known& group = merger.joined[place_of(end.group, merger.groups)];
    end.group = group.label;
    end.members = group.members;
  }
  return merger;
}

/// Final labels and sizes of groups, sorted by group.
class FinalGroups {
 public:
  FinalGroups() = default;
  FinalGroups(std::vector<GlobalId> groups, std::vector<Known> known)
      : groups_(std::move(groups)), known_(std::move(known)) {}

  /// Final values of groups that a merger joined. A joined group that is not stored here had no
  /// open end left, so it was complete.
  std::vector<Known> before(const Merger& merger, const std::vector<GlobalId>& groups) const {
    std::vector<Known> known;
    for (const GlobalId group : groups) {
      const Known& joined = merger.joined[place_of(group, merger.groups)];
      const LocalIndex place = place_of(joined.label, groups_);
      const bool went_on = place < groups_.size() && groups_[place] == joined.label;
      known.push_back(went_on ? known_[place] : joined);
    }
    return known;
  }

  std::vector<FragmentLabel> entries() const {
    std::vector<FragmentLabel> entries;
    for (std::size_t k = 0; k < groups_.size(); ++k)
      entries.push_back({groups_[k], known_[k].label, known_[k].members});
    return entries;
  }

 private:
  std::vector<GlobalId> groups_;
  std::vector<Known> known_;
};

/// Sends `values` to one rank, or nothing if `rank` is negative. Collective.
template <class T>
std::vector<T> send_to(int rank, const std::vector<T>& values, CountedMessages& messages) {
  std::vector<Count> counts(messages.ranks(), 0);
  if (rank >= 0) counts[rank] = values.size();
  return messages.exchange(std::move(counts), rank >= 0 ? values : std::vector<T>{});
}

}  // namespace

std::vector<FragmentLabel> merge_fragments(
    std::vector<FragmentLink>& links,
    const std::function<std::vector<Count>(const std::vector<GlobalId>&)>& members,
    CountedMessages& messages) {
  std::vector<LinkEnd> ends = ends_of(links, messages);
  enter_members(ends, members);
  const int rank = messages.rank();
  // In the step of stride s, the first rank of a block of 2 s ranks receives from the rank s above
  // it.
  const auto hears = [&](int s) { return rank % (2 * s) == 0 && rank + s < messages.ranks(); };
  const auto tells = [&](int s) { return rank % (2 * s) == s; };

  std::vector<Merger> mergers;
  std::vector<GlobalId> told;
  int stride = 1;
  for (; stride < messages.ranks(); stride *= 2) {
    const auto others = send_to(tells(stride) ? rank - stride : -1, ends, messages);
    if (hears(stride)) mergers.push_back(merge_blocks(ends, others));
    if (tells(stride)) {
      told = groups_of(ends);
      ends.clear();
    }
  }
  if (!ends.empty())
    throw std::logic_error("a link between groups on two ranks is known to only one of them");

  FinalGroups known;
  for (stride /= 2; stride > 0; stride /= 2) {
    std::vector<Known> reply;
    if (hears(stride)) {
      const Merger& merger = mergers.back();
      reply = known.before(merger, merger.others);
      known = FinalGroups(merger.own, known.before(merger, merger.own));
      mergers.pop_back();
    }
    const auto answer = send_to(hears(stride) ? rank + stride : -1, reply, messages);
    if (tells(stride)) known = FinalGroups(told, answer);
  }
  return known.entries();
}

}  // namespace copse::fof
