// Oracle: the smallest row that links reach, propagated until nothing changes.
#include "union_find.hpp"

#include "common/algorithms/on_each_backend.hpp"
#include "lab.hpp"
#include <copse/algorithms/permutation.hpp>
#include <copse/backend/relaxed_access.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace copse::labs {
namespace {

using RowVector = std::vector<LocalIndex>;
using Link = std::pair<LocalIndex, LocalIndex>;

RowVector rows_up_to(LocalIndex rows) {
  RowVector numbers(rows);
  std::iota(numbers.begin(), numbers.end(), LocalIndex{0});
  return numbers;
}

RowVector reached(LocalIndex rows, const RowVector& from, const RowVector& to) {
  RowVector label = rows_up_to(rows);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < from.size(); ++k) {
      LocalIndex &a = label[from[k]], &b = label[to[k]];
      if (a != b) {
        a = b = std::min(a, b);
        changed = true;
      }
    }
  }
  return label;
}

/// Parents in an array of one thread. Another thread, `other`, runs once before access number
/// `due`.
struct Interrupted {
  RowVector& parent;
  int& due;
  const std::function<void()>& other;

  /// The parent of a row. First it may be the other thread's turn.
  [[maybe_unused]] LocalIndex& at(LocalIndex row) const {
    if (due-- == 0) other();
    return parent[row];
  }
  KOKKOS_FUNCTION LocalIndex load(LocalIndex row) const {
    KOKKOS_IF_ON_HOST((return at(row);))
    KOKKOS_IF_ON_DEVICE((return row;))  // never runs there
  }
  [[maybe_unused]] KOKKOS_FUNCTION void store(LocalIndex row, LocalIndex value) const {
    KOKKOS_IF_ON_HOST((at(row) = value;))
  }
  KOKKOS_FUNCTION LocalIndex compare_exchange(LocalIndex row, LocalIndex expected,
                                              LocalIndex value) const {
    KOKKOS_IF_ON_HOST((LocalIndex& here = at(row); const LocalIndex seen = here;
                       if (seen == expected) here = value; return seen;))
    KOKKOS_IF_ON_DEVICE((return row;))
  }
};

TEST_CASE("A join that another join interrupts anywhere loses no link") {
  constexpr LocalIndex rows = 5;
  const std::vector<Link> links{{0, 2}, {1, 2}, {2, 1}, {3, 4}, {4, 1}, {2, 2}};
  const std::function<void()> nobody = [] {};
  for (const Link& before : links)
    for (const Link& first : links)
      for (const Link& second : links)
        for (int due = 0; due < 12; ++due) {
          RowVector parent = rows_up_to(rows);
          int never = -1, when = due, joins = 0;
          const Sets<Interrupted> alone{{parent, never, nobody}};
          joins += alone.unite(before.first, before.second);
          const std::function<void()> other = [&] {
            joins += alone.unite(second.first, second.second);
          };
          joins += Sets<Interrupted>{{parent, when, other}}.unite(first.first, first.second);
          if (when >= 0) other();  // the first join ended before its turn
          const RowVector label = reached(rows, {before.first, first.first, second.first},
                                          {before.second, first.second, second.second});
          LocalIndex sets = 0;
          for (LocalIndex row = 0; row < rows; ++row) {
            sets += label[row] == row;
            CHECK(alone.find(row) == label[row]);
          }
          CHECK(joins == static_cast<int>(rows - sets));
        }
}

template <class Space>
struct Shared {
  Array<Space, LocalIndex> parent;

  KOKKOS_FUNCTION LocalIndex load(LocalIndex row) const { return relaxed_load(&parent(row)); }
  KOKKOS_FUNCTION void store(LocalIndex row, LocalIndex value) const {
    relaxed_store(&parent(row), value);
  }
  KOKKOS_FUNCTION LocalIndex compare_exchange(LocalIndex row, LocalIndex expected,
                                              LocalIndex value) const {
    return Kokkos::atomic_compare_exchange(&parent(row), expected, value);
  }
};

