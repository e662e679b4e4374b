/// Solutions of the exercises on portability, on every backend of the build.

#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace copse::book {
namespace {

template <class Space>
using Rows = Kokkos::RangePolicy<Space>;
template <class Space>
using Numbers = Kokkos::View<int*, typename Space::memory_space>;

template <class Space>
Numbers<Space> on_device(const std::vector<int>& numbers) {
  const Kokkos::View<const int*, Kokkos::HostSpace> host(numbers.data(), numbers.size());
  Numbers<Space> there("copse::book::numbers", numbers.size());
  Kokkos::deep_copy(there, host);
  return there;
}

template <class View>
std::vector<int> on_host(const View& numbers) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, numbers);
  return std::vector<int>(host.data(), host.data() + host.extent(0));
}

// [begin columns]
/// Particles stored as rows of x, y, z become three columns: adjacent threads then read adjacent
/// words.
template <class Space>
struct ToColumns {
  Kokkos::View<const int* [3], Kokkos::LayoutRight, typename Space::memory_space> rows;
  Kokkos::View<int* [3], Kokkos::LayoutLeft, typename Space::memory_space> columns;

  KOKKOS_FUNCTION void operator()(int row) const {
    for (int axis = 0; axis < 3; ++axis) columns(row, axis) = rows(row, axis);
  }
};
// [end columns]

// [begin sums]
/// One team per segment: its threads sum the rows, one of them writes the result.
template <class Space>
struct SumSegments {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  Numbers<Space> begin, values, sums;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int segment = team.league_rank();
    int sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, begin(segment), begin(segment + 1)),
        [&](int row, int& mine) { mine += values(row); }, sum);
    Kokkos::single(Kokkos::PerTeam(team), [&]() { sums(segment) = sum; });
  }
};
// [end sums]

// [begin partition]
/// A stable partition by one scan: the scan of "goes left" gives the position of a left row; for a
/// right row it gives the number of left rows before it.
template <class Space>
struct PartitionByScan {
  Numbers<Space> from, to;
  int cut, left;

  KOKKOS_FUNCTION void operator()(int row, int& before, bool last) const {
    const bool goes_left = from(row) <= cut;
    if (last) to(goes_left ? before : left + row - before) = from(row);
    before += goes_left;
  }
};
// [end partition]

TEST_CASE("Portability 1: rows become columns") {
  for_each_backend([]<class Space>(Space space) {
    std::vector<int> flat(300);
    std::iota(flat.begin(), flat.end(), 0);
    using Memory = typename Space::memory_space;
    const Numbers<Space> there = on_device<Space>(flat);
    Kokkos::View<int* [3], Kokkos::LayoutLeft, Memory> columns("copse::book::columns", 100);
    Kokkos::parallel_for(
        "copse::book::to_columns", Rows<Space>(space, 0, 100),
        ToColumns<Space>{decltype(ToColumns<Space>::rows)(there.data(), 100), columns});
    space.fence("copse::book::to_columns");
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, columns);
    CHECK(host.stride(0) == 1);
    for (int row = 0; row < 100; ++row)
      for (int axis = 0; axis < 3; ++axis) CHECK(host(row, axis) == 3 * row + axis);
  });
}

TEST_CASE("Portability 2: a team sums a segment, whatever its length") {
  for_each_backend([]<class Space>(Space space) {
    std::vector<int> begin{0}, values(5000);
    std::iota(values.begin(), values.end(), 1);
    for (const int size : {0, 1, 3, 996, 0, 4000}) begin.push_back(begin.back() + size);
    const int segments = static_cast<int>(begin.size()) - 1;
    const Numbers<Space> sums("copse::book::sums", static_cast<std::size_t>(segments));
    Kokkos::parallel_for(
        "copse::book::sum_segments", Kokkos::TeamPolicy<Space>(space, segments, Kokkos::AUTO),
        SumSegments<Space>{on_device<Space>(begin), on_device<Space>(values), sums});
    space.fence("copse::book::sum_segments");
    const auto found = on_host(sums);
    for (std::size_t s = 0; s < found.size(); ++s)
      CHECK(found[s] ==
            std::accumulate(values.begin() + begin[s], values.begin() + begin[s + 1], 0));
  });
}

TEST_CASE("Portability 3: a scan partitions stably") {
  for_each_backend([]<class Space>(Space space) {
    std::vector<int> numbers(1000);
    for (int i = 0; i < 1000; ++i) numbers[static_cast<std::size_t>(i)] = 37 * i % 101;
    const auto goes_left = [](int x) { return x <= 40; };
    const auto left = static_cast<int>(std::count_if(numbers.begin(), numbers.end(), goes_left));
    const Numbers<Space> to("copse::book::partitioned", numbers.size());
    Kokkos::parallel_scan("copse::book::partition", Rows<Space>(space, 0, 1000),
                          PartitionByScan<Space>{on_device<Space>(numbers), to, 40, left});
    space.fence("copse::book::partition");
    std::stable_partition(numbers.begin(), numbers.end(), goes_left);
    CHECK(on_host(to) == numbers);
  });
}

}  // namespace
}  // namespace copse::book
