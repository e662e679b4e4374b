/// \file
/// Linked with the program fof, this corrupts one of its results, as selected by the environment
/// variable COPSE_SABOTAGE. Each corruption is an error that the program could make;
/// check_exact.py, check_fof.py, check_levels.py, check_species.py and check_species_ranks.py name
/// the checks that must detect it. `labels:METHOD_BACKEND` changes a label of one of several
/// linkings.

#include <copse/app/corruptible.hpp>
#include <copse/backend/error.hpp>

#include <algorithm>
#include <cmath>
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

const std::string_view known[]{
    "lose-member",     "join-lone",         "label-above",         "sub-lose-member",
    "sub-join-lone",   "sub-join-outside",  "sub-label-above",     "sub-crossing",
    "tree-lost-edge",  "tree-lost-longest", "tree-edge-at-link",   "tree-edge-at-half",
    "lose-attached",   "attached-above",    "move-linked",         "rank-lost-ghosts",
    "rank-lost-links", "rank-mixed-ghosts", "rank-kept-fragments", "rank-lost-link",
    "rank-added-link", "rank-other-reach"};

/// \throws InputError if the variable names no corruption
bool asked_for(const std::string& name) {
  const char* const wanted = std::getenv("COPSE_SABOTAGE");
  if (wanted == nullptr) return false;
  if (std::find(std::begin(known), std::end(known), wanted) == std::end(known) &&
      !std::string_view(wanted).starts_with("labels:"))
    throw InputError(std::string("there is no COPSE_SABOTAGE '") + wanted + "'");
  return name == wanted;
}

/// The group with the most members; the smallest label among equals.
template <class Labels>
LocalIndex largest_group(const Labels& labels) {
  std::vector<Count> sizes(labels.extent(0), 0);
  for (Count i = 0; i < labels.extent(0); ++i) ++sizes[labels(i)];
  return static_cast<LocalIndex>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
}

/// The first particle behind the first of the largest group that is alone, if `wanted`.
template <class Labels, class Wanted>
Count lone_particle(const Labels& labels, const Wanted& wanted) {
  std::vector<Count> sizes(labels.extent(0), 0);
  for (Count i = 0; i < labels.extent(0); ++i) ++sizes[labels(i)];
  for (Count i = largest_group(labels) + 1; i + 1 < labels.extent(0); ++i)
    if (labels(i) == i && sizes[i] == 1 && wanted(i)) return i;
  throw InputError("no particle is alone");
}
template <class Labels>
Count lone_particle(const Labels& labels) {
  return lone_particle(labels, [](Count) { return true; });
}

/// The corruptions of the labels of halos and, with the prefix "sub-", of groups within them.
template <class Labels>
void corrupt_labels(const std::string& prefix, const Labels& labels) {
  const LocalIndex group = largest_group(labels);
  for (Count i = labels.extent(0); i-- > group && asked_for(prefix + "lose-member");) {
    if (labels(i) != group) continue;
    labels(i) = i;
    break;
  }
  if (asked_for(prefix + "label-above")) ++labels(lone_particle(labels));
}

/// Changes labels of the first rank only; they are its own particles' indices.
void corrupt_result(const Communicator& comm, GlobalLabels<Kokkos::HostSpace>& labels) {
  if (comm.rank() > 0) return;
  corrupt_labels("", labels);
  if (asked_for("join-lone")) labels(lone_particle(labels)) = largest_group(labels);
}

void corrupt_result(const Communicator& comm, MeasuredLinking& linking) {
  const char* const wanted = std::getenv("COPSE_SABOTAGE");
  if (wanted == nullptr || comm.rank() > 0 || wanted != "labels:" + linking.name()) return;
  ++linking.labels(linking.labels.extent(0) - 1);
}

/// Changes labels of the first rank only.
void corrupt_result(const Communicator& comm, std::vector<SubLevel>& levels,
                    const Labels<Kokkos::HostSpace>& top) {
  if (comm.rank() > 0 || levels.empty()) return;
  SubLevel& level = levels.front();
  corrupt_labels("sub-", level.labels);
  const LocalIndex label = largest_group(level.labels);
  const auto inside = [&](Count i) { return top(i) == top(label); };
  const auto outside = [&](Count i) { return !inside(i); };
  const bool crosses = asked_for("sub-crossing");  // as if a group had been cut
  if (crosses || asked_for("sub-join-lone"))
    level.labels(lone_particle(level.labels, inside)) = label;
  if (asked_for("sub-join-outside")) level.labels(lone_particle(level.labels, outside)) = label;
  if (crosses) level.crossing = 1;
}

/// Edges lost, or one that is not a link shortened to the longest link or to half of it.
void corrupt_result(const Communicator&, std::vector<TreeEdge>& tree, const Friendship& rule) {
  if (tree.empty()) return;
  if (asked_for("tree-lost-edge")) tree.erase(tree.begin());
  if (asked_for("tree-lost-longest")) tree.pop_back();
  const Real reach2 = asked_for("tree-edge-at-link")   ? rule.reach2
                      : asked_for("tree-edge-at-half") ? rule.reach2 / 4
                                                       : Real{0};
  for (TreeEdge& edge : tree) {
    if (reach2 == 0 || edge.distance2 < reach2) continue;
    edge.distance2 = std::nextafter(reach2, Real{0});
    break;
  }
}

/// Removes the first attached particle, over all ranks, from its group. On the first rank: gives
/// one a label that is no particle's, or removes a linked particle from its group.
void corrupt_result(const Communicator& comm, Attached& attached, const LinkedInput& input) {
  if (comm.rank() == 0) {
    auto& of_all = attached.groups.labels;
    if (asked_for("attached-above")) of_all(input.others(0)) = of_all.extent(0);
    for (Count k = input.rows.extent(0); k-- > 0 && asked_for("move-linked");) {
      const LocalIndex row = input.rows(k);
      if (of_all(row) == row) continue;
      of_all(row) = row;
      break;
    }
  }
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

/// No particle is sent as a ghost, or the first rank links by the next larger length.
void corrupt_result(const Communicator& comm, Friendship& rule) {
  if (asked_for("rank-lost-ghosts")) rule.reach2 = 0;
  if (asked_for("rank-other-reach") && comm.rank() == 0)
    rule.reach2 = std::nextafter(rule.reach2, Real{1e30});
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
    arm<GlobalLabels<Kokkos::HostSpace>>() && arm<MeasuredLinking>() &&
    arm<std::vector<SubLevel>, Labels<Kokkos::HostSpace>>() &&
    arm<std::vector<TreeEdge>, Friendship>() && arm<Attached, LinkedInput>() && arm<Friendship>() &&
    arm<std::vector<FragmentLink>>() && arm<std::vector<FragmentLabel>>();

}  // namespace
}  // namespace copse::fof