template <class Space>
struct JoinLink {
  Sets<Shared<Space>> sets;
  Array<Space, const LocalIndex> from, to;
  KOKKOS_FUNCTION void operator()(Count link, Count& joins) const {
    joins += sets.unite(from(link), to(link));
  }
};

template <class Space>
struct Label {
  Sets<Shared<Space>> sets;
  Array<Space, LocalIndex> label;
  KOKKOS_FUNCTION void operator()(Count row) const {
    label(row) = sets.find(static_cast<LocalIndex>(row));
  }
};

template <class Space>
using Each = Kokkos::RangePolicy<Space, Kokkos::IndexType<Count>>;

/// Joins all links and fills the labels. Returns how many joins reported a change.
template <class Space>
Count join(const Space& space, const Array<Space, LocalIndex>& parent,
           const Array<Space, const LocalIndex>& from, const Array<Space, const LocalIndex>& to,
           const Array<Space, LocalIndex>& label) {
  const Sets<Shared<Space>> sets{{parent}};
  number_rows("copse::labs::singletons", space, parent);
  Count joins = 0;
  Kokkos::parallel_reduce("copse::labs::join", Each<Space>(space, 0, from.extent(0)),
                          JoinLink<Space>{sets, from, to}, joins);
  Kokkos::parallel_for("copse::labs::label", Each<Space>(space, 0, parent.extent(0)),
                       Label<Space>{sets, label});
  space.fence("copse::labs::join");
  return joins;
}

/// Links in groups of rows: to a random row of the group, or to the next row, which makes chains.
std::pair<RowVector, RowVector> links_in_groups(LocalIndex rows, LocalIndex group, int per_row,
                                                bool chains) {
  std::mt19937 random(3);
  RowVector from, to;
  for (LocalIndex row = 0; row < rows; ++row)
    for (int k = 0; k < per_row; ++k) {
      const LocalIndex first = row - row % group, last = std::min(first + group, rows) - 1;
      from.push_back(row);
      to.push_back(chains ? std::min(row + 1, last)
                          : first + static_cast<LocalIndex>(random() % (last - first + 1)));
    }
  return {from, to};
}

TEST_CASE("All threads of a backend leave the smallest row of each set") {
  for_each_backend([](auto space) {
    using Space = decltype(space);
    for (const LocalIndex rows : {1U, 2U, 1000U, 20000U})
      for (const bool chains : {false, true}) {
        const auto [from, to] = links_in_groups(rows, 500, 2, chains);
        const RowVector expected = reached(rows, from, to);
        const Array<Space, LocalIndex> parent("copse::labs::parent", rows);
        const Array<Space, LocalIndex> label("copse::labs::label", rows);
        const Count joins = join<Space>(space, parent, test::to_backend<Space>(from),
                                        test::to_backend<Space>(to), label);
        Count sets = 0;
        for (LocalIndex row = 0; row < rows; ++row) sets += expected[row] == row;
        INFO(backend_name<Space>() << ", " << rows << " rows, chains " << chains);
        CHECK(test::to_host(label) == expected);
        CHECK(joins == rows - sets);
      }
  });
}

TEST_CASE("copy passes of joining links", "[.measure]") {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space space;
  const LocalIndex rows = 1U << 22;
  const auto [from, to] = links_in_groups(rows, 1000, 4, false);
  const Array<Space, const LocalIndex> first = test::to_backend<Space>(from);
  const Array<Space, const LocalIndex> second = test::to_backend<Space>(to);
  const Array<Space, LocalIndex> parent("copse::labs::parent", rows);
  const Array<Space, LocalIndex> label("copse::labs::label", rows);
  const double seconds = fastest([&] { join<Space>(space, parent, first, second, label); });
  const RowVector labels = test::to_host(label);
  std::size_t lost = 0;
  for (std::size_t k = 0; k < from.size(); ++k) lost += labels[from[k]] != labels[to[k]];
  REQUIRE(lost == 0);
  report("copy_passes", seconds / copy_pass(space, from.size()), "passes");
}

}  // namespace
}  // namespace copse::labs
