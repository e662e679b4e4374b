#include <copse/backend/backends.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/orb_policy.hpp>

#include <catch2/catch_test_macros.hpp>

#include <common/tree/differing_from_reference.hpp>

namespace copse::test {
namespace {

/// As differing_from_reference, for cuts found by `search` on one backend.
template <class Space, class Search>
int differences(const Space& space, const HostParticles& particles, std::uint32_t leaves,
                LeafRule rule, Workspace<typename Space::memory_space>& workspace,
                Search&& search) {
  return differing_from_reference<typename Space::memory_space>(
      particles, leaves, rule, [&](const auto& cells, const auto& arrays) {
        arrays.number(space);
        bisect(space, OrbPolicy{rule}, cells, orb_depth(leaves), arrays, workspace, search);
      });
}

TEST_CASE("Cuts by histogram equal those of the recursion by sorting, bit by bit") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& name : input_names())
      for (Count n : {0, 1, 5, 100, 9000})
        for (std::uint32_t leaves : {1u, 2u, 13u, 64u})
          for (LeafRule rule : {LeafRule::complete, LeafRule::halves}) {
            INFO(backend_name<Space>() << ", " << name << ", n = " << n << ", " << leaves);
            Workspace<typename Space::memory_space> workspace;
            HistogramCuts<typename Space::memory_space> search;
            CHECK(differences(space, named_input(name, n), leaves, rule, workspace, search) == 0);
          }
  });
}

TEST_CASE("Thousands of cells are searched with shorter digits in more rounds") {
  using Memory = Kokkos::DefaultExecutionSpace::memory_space;
  Workspace<Memory> workspace;
  HistogramCuts<Memory> search;
  CHECK(differences(Kokkos::DefaultExecutionSpace{}, named_input("random", 20000), 8192,
                    LeafRule::complete, workspace, search) == 0);
  const std::vector<int>& rounds = search.rounds_per_level;
  REQUIRE(rounds.size() == 13);
  if (sizeof(Real) == 4) {
    CHECK(rounds.front() == 3);
    CHECK(rounds.back() == 4);
  }
}

template <class MemorySpace>
struct Sides {
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> left;
  Kokkos::View<OrderedKey<Real>*, Kokkos::LayoutLeft, MemorySpace> left_max, right_min;
};

/// Searches by histogram and compares the summary of both sides of the cuts with that of a
/// partition.
template <class MemorySpace>
struct ComparedSearch {
  HistogramCuts<MemorySpace> search = {};
  int levels_known = 0;
  int levels_unknown = 0;
  int differing = 0;

  template <class Space, class Keys, class LevelT>
  void operator()(const Space& space, const Keys& keys, const LevelT& level,
                  Workspace<MemorySpace>& workspace) {
    search(space, keys, level, workspace);
    const Count n = level.segments.extent(0);
    Workspace<MemorySpace> other;
    const Sides<MemorySpace> sides{
        other.template get<Count>("left", n),
        other.template get<OrderedKey<Real>>("left_max", n),
        other.template get<OrderedKey<Real>>("right_min", n),
    };
    if (!search.summarize(space, level, sides, workspace)) {
      ++levels_unknown;
      return;
    }
    ++levels_known;
    const auto plan =
        plan_partition(space, keys, level.segments, level.threshold, level.rows, other);
    const auto off = [](const auto& view) {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
    };
    const auto expected = off(plan.summary);
    const auto segments = off(level.segments);
    const auto ranks = off(level.ranks);
    const auto left = off(sides.left);
    const auto left_max = off(sides.left_max);
    const auto right_min = off(sides.right_min);
    for (Count s = 0; s < n; ++s) {
      if (ranks(s) == 0) continue;
      differing += left(s) != expected(s).left;
      differing += left(s) > 0 && left_max(s) != expected(s).left_max;
      differing += left(s) < segments(s).size() && right_min(s) != expected(s).right_min;
    }
  }
};

TEST_CASE("The last histogram gives the keys next to a cut, or reports them as unknown") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    ComparedSearch<Memory> search;
    for (const std::string& name : input_names())
      for (Count n : {1, 7, 9000}) {
        const auto particles = named_input(name, n);
        Points<3, Memory> points = copy_particles<Memory>(particles).position;
        Points<3, Memory> spare("copse::test::spare", n);
        Kokkos::View<LocalIndex*, Memory> permutation("copse::test::permutation", n);
        Kokkos::View<LocalIndex*, Memory> spare_permutation("copse::test::spare_permutation", n);
        for (LeafRule rule : {LeafRule::complete, LeafRule::halves}) {
          Kokkos::View<OrbCell*, Memory> cells("copse::test::cells", 2 << orb_depth(13));
          OrbCell root;
          root.lower = particles.box.lower;
          root.upper = particles.box.upper;
          root.end = n;
          root.leaves = 13;
          Kokkos::deep_copy(Kokkos::subview(cells, 1), root);
          Workspace<Memory> workspace;
          bisect(space, OrbPolicy{rule}, cells, orb_depth(13),
                 BisectionArrays<3, Memory>{points, spare, permutation, spare_permutation},
                 workspace, search);
          INFO(backend_name<Space>() << ", " << name << ", n = " << n);
          CHECK(search.differing == 0);
        }
      }
    CHECK(search.levels_known > 0);
    CHECK(search.levels_unknown > 0);
  });
}

}  // namespace
}  // namespace copse::test
