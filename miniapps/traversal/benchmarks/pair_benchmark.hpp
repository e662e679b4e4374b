#pragma once
/// \file
/// One of the three walks of --correlation: the pairs of two sets of points by separation.

#include "../run_benchmark.hpp"
#include <copse/traversal/correlation.hpp>
#include <copse/traversal/visitors/pair_counts.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace copse::traversal {

/// Points and the tree over them.
template <int Dim, class MemorySpace>
struct Catalogue {
  Points<Dim, MemorySpace> points;
  BoxTree<Dim, MemorySpace> tree;
};

/// One of the three walks: counts the pairs of two catalogues by separation. The results are sums
/// over all queries. If brute force over all queries is too expensive, the sums are compared with a
/// second walk of all queries, and brute force with a walk of sampled queries.
template <class ExecutionSpace, int Dim>
class PairBenchmark {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Set = Catalogue<Dim, MemorySpace>;

  /// The points of `queries` walk the tree of `set`.
  PairBenchmark(const ExecutionSpace& space, const Set& queries, const Set& set,
                const std::vector<Real>& edges, const Request& request)
      : space_(space),
        queries_(queries),
        set_(set),
        edges_(edges),
        request_(request),
        totals_("copse::traversal::pairs", pair_copies, edges.size() - 1) {}

  void build() {}  // the run builds both trees
  Count queries() const { return queries_.points.extent(0); }
  /// Pairs per bin, of the last walk.
  std::vector<Count> results() const { return pair_totals<MemorySpace>(totals_); }
  /// Number of queries that the last verification compared with all points.
  Count checked() const { return checked_; }

  PairCounts<most_separation_bins, Dim, MemorySpace> visitor() const {
    Kokkos::deep_copy(space_, totals_, Count{0});
    return {set_.tree, queries_.points, totals_, pair_edges2<most_separation_bins>(edges_)};
  }

  TopHeap top(int depth) const { return top_of(set_.tree, depth); }
  int levels() const { return set_.tree.levels; }
  /// The queries are points of their own tree, so tree order already exists.
  bool order_is_free() const { return true; }
  ScheduleView<MemorySpace> sorted(Workspace<MemorySpace>&) const {
    return queries_.tree.permutation;
  }

  void clear() const { Kokkos::deep_copy(totals_, ~Count{0}); }

  void verify(app::Verification& verification, const std::string& prefix,
              const std::vector<Count>& found) {
    const auto chosen = checked_queries(queries(), set_.points.extent(0));
    checked_ = chosen.size();
    const auto expected =
        pairs_by_brute_force<Dim>(on_host(queries_.points), chosen, on_host(set_.points), edges_);
    if (checked_ == queries()) {
      verification.check(prefix + "equal_brute_force", wrong_bins(found, expected));
      return;
    }
    const WalkKind last = request_.walks.back();
    std::vector<Count> of_some = walked(last, list_of(chosen));
    app::corruptible(of_some, prefix + "some_");
    verification.check(prefix + "of_some_queries_equal_brute_force", wrong_bins(of_some, expected));
    const WalkKind other = last == WalkKind::stack ? WalkKind::lockstep : WalkKind::stack;
    verification.check(prefix + "equal_those_of_another_walk",
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
    return results();
  }

  ExecutionSpace space_;
  const Set& queries_;
  const Set& set_;
  std::vector<Real> edges_;
  const Request& request_;
  PairTotals<MemorySpace> totals_;
  Count checked_ = 0;
};

}  // namespace copse::traversal
