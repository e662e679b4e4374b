#pragma once
/// \file
/// Counts the pairs of two catalogues by separation: one of the walks that a correlation function
/// is made of.
///
/// The results of a walk are sums over its queries. So if there are too many pairs for brute force,
/// the sums are held against another walk of all queries, and brute force is held against the walk
/// of some.

#include "../brute_force.hpp"
#include "../request.hpp"
#include <copse/app/verification.hpp>
#include <copse/backend/error.hpp>
#include <copse/traversal/inspector.hpp>
#include <copse/traversal/visitors/pair_counts.hpp>
#include <copse/traversal/walk.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace copse::traversal {

/// Points and the tree they are in.
template <int Dim, class MemorySpace>
struct Catalogue {
  Points<Dim, MemorySpace> points;
  BoxTree<Dim, MemorySpace> tree;
};

/// The pairs of each bin of (query, point), the query one of `chosen`, all points tried.
template <int Dim>
std::vector<Count> pairs_by_brute_force(const HostPoints<Dim>& queries,
                                        const std::vector<Count>& chosen,
                                        const HostPoints<Dim>& points,
                                        const std::vector<Real>& edges) {
  std::vector<Real> edges2;
  for (const Real edge : edges) edges2.push_back(edge * edge);
  std::vector<Count> pairs(edges.size() - 1, 0);
  count_wrong(chosen, [&](Count q) -> Count {
    std::vector<Count> of_query(pairs.size(), 0);
    for (Count i = 0; i < points.extent(0); ++i) {
      const Real d2 = plain_distance2<Dim>(queries, q, points, i);
      if (d2 < edges2.front() || d2 >= edges2.back()) continue;
      ++of_query[static_cast<std::size_t>(std::upper_bound(edges2.begin(), edges2.end(), d2) -
                                          edges2.begin() - 1)];
    }
    for (std::size_t b = 0; b < pairs.size(); ++b) Kokkos::atomic_add(&pairs[b], of_query[b]);
    return 0;
  });
  return pairs;
}

template <class ExecutionSpace, int Dim>
class PairBenchmark {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Set = Catalogue<Dim, MemorySpace>;
  static constexpr bool bitwise = true;

  /// The points of `queries` walk the tree of `set`. `name` is that of the part of the run.
  PairBenchmark(const ExecutionSpace& space, const std::string& name, const Set& queries,
                const Set& set, const std::vector<Real>& edges, const Request& request)
      : space_(space),
        name_(name),
        queries_(queries),
        set_(set),
        edges_(edges),
        request_(request),
        totals_("copse::traversal::pairs", pair_copies, edges.size() - 1) {}

  Count queries() const { return queries_.points.extent(0); }
  /// By bin, of the last walk, what --sabotage did to them included.
  std::vector<Count> pairs() const { return pair_totals<MemorySpace>(totals_); }
  /// Queries that the last verification tried with all points.
  Count checked() const { return checked_; }

  PairCounts<most_separation_bins, Dim, MemorySpace> visitor() const {
    Kokkos::deep_copy(space_, totals_, Count{0});
    return {set_.tree, queries_.points, totals_, pair_edges2<most_separation_bins>(edges_)};
  }

  TopHeap top(int depth) const { return top_of(set_.tree, depth); }
  int levels() const { return set_.tree.levels; }
  /// The queries have a tree of their own, whichever tree they walk.
  bool order_is_free() const { return true; }
  ScheduleView<MemorySpace> sorted(Workspace<MemorySpace>&) const {
    return queries_.tree.permutation;
  }

  void clear() const { Kokkos::deep_copy(totals_, ~Count{0}); }

  std::uint64_t fingerprint() const {
    std::uint64_t hash = 0;
    for (const Count in_bin : pairs()) hash = mix(hash, in_bin);
    return hash;
  }

  /// One pair too many in the first bin, if `what` is this part.
  void corrupt(const std::string& what) const {
    if (what != "data_data" && what != "data_random" && what != "random_random")
      throw InputError(
          "--sabotage of --correlation must be data_data, data_random or random_random");
    if (what != name_) return;
    const auto first = Kokkos::subview(totals_, 0, 0);
    Count in_bin = 0;
    Kokkos::deep_copy(in_bin, first);
    Kokkos::deep_copy(first, in_bin + 1);
  }

  void verify(app::Verification& verification) {
    const auto found = pairs();
    const auto chosen = checked_queries(queries(), set_.points.extent(0));
    checked_ = chosen.size();
    const auto expected =
        pairs_by_brute_force<Dim>(on_host(queries_.points), chosen, on_host(set_.points), edges_);
    if (checked_ == queries()) {
      verification.check(name_ + "_equal_brute_force", wrong_bins(found, expected));
      return;
    }
    const WalkKind last = request_.walks.back();
    verification.check(name_ + "_of_some_queries_equal_brute_force",
                       wrong_bins(walked(last, list_of(chosen)), expected));
    const WalkKind other = last == WalkKind::stack ? WalkKind::lockstep : WalkKind::stack;
    verification.check(name_ + "_equal_those_of_another_walk",
                       wrong_bins(found, walked(other, {queries(), {}})));
  }

 private:
  static double wrong_bins(const std::vector<Count>& found, const std::vector<Count>& expected) {
    double wrong = 0;
    for (std::size_t b = 0; b < expected.size(); ++b) wrong += found[b] != expected[b];
    return wrong;
  }

  static QueryList<MemorySpace> list_of(const std::vector<Count>& chosen) {
    const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> order(
        "copse::traversal::chosen", chosen.size());
    const auto host = Kokkos::create_mirror_view(order);
    std::transform(chosen.begin(), chosen.end(), host.data(),
                   [](Count q) { return static_cast<LocalIndex>(q); });
    Kokkos::deep_copy(order, host);
    return {chosen.size(), order};
  }

  std::vector<Count> walked(WalkKind kind, const QueryList<MemorySpace>& list) const {
    walk(space_, kind, visitor(), list);
    space_.fence("copse::traversal::verify");
    return pairs();
  }

  ExecutionSpace space_;
  std::string name_;
  const Set& queries_;
  const Set& set_;
  std::vector<Real> edges_;
  const Request& request_;
  PairTotals<MemorySpace> totals_;
  Count checked_ = 0;
};

}  // namespace copse::traversal
