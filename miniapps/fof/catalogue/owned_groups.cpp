#include "owned_groups.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

namespace copse::fof {
namespace {

/// Numbering that rank 0 sends to the owner of a group.
struct Numbers {
  Count id;
  Count parent;
  Count place;
};

/// Numbering of all ranks' groups, in rank order; updates ids and parents in `all`.
std::vector<Numbers> number_all(std::vector<GroupProperties>& all,
                                const std::vector<GlobalId>& first_row,
                                const std::vector<Count>& groups_of_rank) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    return std::tuple(all[i].level, ~all[i].members, first_row[i]);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return key(i) < key(j); });
  std::vector<Numbers> numbers(all.size());
  Count place = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    numbers[order[k]] = {k + 1, 0, place};
    place += all[order[k]].members;
  }
  std::size_t begin = 0;
  for (const Count here : groups_of_rank) {
    for (std::size_t i = begin; i < begin + here; ++i)
      if (all[i].parent > 0) numbers[i].parent = numbers[begin + all[i].parent - 1].id;
    begin += here;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].id = numbers[i].id;
    all[i].parent = numbers[i].parent;
  }
  std::sort(all.begin(), all.end(),
            [](const GroupProperties& a, const GroupProperties& b) { return a.id < b.id; });
  return numbers;
}

/// Scatters a list from rank 0; `counts` has one entry per rank there and none elsewhere.
std::vector<Numbers> scatter_from_root(const Communicator& comm, std::vector<Count> counts,
                                       const std::vector<Numbers>& all) {
  counts.resize(static_cast<std::size_t>(comm.size()), 0);
  const ExchangePlan plan = comm.plan_exchange(std::move(counts));
  std::vector<Numbers> mine(plan.receive.total());
  using Sent = Kokkos::View<const Numbers*, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  using Received = Kokkos::View<Numbers*, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  comm.alltoallv(plan, Sent(all.data(), all.size()), Received(mine.data(), mine.size()));
  return mine;
}

}  // namespace

Catalogue number_groups(const Communicator& comm, OwnedGroups& owned) {
  auto& rows = owned.catalogue.groups;
  std::vector<GlobalId> first_row;
  for (GroupProperties& group : rows) {
    group.central = owned.row(group.central);
    first_row.push_back(owned.row(owned.groups.members(owned.groups.offsets(first_row.size()))));
  }
  const std::span<const GroupProperties> mine(rows.data(), rows.size());
  std::vector<GroupProperties> all = comm.gatherv(mine, 0);
  const auto all_first =
      comm.gatherv(std::span<const GlobalId>(first_row.data(), first_row.size()), 0);
  std::vector<Count> groups_of_rank = comm.gather(Count{rows.size()}, 0);
  const auto numbers = number_all(all, all_first, groups_of_rank);
  const auto my_numbers = scatter_from_root(comm, groups_of_rank, numbers);
  owned.place.clear();
  for (std::size_t g = 0; g < rows.size(); ++g) {
    rows[g].id = my_numbers[g].id;
    rows[g].parent = my_numbers[g].parent;
    owned.place.push_back(my_numbers[g].place);
  }

  Catalogue whole;
  whole.box = owned.catalogue.box;
  whole.has_velocity = owned.columns.velocity;
  whole.has_mass = owned.columns.mass;
  whole.has_species = owned.columns.species;
  whole.level_begin.resize(owned.catalogue.level_begin.size());
  for (std::size_t k = 1; k < whole.level_begin.size(); ++k)
    whole.level_begin[k] = static_cast<Count>(
        std::count_if(all.begin(), all.end(), [&](const auto& group) { return group.level < k; }));
  whole.groups = std::move(all);
  return whole;
}

}  // namespace copse::fof
