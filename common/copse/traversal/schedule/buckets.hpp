#pragma once
/// \file
/// The paper's scheduler for guided walks, on the host: buckets of equal beginnings.
///
/// Distribute the queries over buckets by the first top leaf they reach, a bucket's queries by the
/// second, and so on, until a bucket holds no more queries than walk together anyway (32, a warp).
/// Queries whose walk is over come first in their bucket. A bucket's queries keep their order.
///
/// This is a radix sort from the most significant digit. Carried to the end it would sort the rows
/// of the matrix in lexicographic order; stopping early leaves only queries of one small bucket out
/// of it. `device_buckets.hpp` sorts to the end.
///
/// Source: [Liu 2019] section 3.2.2, figures 3.7 and 3.8. The listing's slips, mended here:
/// - line 10 tests `!temp`, so it drops those that have a next leaf and distributes those that
///   have none, all into bucket 0;
/// - line 15's loop tests `i`, left over from the loop before, instead of j; and leaves are
///   numbered from 1 to `nnodes`, so it must include the last and `clusters` needs one element
///   more;
/// - line 16 returns at the first empty cluster, which loses all queries of the later ones;
/// - `offset` is passed by value and not advanced by the recursive call, so the clusters after it
///   overwrite what it wrote;
/// - `index + 2`: footnote 2 takes two siblings for one step, but the columns are leaves, and a
/// walk
///   that prunes (nearest neighbour) may reach one sibling without the other: here one leaf, one
///   step;
/// - `index >= nnodes` must be asked of the next index, as a row has no element beyond the last;
/// - the array `clusters` is never deleted, `cluster`, `clusters`, `buf` and `buffer` are meant to
///   be two things, and `matrix[index][pos]` is filled as `matrix[pos][index]` in figure 3.4;
/// - the text calls line 12 what is line 13, and that a finished query goes to the "bottom" of the
///   output, where the listing puts it in front of the clusters.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <vector>

namespace copse {

/// Queries that walk together anyway: a bucket of no more is not divided ([Liu 2019] figure 3.8).
inline constexpr Count bucket_limit = 32;

namespace detail {

/// A query that is being distributed, with the leaf that decides.
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

  /// Sorts the bucket's queries by the step at its index, and appends the buckets that this makes
  /// to `open`, without the one of the queries whose walk is over.
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
      compare(bucket, open);  // clearing and scanning a counter per leaf would take longer
  }

  void divide_to_the_end(const Bucket& bucket) const {
    std::vector<Bucket> open{bucket};  // no recursion: it could be as deep as a row is long
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

/// The schedule of `steps` by recursive buckets; buckets of at most `limit` queries are not
/// divided. `space` must be a host space; `order` has as many elements as `steps` has rows and need
/// not be set. The result does not depend on the number of threads.
///
/// O(queries x steps) for buckets of more queries than top leaves, times log queries for smaller
/// ones; a bucket stops as soon as it is small. The first step
/// is taken by one thread, its buckets are then divided side by side.
template <class ExecutionSpace>
void buckets(const ExecutionSpace& space, const ConstStepMatrix<Kokkos::HostSpace>& steps,
             const ScheduleView<Kokkos::HostSpace>& order, Workspace<Kokkos::HostSpace>& workspace,
             Count limit = bucket_limit) {
  static_assert(runs_on_host<ExecutionSpace>, "on a device take device_buckets");
  const Count n = order.extent(0);
  input_order(space, order);
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
