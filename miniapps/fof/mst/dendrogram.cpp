#include "dendrogram.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace copse::fof {
namespace {

/// Disjoint sets with sizes; the smaller set is attached to the larger.
class GrowingGroups {
 public:
  GrowingGroups(Count particles, Count min_members)
      : parent_(particles), size_(particles, 1), min_members_(min_members) {
    std::iota(parent_.begin(), parent_.end(), LocalIndex{0});
    counts_.components = particles;
    counts_.groups = min_members <= 1 ? particles : 0;
    counts_.largest = particles > 0 ? 1 : 0;
  }

  void join(const TreeEdge& edge) {
    LocalIndex large = root(edge.a), small = root(edge.b);
    if (size_[large] < size_[small]) std::swap(large, small);
    counts_.groups -= is_group(size_[large]);
    counts_.groups -= is_group(size_[small]);
    parent_[small] = large;
    size_[large] += size_[small];
    counts_.groups += is_group(size_[large]);
    --counts_.components;
    counts_.largest = std::max(counts_.largest, size_[large]);
  }

  const GroupCounts& counts() const { return counts_; }

 private:
  Count is_group(Count members) const { return members >= min_members_ ? 1 : 0; }

  LocalIndex root(LocalIndex row) {
    while (parent_[row] != row) {
      parent_[row] = parent_[parent_[row]];
      row = parent_[row];
    }
    return row;
  }

  std::vector<LocalIndex> parent_;
  std::vector<Count> size_;  ///< by root
  Count min_members_;
  GroupCounts counts_;
};

}  // namespace

std::vector<MergeEvent> merge_events(const Dendrogram& dendrogram) {
  GrowingGroups groups(dendrogram.particles, dendrogram.min_members);
  std::vector<MergeEvent> events;
  for (const TreeEdge& edge : dendrogram.edges) {
    groups.join(edge);
    // No linking length separates edges of equal length.
    if (events.empty() || events.back().distance2 != edge.distance2)
      events.push_back({edge.distance2, {}});
    events.back().after = groups.counts();
  }
  return events;
}

}  // namespace copse::fof
