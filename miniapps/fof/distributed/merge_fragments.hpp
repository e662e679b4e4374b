#pragma once
/// \file
/// Joins groups that lie in several domains, in a number of rounds that depends on nothing but the
/// number of ranks.
///
/// A *fragment* is what one rank sees of a group; its name is the smallest id of its particles in
/// that rank's domain. A *link* says that two fragments of different ranks are parts of one group.
/// What is wanted is the smallest name of all fragments of a group, and how many members they have
/// together.
///
/// Passing the smallest name on along the links would need as many rounds as a group has fragments
/// in a row, which a thread that snakes along a border between two ranks can make any number.
/// Instead, blocks of ranks become one, two and two, as in a tournament:
///
///  - A link has two ends, one on either rank. A block's first rank has the ends of all links that
///    leave the block, sorted by link, each with the name and the members of the group it belongs
///    to in the block.
///  - When two blocks become one, the ends of links between them meet: they lie side by side in
///    the merged list. Their groups are joined under the smaller name, and both ends are forgotten.
///  - After ceil(log2 P) steps there is one block and no end is left. On the way back each rank is
///    sent the final groups of the ends it sent, and passes them on to the ranks below it.
///
/// Names only become smaller, and at the top a group's name is the smallest of its fragments: what
/// one rank would have found. A block keeps only what crosses its surface; ranks are neighbouring
/// leaves of a tree of domains, so with N particles in P domains the last step handles O(N^(2/3))
/// links, and not all of them.

#include <copse/domains/counted_messages.hpp>

#include <functional>
#include <vector>

namespace copse::fof {

/// A fragment of this rank and a fragment of another, which are parts of one group.
struct FragmentLink {
  GlobalId mine;
  GlobalId other;
  int rank;  ///< of the other
};

/// A part of a group, as a whole or as its rank sees it.
struct FragmentLabel {
  GlobalId fragment;  ///< its name
  GlobalId label;     ///< the smallest name in its group
  Count members;      ///< of the group
};

/// Labels this rank's fragments that have links, found here or on the other rank. `links` may name
/// a link any number of times, but the two ranks of a link must not both; on return each is there
/// once. `members(fragments)` says how many of this rank's particles are in each of some fragments.
/// Collective; 2 ceil(log2 P) + 1 exchanges. O(E log E) for E links, on the host.
/// \return sorted by fragment
std::vector<FragmentLabel> merge_fragments(
    std::vector<FragmentLink>& links,
    const std::function<std::vector<Count>(const std::vector<GlobalId>&)>& members,
    CountedMessages& messages);

}  // namespace copse::fof
