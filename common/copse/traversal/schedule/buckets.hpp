#pragma once
/// \file
/// The paper's scheduler for guided walks, on the host: recursive buckets of equal leading steps.
///
/// Distributes the queries over buckets by the first top leaf they reach, a bucket's queries by the
/// second, and so on, until a bucket holds at most one warp of queries (32). Queries whose walk has
/// ended come first in their bucket. Within a bucket queries keep their order.
///
/// This is a radix sort from the most significant digit. Run to the end it would sort the rows of
/// the matrix lexicographically; stopping early leaves only the queries within small buckets
/// unsorted.
///
/// Source: [Liu 2019] section 3.2.2, figures 3.7 and 3.8. Errors of the listing, corrected here:
/// - line 10 tests `!temp`, so it drops the queries that have a next leaf and distributes those
///   that have none, all into bucket 0;
/// - line 15's loop tests `i`, left over from the previous loop, instead of j; and leaves are
///   numbered from 1 to `nnodes`, so it must include the last and `clusters` needs one more
///   element;
/// - line 16 returns at the first empty cluster, which loses all queries of the later ones;
/// - `offset` is passed by value and not advanced by the recursive call, so later clusters
///   overwrite its output;
/// - `index + 2`: footnote 2 counts two siblings as one step, but the columns are leaves, and a
///   pruning walk (nearest neighbour) may reach one sibling without the other: here one leaf is one
///   step;
/// - `index >= nnodes` must test the next index, because a row has no element beyond the last;
/// - the array `clusters` is never deleted, `cluster`, `clusters`, `buf` and `buffer` are meant to
///   be two things, and `matrix[index][pos]` is filled as `matrix[pos][index]` in figure 3.4;
/// - the text refers to line 13 as line 12, and says that a finished query goes to the "bottom" of
///   the output, where the listing puts it in front of the clusters.

#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <vector>

namespace copse {

/// One warp: a bucket of at most this many queries is not divided ([Liu 2019] figure 3.8).
inline constexpr Count bucket_limit = 32;

namespace detail {

/// A query and its step at the current index.
struct BucketRow {
  Step step;
  LocalIndex query;
};

/// Rows [begin, end) agree in all steps before `index`.
struct Bucket {
  Count begin;
  Count end;
  Count index;
};

class BucketScheduler {
 public:
  BucketScheduler(const ConstStepMatrix<Kokkos::HostSpace>& steps, Count limit, LocalIndex* order,
                  BucketRow* rows)
      : steps_(steps), limit_(limit), order_(order), rows_(rows) {}

  /// Sorts the bucket's queries by the step at its index, and appends the resulting buckets to
  /// `open`, except that of the queries whose walk has ended.
  void divide(const Bucket& bucket, std::vector<Bucket>& open) const {
    const Count n = bucket.end - bucket.begin;
    if (n <= limit_ || bucket.index >= steps_.extent(1)) return;
    BucketRow* rows = rows_ + bucket.begin;
    Count largest = 0;
    for (Count i = 0; i < n; ++i) {
      const LocalIndex query = order_[bucket.begin + i];
      rows[i] = {steps_(query, bucket.index), query};
      largest = std::max<Count>(largest, rows[i].step);
    }
    if (n > largest)
      count_out(bucket, largest, open);
    else
      compare(bucket, open);  // clearing and scanning one counter per leaf would take longer
  }

  void divide_to_the_end(const Bucket& bucket) const {
    std::vector<Bucket> open{bucket};  // no recursion: its depth could reach the row length
    while (!open.empty()) {
      const Bucket last = open.back();
      open.pop_back();
      divide(last, open);
    }
  }

 private:
  void count_out(const Bucket& bucket, Count largest, std::vector<Bucket>& open) const {
    const Count n = bucket.end - bucket.begin;
    const BucketRow* rows = rows_ + bucket.begin;
    std::vector<Count> next(largest + 2, bucket.begin);
    for (Count i = 0; i < n; ++i) ++next[rows[i].step + 1];
    for (Count s = 1; s < next.size(); ++s) {
      next[s] += next[s - 1] - bucket.begin;
      if (s > 1 && next[s] > next[s - 1]) open.push_back({next[s - 1], next[s], bucket.index + 1});
    }
    for (Count i = 0; i < n; ++i) order_[next[rows[i].step]++] = rows[i].query;
  }

  void compare(const Bucket& bucket, std::vector<Bucket>& open) const {
    BucketRow* begin = rows_ + bucket.begin;
    BucketRow* end = rows_ + bucket.end;
    std::stable_sort(begin, end,
                     [](const BucketRow& a, const BucketRow& b) { return a.step < b.step; });
    for (BucketRow* row = begin; row < end; ++row) order_[row - rows_] = row->query;
    for (BucketRow* row = begin; row < end;) {
      BucketRow* next = row;
      while (next < end && next->step == row->step) ++next;
      if (row->step != 0)
        open.push_back(
            {static_cast<Count>(row - rows_), static_cast<Count>(next - rows_), bucket.index + 1});
      row = next;
    }
  }

  ConstStepMatrix<Kokkos::HostSpace> steps_;
  Count limit_;
  LocalIndex* order_;
  BucketRow* rows_;
};

}  // namespace detail

/// Computes the schedule of `steps` by recursive buckets; buckets of at most `limit` queries are
/// not divided. `space` must be a host space; `order` has one element per row of `steps` and need
/// not be initialised. The result does not depend on the number of threads.
///
/// O(queries x steps) for buckets of more queries than top leaves, times log queries for smaller
/// ones; small buckets stop early. One thread distributes by the first step; the resulting buckets
/// are divided in parallel.
template <class ExecutionSpace>
void buckets(const ExecutionSpace& space, const ConstStepMatrix<Kokkos::HostSpace>& steps,
             const ScheduleView<Kokkos::HostSpace>& order, Workspace<Kokkos::HostSpace>& workspace,
             Count limit = bucket_limit) {
  static_assert(runs_on_host<ExecutionSpace>, "buckets are made on a host");
  const Count n = order.extent(0);
  number_rows("copse::schedule::input_order", space, order);
  space.fence("copse::schedule::input_order");
  const detail::BucketScheduler scheduler(
      steps, limit, order.data(), workspace.get<detail::BucketRow>("buckets::rows", n).data());
  std::vector<detail::Bucket> first;
  scheduler.divide({0, n, 0}, first);
  Kokkos::parallel_for("copse::schedule::buckets",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>(
                           space, 0, first.size()),
                       [&](Count b) { scheduler.divide_to_the_end(first[b]); });
  space.fence("copse::schedule::buckets");
}

}  // namespace copse
