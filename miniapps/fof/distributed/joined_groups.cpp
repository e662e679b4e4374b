#include "joined_groups.hpp"

#include "nearest_groups.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace copse::fof {
namespace {

/// Some members of a group.
struct Part {
  GlobalId label;  ///< in the numbering of the linked particles
  GlobalId first;  ///< global index of its first member
  Count members;
};

void add(Part& sum, const Part& part) {
  sum.first = std::min(sum.first, part.first);
  sum.members += part.members;
}

using Sent = Kokkos::View<const Part*, Kokkos::LayoutLeft, Kokkos::HostSpace>;
using Received = Kokkos::View<Part*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

/// The parts of groups known to one rank.
class Parts {
 public:
  /// `begin` holds, for each rank, the number of linked particles on lower ranks, and finally the
  /// total.
  Parts(int rank, std::vector<GlobalId> begin) : rank_(rank), begin_(std::move(begin)) {
    const GlobalId end = begin_[rank_ + 1];
    for (GlobalId label = begin_[rank_]; label < end; ++label)
      at_home_.push_back({label, std::numeric_limits<GlobalId>::max(), 0});
  }

  void add_member(GlobalId label, GlobalId row) {
    const Part part{label, row, 1};
    if (is_home(label)) {
      add(at_home_[label - begin_[rank_]], part);
    } else {
      elsewhere_.push_back(part);
    }
  }

  /// Combines the parts of all ranks into whole groups. Collective.
  void unite(const Communicator& comm) {
    merge_elsewhere();
    // Labels ascend with their home ranks.
    std::vector<Count> counts;
    auto here = elsewhere_.begin();
    for (int rank = 0; rank < comm.size(); ++rank) {
      const auto end = lower_bound(here, begin_[rank + 1]);
      counts.push_back(static_cast<Count>(end - here));
      here = end;
    }
    const ExchangePlan plan = comm.plan_exchange(std::move(counts));
    std::vector<Part> told(plan.receive.total());
    comm.alltoallv(plan, Sent(elsewhere_.data(), elsewhere_.size()),
                   Received(told.data(), told.size()));
    for (const Part& part : told) add(at_home_[part.label - begin_[rank_]], part);
    for (Part& part : told) part = at_home_[part.label - begin_[rank_]];
    comm.alltoallv(ExchangePlan{plan.receive, plan.send}, Sent(told.data(), told.size()),
                   Received(elsewhere_.data(), elsewhere_.size()));
  }

  const Part& operator[](GlobalId label) {
    if (is_home(label)) return at_home_[label - begin_[rank_]];
    return *lower_bound(elsewhere_.begin(), label);
  }

 private:
  using Place = std::vector<Part>::iterator;

  bool is_home(GlobalId label) const { return label >= begin_[rank_] && label < begin_[rank_ + 1]; }
  Place lower_bound(Place from, GlobalId label) {
    return std::lower_bound(from, elsewhere_.end(), label,
                            [](const Part& part, GlobalId least) { return part.label < least; });
  }
  void merge_elsewhere() {
    std::sort(elsewhere_.begin(), elsewhere_.end(),
              [](const Part& a, const Part& b) { return a.label < b.label; });
    std::size_t kept = 0;
    for (const Part& part : elsewhere_) {
      if (kept > 0 && elsewhere_[kept - 1].label == part.label) {
        add(elsewhere_[kept - 1], part);
      } else {
        elsewhere_[kept++] = part;
      }
    }
    elsewhere_.resize(kept);
  }

  int rank_;
  std::vector<GlobalId> begin_;
  std::vector<Part> at_home_;
  std::vector<Part> elsewhere_;  ///< sorted by label and unique after unite()
};

}  // namespace

CountedGroups<Kokkos::HostSpace> join_groups(const Communicator& comm,
                                             const JoiningParticles& particles) {
  const Count linked = particles.linked.extent(0), others = particles.others.extent(0);
  const GlobalId first_row = comm.exclusive_scan(GlobalId{linked + others});
  std::vector<GlobalId> begin{0};
  for (const Count count : comm.allgather(linked)) begin.push_back(begin.back() + count);
  Parts parts(comm.rank(), std::move(begin));
  for (Count k = 0; k < linked; ++k)
    parts.add_member(particles.label(k), first_row + particles.linked(k));
  for (Count k = 0; k < others; ++k)
    if (particles.joined(k) != no_group)
      parts.add_member(particles.joined(k), first_row + particles.others(k));
  parts.unite(comm);

  const auto numbers = [&](const char* name) {
    return GlobalLabels<Kokkos::HostSpace>(
        Kokkos::view_alloc(std::string(name), Kokkos::WithoutInitializing), linked + others);
  };
  const CountedGroups<Kokkos::HostSpace> groups{numbers("copse::fof::joined_labels"),
                                                numbers("copse::fof::joined_members")};
  const auto enter = [&](LocalIndex row, GlobalId label) {
    const Part& part = parts[label];
    groups.labels(row) = part.first;
    groups.members(row) = part.members;
  };
  for (Count k = 0; k < linked; ++k) enter(particles.linked(k), particles.label(k));
  for (Count k = 0; k < others; ++k) {
    const LocalIndex row = particles.others(k);
    if (particles.joined(k) != no_group) {
      enter(row, particles.joined(k));
    } else {
      groups.labels(row) = first_row + row;
      groups.members(row) = 1;
    }
  }
  return groups;
}

}  // namespace copse::fof
