#include "verify_attached.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace copse::fof {
namespace {

/// Maximum number of pairs tested: a second or less.
constexpr Count most_pairs = 200'000'000;

constexpr GlobalId nobody = std::numeric_limits<GlobalId>::max();

/// Indices over all ranks, in rank order.
class Numbering {
 public:
  Numbering(const Communicator& comm, Count mine) : comm_(comm) {
    for (const Count n : comm.allgather(mine)) begin_.push_back(begin_.back() + n);
  }

  GlobalId first() const { return begin_[static_cast<std::size_t>(comm_.rank())]; }
  GlobalId total() const { return begin_.back(); }

  bool is_mine(GlobalId index) const {
    return index >= first() && index < begin_[static_cast<std::size_t>(comm_.rank()) + 1];
  }

  /// For ascending indices, the exchange that sends each to its rank. Collective.
  ExchangePlan plan(const std::vector<GlobalId>& ascending) const {
    std::vector<Count> counts;
    auto from = ascending.begin();
    for (std::size_t rank = 1; rank < begin_.size(); ++rank) {
      const auto end = std::lower_bound(from, ascending.end(), begin_[rank]);
      counts.push_back(static_cast<Count>(end - from));
      from = end;
    }
    return comm_.plan_exchange(std::move(counts));
  }

  std::vector<GlobalId> exchanged(const ExchangePlan& plan,
                                  const std::vector<GlobalId>& sent) const {
    std::vector<GlobalId> received(plan.receive.total());
    comm_.alltoallv(plan, GlobalIds<const GlobalId>(sent.data(), sent.size()),
                    GlobalIds<GlobalId>(received.data(), received.size()));
    return received;
  }

  /// Number of i < n with value(index(i)) unlike wanted(i), where value(j) belongs to the rank of
  /// index first() + j. Collective.
  template <class Index, class Wanted, class Value>
  Count count_unlike(Count n, const Index& index, const Wanted& wanted, const Value& value) const {
    std::vector<GlobalId> asked;
    for (Count i = 0; i < n; ++i)
      if (!is_mine(index(i))) asked.push_back(index(i));
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    const ExchangePlan to_owners = plan(asked);
    std::vector<GlobalId> answers = exchanged(to_owners, asked);
    for (GlobalId& answer : answers) answer = value(answer - first());
    answers = exchanged({to_owners.receive, to_owners.send}, answers);
    Count unlike = 0;
    for (Count i = 0; i < n; ++i) {
      const auto found = std::lower_bound(asked.begin(), asked.end(), index(i));
      const GlobalId there = is_mine(index(i))
                                 ? value(index(i) - first())
                                 : answers[static_cast<std::size_t>(found - asked.begin())];
      unlike += there != wanted(i) ? 1 : 0;
    }
    return unlike;
  }

 private:
  template <class T>
  using GlobalIds = Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

