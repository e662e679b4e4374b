// Oracle: std::stable_sort of the row numbers on the host.
#include <copse/backend/backends.hpp>
#include <copse/particles/destination_order.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>
#include <random>

using namespace copse;

namespace {

template <class Space>
Kokkos::View<const int*, typename Space::memory_space> on_device(const std::vector<int>& values) {
  const Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(values.data(),
                                                                                  values.size());
  const Kokkos::View<int*, typename Space::memory_space> view("copse::tests::destination",
                                                              values.size());
  Kokkos::deep_copy(view, host);
  return view;
}

void check_against_stable_sort(const std::vector<int>& destination, int ranks) {
  std::vector<LocalIndex> rows(destination.size());
  std::iota(rows.begin(), rows.end(), LocalIndex{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](LocalIndex a, LocalIndex b) { return destination[a] < destination[b]; });
  std::vector<Count> counts(ranks, 0);
  for (const int d : destination) ++counts[d];
  for_each_backend([&]<class Space>(Space space) {
    const auto order = order_by_destination(space, on_device<Space>(destination), ranks);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order.rows);
    CHECK(std::equal(rows.begin(), rows.end(), host.data(), host.data() + host.size()));
    CHECK(order.counts == counts);
  });
}

}  // namespace

TEST_CASE("rows bound for random ranks are grouped as a stable sort would, at any size") {
  std::mt19937 random(7);
  for (const int ranks : {1, 2, 3, 64, 1000})
    for (const std::size_t n : {0u, 1u, 255u, 256u, 257u, 4001u, 100000u}) {
      INFO(n << " rows, " << ranks << " ranks");
      std::uniform_int_distribution<int> any(0, ranks - 1);
      std::vector<int> destination(n);
      for (int& d : destination) d = any(random);
      check_against_stable_sort(destination, ranks);
    }
}

TEST_CASE("rows with one common destination keep their order") {
  for (const int target : {0, 2, 4}) check_against_stable_sort(std::vector<int>(1000, target), 5);
}

TEST_CASE("ascending, descending and round-robin destinations are grouped") {
  std::vector<int> ascending(3000), descending(3000), round_robin(3000);
  for (int i = 0; i < 3000; ++i) {
    ascending[i] = i / 430;
    descending[i] = 6 - i / 430;
    round_robin[i] = i % 7;
  }
  check_against_stable_sort(ascending, 7);
  check_against_stable_sort(descending, 7);
  check_against_stable_sort(round_robin, 7);
}

TEST_CASE("destinations that are not ranks are counted") {
  for_each_backend([]<class Space>(Space space) {
    CHECK(count_invalid_destinations(space, on_device<Space>({0, 1, 2}), 3) == 0);
    CHECK(count_invalid_destinations(space, on_device<Space>({0, 3, -1, 2, 99}), 3) == 3);
    CHECK(count_invalid_destinations(space, on_device<Space>({}), 3) == 0);
  });
}
