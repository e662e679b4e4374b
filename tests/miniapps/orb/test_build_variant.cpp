#include "variant_builds.hpp"
#include <copse/app/kernel_timer.hpp>

#include <catch2/catch_test_macros.hpp>

#include <numeric>

namespace copse::test {

using namespace orb;
namespace {

/// All cut searches: the bisections with each count kernel, and the others.
std::vector<Variant> searches() {
  std::vector<Variant> all;
  for (CutMethod cut : {CutMethod::bisection, CutMethod::sampled_bisection})
    for (CountMethod count : {CountMethod::per_cell, CountMethod::batched, CountMethod::warp})
      all.push_back({.cut = cut, .count = count, .placement = Placement::device});
  for (CutMethod cut : {CutMethod::histogram, CutMethod::quickselect, CutMethod::select})
    all.push_back({.cut = cut, .placement = Placement::device});
  return all;
}

/// Calls `f(space, variant)` for each possible search, partition and placement on each backend.
template <class F>
void for_each_variant(const F& f) {
  for_each_backend([&]<class Space>(const Space& space) {
    for (Variant v : searches())
      for (PartitionMethod p :
           {PartitionMethod::scan, PartitionMethod::atomic, PartitionMethod::hoare})
        for (Placement place : {Placement::device, Placement::count_on_device}) {
          v.partition = p;
          v.placement = place;
          const bool rows_on_host = runs_on_host<Space> || place == Placement::count_on_device;
          if (p == PartitionMethod::hoare && !rows_on_host) continue;
          if (v.cut == CutMethod::quickselect && !runs_on_host<Space>) continue;
          INFO(backend_name<Space>() << ", " << cut_names()[static_cast<int>(v.cut)] << ", "
                                     << count_names()[static_cast<int>(v.count)] << ", "
                                     << partition_names()[static_cast<int>(p)] << ", "
                                     << placement_names()[static_cast<int>(place)]);
          f(space, v);
        }
  });
}

TEST_CASE("Every variant builds the same tree as the recursion by sorting, whatever the input") {
  for (const std::string& name : input_names()) {
    INFO(name);
    const HostParticles input = named_input(name, 1500);
    const ReferenceOrb expected = reference_orb(input.position, input.box, 13);
    for_each_variant([&](const auto& space, const Variant& v) {
      const auto built =
          build_as(space, input, {.leaves = 13, .box = input.box}, v, name == "random");
      CHECK(differences(built, input, expected, v.is_stable()) == 0);
    });
  }
}

TEST_CASE("Every search handles fewer particles than leaves, one leaf, and no particles") {
  for (Count n : {0, 1, 2, 30})
    for (std::uint32_t leaves : {1u, 2u, 7u, 64u}) {
      INFO(n << " particles, " << leaves << " leaves");
      const HostParticles input = named_input("random", n);
      const ReferenceOrb expected =
          reference_orb(input.position, input.box, leaves, LeafRule::halves);
      for_each_variant([&](const auto& space, const Variant& v) {
        if (v.partition == PartitionMethod::atomic) return;
        const auto built = build_as(
            space, input, {.leaves = leaves, .rule = LeafRule::halves, .box = input.box}, v);
        CHECK(differences(built, input, expected, v.is_stable()) == 0);
      });
    }
}

TEST_CASE("Cells of many tiles are correct although no tile or 16-byte boundary begins at a cell") {
  const HostParticles input = named_input("clustered", 60001);
  const ReferenceOrb expected = reference_orb(input.position, input.box, 7);
  for_each_variant([&](const auto& space, const Variant& v) {
    if (v.placement == Placement::count_on_device && v.partition != PartitionMethod::scan) return;
    const auto built = build_as(space, input, {.leaves = 7, .box = input.box}, v);
    CHECK(differences(built, input, expected, v.is_stable()) == 0);
  });
}

TEST_CASE("Axes can be cut in turn") {
  const HostParticles input = named_input("clustered", 2000);
  const ReferenceOrb expected =
      reference_orb(input.position, input.box, 21, LeafRule::complete, AxisRule::cyclic);
  for_each_variant([&](const auto& space, const Variant& v) {
    const auto built =
        build_as(space, input, {.leaves = 21, .axis_rule = AxisRule::cyclic, .box = input.box}, v);
    CHECK(differences(built, input, expected, v.is_stable()) == 0);
  });
}

TEST_CASE("The fused build equals the build of OrbBuilder") {
  const HostParticles input = named_input("random", 2000);
  const ReferenceOrb expected = reference_orb(input.position, input.box, 10);
  for_each_backend([&](const auto& space) {
    const auto built = build_as(space, input, {.leaves = 10, .box = input.box}, {});
    CHECK(differences(built, input, expected, true) == 0);
    CHECK(built.log.levels.empty());
  });
}

TEST_CASE("Counting on the device sends one coordinate per particle and level") {
  const Count n = 5000;
  const HostParticles input = named_input("random", n);
  for_each_backend([&](const auto& space) {
    const auto built =
        build_as(space, input, {.leaves = 8, .box = input.box},
                 {.cut = CutMethod::bisection, .placement = Placement::count_on_device});
    REQUIRE(built.log.levels.size() == 3);
    for (const LevelLog& level : built.log.levels) CHECK(level.bytes_to_device == n * sizeof(Real));
  });
}

/// Number of kernel launches under a label while `body` runs.
template <class Body>
Count launches_of(const std::string& label, const Body& body) {
  app::KernelTimer timer;
  body();
  timer.close_sample();
  Count launches = 0;
  for (const app::KernelTime& kernel : timer.kernels())
    if (kernel.label == label)
      launches += std::accumulate(kernel.launches.begin(), kernel.launches.end(), Count{0});
  return launches;
}

TEST_CASE("Launch counts equal those of Kokkos: one per cell and step, or one per step") {
  const HostParticles input = named_input("random", 4000);
  const std::vector<std::pair<CountMethod, std::string>> kernels{
      {CountMethod::per_cell, "copse::orb::count_per_cell"},
      {CountMethod::batched, "copse::orb::count_batched"},
      {CountMethod::warp, "copse::orb::count_packet"}};
  for_each_backend([&]<class Space>(const Space& space) {
    for (const auto& kernel : kernels)
      for (Count max_steps : {1, 0}) {
        const CountMethod count = kernel.first;  // clang 14 cannot capture structured bindings
        const std::string& label = kernel.second;
        INFO(backend_name<Space>() << ", " << label << ", " << max_steps << " steps");
        VariantBuild built;
        const Count launched = launches_of(label, [&] {
          built = build_as(space, input, {.leaves = 16, .box = input.box},
                           {.cut = CutMethod::bisection,
                            .count = count,
                            .placement = Placement::device,
                            .max_steps = max_steps});
        });
        Count logged = 0;
        for (const LevelLog& level : built.log.levels) logged += level.launches;
        CHECK(logged == launched);
        // Figure 22, for one step: 16 leaves have 15 cells to cut on log2(16) levels.
        if (max_steps == 1) CHECK(launched == (count == CountMethod::per_cell ? 15 : 4));
      }
  });
}

TEST_CASE("A bisection of N uniform particles takes about log2 N steps") {
  // Runs until the bounds separate the exact count: the two keys beside the cut are 2^-17 apart on
  // average, and rarely much less than a hundredth of that.
  const HostParticles input = named_input("random", 1 << 17);
  for_each_backend([&](const auto& space) {
    const auto built = build_as(space, input, {.leaves = 2, .box = input.box},
                                {.cut = CutMethod::bisection, .placement = Placement::device});
    REQUIRE(built.log.levels.size() == 1);
    const LevelLog& root = built.log.levels[0];
    CHECK(root.iterations >= 8);
    CHECK(root.iterations <= 24);
    CHECK(root.cells == 1);
    CHECK(root.keys_counted == static_cast<Count>(root.iterations) << 17);
  });
}

TEST_CASE("A sample saves steps if the particles are far from the middle of the box") {
  HostParticles input = named_input("random", 1 << 15);
  for (Count i = 0; i < input.size(); ++i) input.position(i, 0) *= Real(1e-5);
  input.box.upper[0] = Real(2);
  const auto iterations = [&](CutMethod cut) {
    return build_as(Kokkos::DefaultHostExecutionSpace{}, input, {.leaves = 2, .box = input.box},
                    {.cut = cut, .placement = Placement::device})
        .log.levels.at(0)
        .iterations;
  };
  CHECK(iterations(CutMethod::sampled_bisection) + 10 < iterations(CutMethod::bisection));
}

TEST_CASE("With a tolerance every cut is within it, and takes fewer steps") {
  const Count alpha = 40;
  const HostParticles input = named_input("random", 20000);
  for_each_backend([&](const auto& space) {
    const auto steps = [&](Count tolerance) {
      const auto built = build_as(
          space, input, {.leaves = 16, .box = input.box},
          {.cut = CutMethod::bisection, .placement = Placement::device, .alpha = tolerance});
      int sum = 0;
      for (const LevelLog& level : built.log.levels) sum += level.iterations;
      Count worst = 0;
      for (std::uint32_t id = 1; id < 16; ++id) {
        const OrbCell& cell = built.tree.cells(id);
        const Count half = (cell.end - cell.begin) / 2;
        const Count left = built.tree.cells(2 * id).end - built.tree.cells(2 * id).begin;
        worst = std::max(worst, left > half ? left - half : half - left);
      }
      CHECK(worst <= tolerance);
      return sum;
    };
    CHECK(steps(alpha) < steps(0));
  });
}

}  // namespace
}  // namespace copse::test
