// Oracle: std::sort.
#include <copse/backend/backends.hpp>
#include <copse/traversal/neighbor_heap.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace copse::test {
namespace {

using Candidate = std::pair<float, LocalIndex>;  // in the order of neighbours

/// Lane l inserts the candidates from number l on, then those before it. The neighbours that each
/// lane takes out, farthest first. If `resumes`, it starts with neighbours that another heap has
/// found among the first half.
template <int K, class Space>
std::vector<std::vector<Candidate>> taken_from_heaps(const Space& space,
                                                     const std::vector<Candidate>& candidates,
                                                     int wanted, bool resumes) {
  using Memory = typename Space::memory_space;
  const auto n = static_cast<int>(candidates.size());
  Kokkos::View<Neighbor*, Memory> points("points", candidates.size());
  const auto host = Kokkos::create_mirror_view(points);
  for (int i = 0; i < n; ++i) host(i) = {candidates[i].first, candidates[i].second};
  Kokkos::deep_copy(points, host);
  Kokkos::View<char*, Memory> memory("memory", NeighborHeap<K>::packet_bytes);
  Kokkos::View<Neighbor**, Memory> taken("taken", packet_width, K);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(space, 0, packet_width), KOKKOS_LAMBDA(const int lane) {
        NeighborHeap<K> heap(memory.data(), lane);
        heap.clear(wanted);
        const auto insert = [&](int begin, int end) {
          for (int i = begin; i < end; ++i) {
            const Neighbor& point = points((i + lane) % n);
            heap.insert(point.distance2, point.row);
          }
        };
        insert(0, n / 2);
        if (resumes) {
          for (int j = wanted - 1; j >= 0; --j) taken(lane, j) = heap.take_farthest();
          heap.assign(wanted, [&](int j) { return taken(lane, j); });
        }
        insert(n / 2, n);
        for (int j = 0; j < wanted; ++j) {
          const float farthest2 = heap.farthest2();
          const Neighbor neighbor = heap.take_farthest();
          if (neighbor.distance2 == farthest2) taken(lane, j) = neighbor;
        }
      });
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, taken);
  std::vector<std::vector<Candidate>> lists(packet_width);
  for (int lane = 0; lane < packet_width; ++lane)
    for (int j = 0; j < wanted; ++j)
      lists[lane].emplace_back(found(lane, j).distance2, found(lane, j).row);
  return lists;
}

template <int K, class Space>
void check_heaps(const Space& space) {
  std::mt19937 random(K);
  for (const int n : {2, K / 2 + 1, 200}) {
    std::vector<Candidate> candidates;
    for (int i = 0; i < n; ++i)  // few distances, so that rows decide, and zero
      candidates.emplace_back(static_cast<float>(random() % 50) / 7.0f,
                              static_cast<LocalIndex>(random() % 2 * 0xfffffe00u + i));
    for (const int wanted : {1, K - 1, K}) {
      if (wanted > n || wanted < 1) continue;
      std::vector<Candidate> nearest = candidates;
      std::sort(nearest.begin(), nearest.end());
      nearest.resize(wanted);
      std::reverse(nearest.begin(), nearest.end());
      for (const bool resumes : {false, true}) {
        INFO(K << " places, " << wanted << " wanted of " << n);
        const auto lists = taken_from_heaps<K>(space, candidates, wanted, resumes);
        CHECK(std::all_of(lists.begin(), lists.end(), [&](const auto& l) { return l == nearest; }));
      }
    }
  }
}

TEST_CASE("A heap of neighbours gives the nearest, the farthest first, whatever the order") {
  for_each_backend([](auto space) {
    check_heaps<2>(space);
    check_heaps<8>(space);
    check_heaps<16>(space);
    check_heaps<32>(space);
  });
}

TEST_CASE("A heap with fewer points than wanted has infinite distances in the other places") {
  for_each_backend([](auto space) {
    const std::vector<Candidate> two = {{2.0f, 7}, {1.0f, 9}};
    for (const auto& list : taken_from_heaps<16>(space, two, 5, true)) {
      CHECK(list[4] == two[1]);
      CHECK(list[3] == two[0]);
      CHECK(list[0] == Candidate{Kokkos::Experimental::infinity_v<float>, ~LocalIndex{0}});
    }
  });
}

}  // namespace
}  // namespace copse::test
