#pragma once
/// \file
/// Particles that change strips.

#include "strip_table.hpp"

namespace copse::collide {

/// What is to be done before the next search.
struct StripMarks {
  bool strayed = false;  ///< particles must change strips
  bool crowded = false;  ///< a strip has no room for its images
};

/// Removes the rows that are in other strips.
template <int D, class ExecutionSpace>
void StripTable<D, ExecutionSpace>::leave(LocalIndex s, std::vector<Departure<D>>& departures) {
  Strip<D>& strip = strips_[s];
  const StripColumns<D> c = columns(s);
  LocalIndex kept = 0;
  for (LocalIndex k = 0; k < strip.rows; ++k) {
    const LocalIndex to = strip_of(c, k);
    if (to != s) {
      Departure<D> departure{to, c.tag[k], {}, {}};
      for (int a = 0; a < D; ++a) {
        departure.x[a] = c.x[a][k];
        departure.v[a] = c.v[a][k];
      }
      departures.push_back(departure);
      continue;
    }
    if (kept < k) {
      for (int a = 0; a < D; ++a) {
        c.x[a][kept] = c.x[a][k];
        c.v[a][kept] = c.v[a][k];
      }
      c.tag[kept] = c.tag[k];
    }
    ++kept;
  }
  std::fill(c.tag + kept, c.tag + strip.rows, unused_tag);
  strip.rows = kept;
}

/// Merges particles into a strip, from its end.
template <int D, class ExecutionSpace>
void StripTable<D, ExecutionSpace>::arrive(LocalIndex s,
                                           std::vector<const Departure<D>*>& arrivals) {
  std::sort(arrivals.begin(), arrivals.end(),
            [](const auto* a, const auto* b) { return sort_key(a->x[0]) < sort_key(b->x[0]); });
  const StripColumns<D> c = columns(s);
  LocalIndex from = strips_[s].rows;
  strips_[s].rows += static_cast<LocalIndex>(arrivals.size());
  LocalIndex to = strips_[s].rows;
  for (auto next = arrivals.rbegin(); next != arrivals.rend();) {
    --to;
    if (from > 0 && c.x[0][from - 1] > (*next)->x[0]) {
      --from;
      for (int a = 0; a < D; ++a) {
        c.x[a][to] = c.x[a][from];
        c.v[a][to] = c.v[a][from];
      }
      c.tag[to] = c.tag[from];
    } else {
      for (int a = 0; a < D; ++a) {
        c.x[a][to] = (*next)->x[a];
        c.v[a][to] = (*next)->v[a];
      }
      c.tag[to] = (*next)->tag;
      strips_[s].ghosts |= is_ghost(c.tag[to]);
      ++next;
    }
  }
}

template <int D, class ExecutionSpace>
void StripTable<D, ExecutionSpace>::migrate(const std::vector<LocalIndex>& chunks) {
  const std::size_t workers = chunks.size() - 1;
  std::vector<std::vector<Departure<D>>> departures(workers);
  Kokkos::parallel_for("copse::collide::leave_strips",
                       Kokkos::RangePolicy<ExecutionSpace>(space_, 0, workers), [&](std::size_t w) {
                         for (LocalIndex s = chunks[w]; s < chunks[w + 1]; ++s)
                           leave(s, departures[w]);
                       });
  space_.fence("copse::collide::leave_strips");
  std::vector<LocalIndex> first(strips_.size() + 1, 0);
  for (const auto& some : departures)
    for (const auto& departure : some) ++first[departure.strip + 1];
  bool fits = true;
  for (LocalIndex s = 0; s < strips(); ++s) {
    fits = fits && strips_[s].rows + first[s + 1] + padding <= strips_[s].room;
    first[s + 1] += first[s];
  }
  std::vector<const Departure<D>*> order(first.back());
  std::vector<LocalIndex> next(first.begin(), first.end() - 1);
  for (const auto& some : departures)
    for (const auto& departure : some) order[next[departure.strip]++] = &departure;
  if (!fits) {
    auto rest = state();
    auto all = allocate_state<D, Kokkos::HostSpace>(rest.rows() + order.size(), false);
    for (Count k = 0; k < all.rows(); ++k) {
      const auto* arrival = k < rest.rows() ? nullptr : order[k - rest.rows()];
      for (int a = 0; a < D; ++a) {
        all.position(k, a) = arrival ? arrival->x[a] : rest.position(k, a);
        all.velocity(k, a) = arrival ? arrival->v[a] : rest.velocity(k, a);
      }
      all.tag(k) = arrival ? arrival->tag : rest.tag(k);
    }
    return lay_out(all);
  }
  std::vector<char> closed(strips_.size());
  for_each_strip([&](LocalIndex s) {
    std::vector<const Departure<D>*> arrivals(order.begin() + first[s],
                                              order.begin() + first[s + 1]);
    arrive(s, arrivals);
    measure_extent(s);
    closed[s] = close(s);
  });
  if (std::find(closed.begin(), closed.end(), 0) != closed.end()) lay_out();
}

}  // namespace copse::collide
