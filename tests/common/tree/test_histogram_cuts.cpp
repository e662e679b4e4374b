#include <copse/backend/backends.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/orb_policy.hpp>

#include <catch2/catch_test_macros.hpp>

#include <miniapps/orb/orb_inputs.hpp>
#include <miniapps/orb/reference_orb.hpp>

namespace copse::test {
namespace {

/// Cuts by histograms on one backend. Returns the cells and rows that differ from the recursion by
/// sorting.
template <class Space>
int differences(const Space& space, const HostParticles& particles, std::uint32_t leaves,
                LeafRule rule, std::vector<int>* rounds = nullptr) {
  using Memory = typename Space::memory_space;
  const Count n = particles.size();
  auto points = copy_particles<Memory>(particles).position;
  Points<3, Memory> spare("copse::test::spare", n);
  Kokkos::View<LocalIndex*, Memory> permutation("copse::test::permutation", n);
  Kokkos::View<LocalIndex*, Memory> spare_permutation("copse::test::spare_permutation", n);
  const auto rows = Kokkos::create_mirror_view(permutation);
  for (Count i = 0; i < n; ++i) rows(i) = static_cast<LocalIndex>(i);
  Kokkos::deep_copy(permutation, rows);
  const ReferenceOrb expected = reference_orb(particles.position, particles.box, leaves, rule);
  Kokkos::View<OrbCell*, Memory> cells("copse::test::cells", expected.tree.cells.extent(0));
  OrbCell root;
  root.lower = particles.box.lower;
  root.upper = particles.box.upper;
  root.end = n;
  root.leaves = leaves;
  Kokkos::deep_copy(Kokkos::subview(cells, 1), root);
  Workspace<Memory> workspace;
  HistogramCuts<Memory> search;
  bisect<Space, 3>(space, OrbPolicy{rule}, cells, orb_depth(leaves),
                   {points, spare, permutation, spare_permutation}, workspace, search);
  if (rounds) *rounds = search.rounds_per_level;

  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, cells);
  const auto order = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, permutation);
  int differing = 0;
  for (std::size_t i = 1; i < found.extent(0); ++i) {
    const OrbCell &a = found(i), &b = expected.tree.cells(i);
    differing += a.begin != b.begin || a.end != b.end || a.leaves != b.leaves || a.cut != b.cut ||
                 a.cut_axis != b.cut_axis;
  }
  for (Count i = 0; i < n; ++i) differing += order(i) != expected.permutation(i);
  return differing;
}

TEST_CASE("Cuts by histogram are those of the recursion by sorting, bit by bit") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& name : input_names())
      for (Count n : {0, 1, 5, 100, 9000})
        for (std::uint32_t leaves : {1u, 2u, 13u, 64u})
          for (LeafRule rule : {LeafRule::complete, LeafRule::halves}) {
            INFO(backend_name<Space>() << ", " << name << ", n = " << n << ", " << leaves);
            CHECK(differences(space, named_input(name, n), leaves, rule) == 0);
          }
  });
}

TEST_CASE("Thousands of cells are searched with shorter digits in more rounds") {
  std::vector<int> rounds;
  CHECK(differences(Kokkos::DefaultExecutionSpace{}, named_input("random", 20000), 8192,
                    LeafRule::complete, &rounds) == 0);
  REQUIRE(rounds.size() == 13);
  if (sizeof(Real) == 4) {
    CHECK(rounds.front() == 3);
    CHECK(rounds.back() == 4);
  }
}

}  // namespace
}  // namespace copse::test
