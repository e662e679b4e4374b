#pragma once
/// \file
/// Joins groups that span several domains. The number of rounds depends only on the number of
/// ranks.
///
/// A *fragment* is the part of a group on one rank; its name is the smallest id of its particles in
/// that rank's domain. A *link* states that two fragments of different ranks belong to one group.
/// The result is the smallest name of all fragments of a group, and its total number of members.
///
/// Propagating the smallest name along links would need as many rounds as the longest chain of
/// fragments in a group, which is unbounded for a filament that winds along the border of two
/// ranks. Instead, blocks of ranks are merged pairwise, as in a tournament:
///
/// - A link has two ends, one on each rank. The first rank of a block holds the ends of all links
///   that leave the block, sorted by link. Each end has the name and the size of its group within
///   the block.
/// - When two blocks merge, the two ends of a link between them are adjacent in the merged list.
///   Their groups are joined under the smaller name, and both ends are dropped.
/// - After ceil(log2 P) steps one block remains, without open ends. On the way back each rank
///   receives the final groups of the ends it sent, and forwards them to the ranks below it.
///
/// Names only decrease, and the final name of a group is the smallest of its fragments, as a single
/// rank would find. A block keeps only links across its surface. Ranks are neighbouring leaves of a
/// tree of domains, so with N particles in P domains the last step handles at most O(N^(2/3))
/// links.

#include <copse/domains/counted_messages.hpp>

#include <functional>
#include <vector>

namespace copse::fof {

/// A fragment of this rank and a fragment of another rank that belong to one group.
struct FragmentLink {
  GlobalId mine;
  GlobalId other;
  int rank;  ///< of the other fragment
};

/// A fragment, with the label and size of its group.
struct FragmentLabel {
  GlobalId fragment;  ///< name of the fragment
  GlobalId label;     ///< smallest name in its group
  Count members;      ///< size of the group
};

/// Labels this rank's fragments that have links, found here or on the other rank. `links` may
/// repeat a link any number of times, but only one of its two ranks may list it; on return each is
/// listed once. `members(fragments)` returns the number of this rank's particles in each given
/// fragment. Collective; 2 ceil(log2 P) + 1 exchanges. O(E log E) for E links, on the host.
/// \return sorted by fragment
std::vector<FragmentLabel> merge_fragments(
    std::vector<FragmentLink>& links,
    const std::function<std::vector<Count>(const std::vector<GlobalId>&)>& members,
    CountedMessages& messages);

}  // namespace copse::fof
