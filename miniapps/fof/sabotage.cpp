#include "sabotage.hpp"

#include <copse/backend/error.hpp>

#include <algorithm>
#include <vector>

namespace copse::fof {
namespace {

std::vector<LocalIndex> members_of(LocalIndex label, const Labels<Kokkos::HostSpace>& labels) {
  std::vector<LocalIndex> rows;
  for (Count i = 0; i < labels.extent(0); ++i)
    if (labels(i) == label) rows.push_back(static_cast<LocalIndex>(i));
  return rows;
}

/// The group with the most members; of equal ones, that with the smallest label.
LocalIndex largest_group(const Labels<Kokkos::HostSpace>& labels) {
  std::vector<Count> sizes(labels.extent(0), 0);
  for (Count i = 0; i < labels.extent(0); ++i) ++sizes[labels(i)];
  return static_cast<LocalIndex>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
}

}  // namespace

std::vector<std::string> sabotage_names() {
  return {"lose-member", "merge-groups", "wrong-label", "split-group"};
}

bool is_sabotage(const std::string& name) {
  const auto names = sabotage_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

Sabotage sabotage_named(const std::string& name) {
  const auto names = sabotage_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw InputError("there is no sabotage '" + name + "'");
  return static_cast<Sabotage>(found - names.begin());
}

void apply_sabotage(Sabotage sabotage, const Labels<Kokkos::HostSpace>& labels) {
  if (labels.extent(0) == 0) throw InputError("there are no groups to spoil");
  const LocalIndex label = largest_group(labels);
  const std::vector<LocalIndex> rows = members_of(label, labels);
  if (rows.size() < 2) throw InputError("there is no group of two to spoil");
  switch (sabotage) {
    case Sabotage::lose_member:
      labels(rows.back()) = rows.back();
      return;
    case Sabotage::merge_groups:
      for (Count i = 0; i < labels.extent(0); ++i) {
        const LocalIndex other = labels(i);
        if (other == label) continue;
        const LocalIndex least = std::min(label, other), most = std::max(label, other);
        for (const LocalIndex row : members_of(most, labels)) labels(row) = least;
        return;
      }
      throw InputError("there is no other group to merge with");
    case Sabotage::wrong_label:
      for (const LocalIndex row : rows) labels(row) = rows.back();
      return;
    case Sabotage::split_group: {
      const LocalIndex second = rows[rows.size() / 2];
      for (std::size_t k = rows.size() / 2; k < rows.size(); ++k) labels(rows[k]) = second;
      return;
    }
  }
}

}  // namespace copse::fof