  const Communicator& comm_;
  std::vector<GlobalId> begin_{0};
};

/// Squared distance of a particle to a point, implemented independently.
Real apart2(const LinkedInput& input, LocalIndex i, const Real* point) {
  Real sum = 0;
  for (int a = 0; a < 3; ++a) {
    const Real d = std::fabs(input.all.position(i, a) - point[a]);
    const Real least = std::min(d, input.friendship.period[a] - d);
    sum = a == 0 ? least * least : std::fma(least, least, sum);
  }
  return sum;
}

/// Labels of the linked particles nearest to some points, or nobody, from the particles of all
/// ranks. `first` is the index of this rank's first linked particle over all ranks. Collective.
std::vector<GlobalId> nearest_labels(const Communicator& comm, const LinkedInput& input,
                                     GlobalId first, const GlobalLabels<Kokkos::HostSpace>& labels,
                                     const std::vector<Real>& points) {
  const std::size_t n = points.size() / 3;
  std::vector<Real> mine(n, input.friendship.reach2);
  std::vector<GlobalId> nearest(n, nobody), label(n, nobody);
  for (std::size_t q = 0; q < n; ++q)
    for (Count k = 0; k < input.rows.extent(0); ++k) {
      const Real d2 = apart2(input, input.rows(k), &points[3 * q]);
      if (!(d2 < mine[q])) continue;
      mine[q] = d2;
      nearest[q] = first + k;
      label[q] = labels(input.rows(k));
    }
  std::vector<Real> least = mine;
  comm.allreduce(std::span(least), Reduction::min);
  for (std::size_t q = 0; q < n; ++q)
    if (mine[q] > least[q]) nearest[q] = nobody;
  std::vector<GlobalId> of_all = nearest;
  comm.allreduce(std::span(of_all), Reduction::min);
  for (std::size_t q = 0; q < n; ++q)
    if (nearest[q] != of_all[q]) label[q] = nobody;
  comm.allreduce(std::span(label), Reduction::min);
  return label;
}

/// Number of linked particles with another label than the first of their group, and of groups with
/// the label of another group. Collective.
Count count_moved(const Communicator& comm, const LinkedInput& input, const Numbering& all,
                  const Numbering& linked, const GlobalLabels<Kokkos::HostSpace>& of_linked,
                  const GlobalLabels<Kokkos::HostSpace>& labels) {
  const auto label = [&](Count k) { return labels(input.rows(k)); };
  const Count n = input.rows.extent(0);
  Count moved = linked.count_unlike(n, of_linked, label, label);
  std::vector<GlobalId> of_groups;
  for (Count k = 0; k < n; ++k)
    if (of_linked(k) == linked.first() + k) of_groups.push_back(label(k));
  std::sort(of_groups.begin(), of_groups.end());
  std::vector<GlobalId> here = all.exchanged(all.plan(of_groups), of_groups);
  std::sort(here.begin(), here.end());
  for (std::size_t g = 1; g < here.size(); ++g) moved += here[g] == here[g - 1] ? 1 : 0;
  return comm.allreduce(moved, Reduction::sum);
}

}  // namespace

std::string verify_attached(const Communicator& comm, const LinkedInput& input,
                            const GlobalLabels<Kokkos::HostSpace>& of_linked,
                            const GlobalLabels<Kokkos::HostSpace>& labels,
                            app::Verification& verification) {
  const Count n = labels.extent(0), others = input.others.extent(0);
  const Numbering all(comm, n), linked(comm, input.rows.extent(0)), other(comm, others);
  Count no_label = 0;
  for (Count i = 0; i < n; ++i) no_label += labels(i) > all.first() + i ? 1 : 0;
  // Larger labels may be no particle's index.
  no_label = comm.allreduce(no_label, Reduction::sum);
  if (no_label == 0)
    no_label = comm.allreduce(all.count_unlike(n, labels, labels, labels), Reduction::sum);
  if (!verification.check("labels_of_all_species_that_are_no_smallest_row",
                          static_cast<double>(no_label)))
    return "the labels of all species are invalid; nothing else was compared";
  verification.check("linked_particles_in_other_groups_than_before",
                     static_cast<double>(count_moved(comm, input, all, linked, of_linked, labels)));

  const double pairs = static_cast<double>(other.total()) * static_cast<double>(linked.total());
  const auto step =
      static_cast<Count>(std::max(1.0, std::ceil(pairs / static_cast<double>(most_pairs))));
  std::vector<Real> points;
  std::vector<LocalIndex> sample;
  for (Count k = (step - other.first() % step) % step; k < others; k += step) {
    sample.push_back(input.others(k));
    for (int a = 0; a < 3; ++a) points.push_back(input.all.position(sample.back(), a));
  }
  const auto nearest =
      nearest_labels(comm, input, linked.first(), labels, comm.allgatherv(std::span(points)));
  const Numbering sampled(comm, sample.size());
  Count wrong = 0;
  for (std::size_t q = 0; q < sample.size(); ++q) {
    const GlobalId expected = nearest[sampled.first() + q];
    wrong += labels(sample[q]) != (expected == nobody ? all.first() + sample[q] : expected) ? 1 : 0;
  }
  verification.check("attached_to_the_wrong_group",
                     static_cast<double>(comm.allreduce(wrong, Reduction::sum)));
  return fmt::format("verified {} of the {} attached particles against all linked ones",
                     sampled.total(), other.total());
}

}  // namespace copse::fof
