#include "sabotage.hpp"

#include <copse/backend/error.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace copse::fof {
namespace {

/// In the order of `Sabotage`, and of `Fault` without `none`.
constexpr std::array sabotage_names{"lose-member", "merge-groups", "wrong-label", "split-group"};
constexpr std::array fault_names{"rank-lost-ghosts", "rank-lost-links", "rank-mixed-ghosts",
                                 "rank-kept-fragments"};

template <class Names>
std::size_t place_of(const std::string& name, const Names& names) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<LocalIndex> members_of(LocalIndex label, const Labels<Kokkos::HostSpace>& labels) {
  std::vector<LocalIndex> rows;
  for (Count i = 0; i < labels.extent(0); ++i)
    if (labels(i) == label) rows.push_back(static_cast<LocalIndex>(i));
  return rows;
}

/// The group with the most members; the smallest label among equals.
LocalIndex largest_group(const Labels<Kokkos::HostSpace>& labels) {
  std::vector<Count> sizes(labels.extent(0), 0);
  for (Count i = 0; i < labels.extent(0); ++i) ++sizes[labels(i)];
  return static_cast<LocalIndex>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
}

}  // namespace

bool is_sabotage(const std::string& name) {
  return place_of(name, sabotage_names) < sabotage_names.size();
}

Sabotage sabotage_named(const std::string& name) {
  if (!is_sabotage(name)) throw InputError("there is no sabotage '" + name + "'");
  return static_cast<Sabotage>(place_of(name, sabotage_names));
}

Fault fault_named(const std::string& name) {
  const std::size_t place = place_of(name, fault_names);
  return place < fault_names.size() ? static_cast<Fault>(place + 1) : Fault::none;
}

bool is_fault(const std::string& name) {
  return fault_named(name) != Fault::none;
}

void apply_sabotage(Sabotage sabotage, const Labels<Kokkos::HostSpace>& labels) {
  if (labels.extent(0) == 0) throw InputError("there are no groups to corrupt");
  const LocalIndex label = largest_group(labels);
  const std::vector<LocalIndex> rows = members_of(label, labels);
  if (rows.size() < 2) throw InputError("there is no group of two to corrupt");
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
