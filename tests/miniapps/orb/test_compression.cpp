// Oracle: std::nth_element of the numbers themselves, cell by cell.
#include "variant_builds.hpp"
#include <copse/particles/compressed_positions.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

namespace copse::test {
namespace {

/// Cells whose cut is not the exact one of their particles' numbers: the number of the wanted rank,
/// with the whole tie on the side that brings the left count nearer to the rule's.
int wrong_cuts(const VariantBuild& built, const FixedPoint& grid) {
  int wrong = 0;
  for (std::size_t slot = 1; slot < built.tree.cells.extent(0); ++slot) {
    const OrbCell& cell = built.tree.cells(slot);
    if (cell.leaves < 2 || cell.begin == cell.end) continue;
    const OrbCell& left = built.tree.cells(2 * slot);
    const int axis = cell.cut_axis;
    std::vector<std::uint32_t> numbers;
    for (Count i = cell.begin; i < cell.end; ++i)
      numbers.push_back(grid.compress(built.rows.points(i, axis), axis));
    const Count rank = left_particles(numbers.size(), left.leaves, cell.leaves, built.tree.rule);
    std::vector<std::uint32_t> sorted = numbers;
    const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(std::max<Count>(rank, 1) - 1);
    std::nth_element(sorted.begin(), nth, sorted.end());
    const std::uint32_t found = *nth;
    const auto up_to = [&](auto limit) {
      return static_cast<Count>(std::count_if(numbers.begin(), numbers.end(),
                                              [&](std::uint32_t q) { return q < limit; }));
    };
    const Count below = up_to(found), with = up_to(std::uint64_t{found} + 1);
    const bool possible = below > 0 || grid.decompress(found, axis) > cell.lower[axis];
    const bool fewer = with != rank && rank - below <= with - rank && possible;
    wrong += left.end - left.begin != (fewer ? below : with);
    for (Count i = cell.begin; i < cell.end; ++i) {
      const bool goes_left =
          fewer ? numbers[i - cell.begin] < found : numbers[i - cell.begin] <= found;
      wrong += goes_left != (i < left.end);
    }
  }
  return wrong;
}

TEST_CASE("Cuts of rounded particles are the exact cuts of their numbers") {
  for (int bits : {32, 21, 16})
    for (const std::string& name : input_names()) {
      HostParticles particles = named_input(name, 3000);
      const FixedPoint grid = fixed_point(particles.box, bits);
      round_positions(Kokkos::Serial{}, grid, particles.position);
      const OrbOptions options{.leaves = 37, .box = particles.box};
      for_each_backend([&]<class Space>(const Space& space) {
        INFO(bits << " bits, " << name << ", " << backend_name<Space>());
        for (Placement placement : {Placement::best, Placement::fused, Placement::device}) {
          Variant variant;
          variant.placement = placement;
          CHECK(wrong_cuts(build_as(space, particles, options, variant), grid) == 0);
        }
      });
    }
}

}  // namespace
}  // namespace copse::test
