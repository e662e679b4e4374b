/// \file
/// Linked with the program fof, this corrupts one of its results, as selected by the environment
/// variable COPSE_SABOTAGE. Each corruption is an error that the program could make; check_fof.py,
/// check_levels.py, check_species.py and check_species_ranks.py name the check that must detect it.

#include <copse/app/corruptible.hpp>
#include <copse/backend/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <fof/distributed/merge_fragments.hpp>
#include <fof/levels/sub_groups.hpp>
#include <fof/mst/tree_edge.hpp>
#include <fof/species/species_results.hpp>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace copse::fof {
namespace {

const std::string_view known[]{"lose-member",       "merge-groups",        "wrong-label",
                               "split-group",       "merge-subgroups",     "tree-lost-edge",
                               "lose-attached",     "rank-lost-ghosts",    "rank-lost-links",
                               "rank-mixed-ghosts", "rank-kept-fragments", "rank-lost-link",
                               "rank-added-link"};

/// \throws InputError if the variable names no corruption
bool asked_for(std::string_view name) {
  const char* const wanted = std::getenv("COPSE_SABOTAGE");
  if (wanted == nullptr) return false;
  if (std::find(std::begin(known), std::end(known), wanted) == std::end(known))
    throw InputError(std::string("there is no COPSE_SABOTAGE '") + wanted + "'");
  return name == wanted;
}

template <class Labels>
std::vector<LocalIndex> members_of(GlobalId label, const Labels& labels) {
  std::vector<LocalIndex> rows;
  for (Count i = 0; i < labels.extent(0); ++i)
    if (labels(i) == label) rows.push_back(static_cast<LocalIndex>(i));
  return rows;
}

/// The group with the most members; the smallest label among equals.
template <class Labels>
LocalIndex largest_group(const Labels& labels) {
  std::vector<Count> sizes(labels.extent(0), 0);
  for (Count i = 0; i < labels.extent(0); ++i) ++sizes[labels(i)];
  return static_cast<LocalIndex>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
}

/// Merges the largest group with another.
template <class Labels>
void merge_groups(const Labels& labels) {
  const typename Labels::value_type label = largest_group(labels);
  for (Count i = 0; i < labels.extent(0); ++i) {
    const auto other = labels(i);
    if (other == label) continue;
    for (const LocalIndex row : members_of(std::max(label, other), labels))
      labels(row) = std::min(label, other);
    return;
  }
  throw InputError("there is no other group to merge with");
}

/// Changes labels of the first rank only; they are its own particles' indices.
void corrupt_result(const Communicator& comm, GlobalLabels<Kokkos::HostSpace>& labels) {
  if (comm.rank() > 0) return;
  const auto rows = members_of(largest_group(labels), labels);
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  if (asked_for("merge-groups")) merge_groups(labels);
  if (asked_for("lose-member")) labels(rows.back()) = rows.back();
  if (asked_for("wrong-label"))
    for (const LocalIndex row : rows) labels(row) = rows.back();
  if (asked_for("split-group"))
    for (auto row = middle; row != rows.end(); ++row) labels(*row) = *middle;
}

void corrupt_result(const Communicator&, std::vector<SubLevel>& levels) {
  if (asked_for("merge-subgroups") && !levels.empty()) merge_groups(levels.front().labels);
}

void corrupt_result(const Communicator&, std::vector<TreeEdge>& tree) {
  if (asked_for("tree-lost-edge") && !tree.empty()) tree.erase(tree.begin());
}

/// Removes the first attached particle, over all ranks, from its group.
void corrupt_result(const Communicator& comm, Attached& attached, const LinkedInput& input) {
  if (!asked_for("lose-attached") || comm.exclusive_scan(attached.others) > 0) return;
  const auto& labels = attached.groups.labels;
  const GlobalId first_row = comm.exclusive_scan(GlobalId{input.all.size()});
  for (Count k = 0; k < input.others.extent(0); ++k) {
    const LocalIndex row = input.others(k);
    if (labels(row) == first_row + row) continue;
    labels(row) = first_row + row;
    return;
  }
}

/// No particle is sent as a ghost.
void corrupt_result(const Communicator&, Friendship& of_ghosts) {
  if (asked_for("rank-lost-ghosts")) of_ghosts.reach2 = 0;
}

/// Links between ranks are not reported, all or one of them; or those to a rank are confused with
/// one another; or one between groups that are not friends is added.
void corrupt_result(const Communicator& comm, std::vector<FragmentLink>& links) {
  if (asked_for("rank-lost-links")) links.clear();
  // Every link of one fragment is lost: it may have several to the same group.
  const bool first = comm.exclusive_scan(Count{links.empty() ? 0U : 1U}) == 0 && !links.empty();
  if (asked_for("rank-lost-link") && first)
    std::erase_if(links, [mine = links.front().mine](const auto& l) { return l.mine == mine; });
  if (asked_for("rank-added-link") && first)
    for (const FragmentLink& link : links)
      if (link.mine != links.front().mine && link.other != links.front().other) {
        links.push_back({links.front().mine, link.other, link.rank});
        break;
      }
  if (!asked_for("rank-mixed-ghosts")) return;
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    const auto next = std::find_if(std::next(link), links.rend(), [&](const FragmentLink& other) {
      return other.rank == link->rank;
    });
    if (next != links.rend()) std::swap(link->other, next->other);
  }
}

/// All ranks but the first keep the labels of their fragments.
void corrupt_result(const Communicator& comm, std::vector<FragmentLabel>& merged) {
  if (asked_for("rank-kept-fragments") && comm.rank() > 0) merged.clear();
}

template <class Result, class... Context>
bool arm() {
  app::corrupt<Result, Communicator, Context...> = [](Result& result, const Communicator& comm,
                                                      const Context&... context) {
    corrupt_result(comm, result, context...);
  };
  return true;
}
[[maybe_unused]] const bool armed =
    arm<GlobalLabels<Kokkos::HostSpace>>() && arm<std::vector<SubLevel>>() &&
    arm<std::vector<TreeEdge>>() && arm<Attached, LinkedInput>() && arm<Friendship>() &&
    arm<std::vector<FragmentLink>>() && arm<std::vector<FragmentLabel>>();

}  // namespace
}  // namespace copse::fof
