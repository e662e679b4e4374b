// Oracles: the recursive sort of the reference, and the builds that hold all particles in memory.
#include "variant_builds.hpp"
#include <copse/particles/compressed_positions.hpp>

#include <catch2/catch_test_macros.hpp>

#include <orb/fingerprint.hpp>

namespace copse::test {
namespace {

Variant streamed(Count batch, int bits = 0) {
  Variant variant;
  variant.cut = CutMethod::histogram;
  variant.placement = Placement::count_on_device;
  variant.batch = batch;
  variant.bits = bits;
  return variant;
}

std::uint64_t fingerprint(const VariantBuild& built) {
  return tree_fingerprint(built.tree, order_fingerprint(0, built.rows.permutation));
}

TEST_CASE("A streamed build has the fingerprint of a build in memory, for any batches") {
  for (Count n : {1, 2, 60, 1000, 5000})
    for (int bits : {0, 32, 21, 16}) {
      HostParticles particles = named_input("clustered", n);
      if (bits > 0)
        round_positions(Kokkos::Serial{}, fixed_point(particles.box, bits), particles.position);
      const OrbOptions options{.leaves = 21, .box = particles.box};
      for_each_backend([&]<class Space>(const Space& space) {
        const std::uint64_t expected = fingerprint(build_as(space, particles, options, {}));
        // One batch, more than enough, a divisor, batches that do not divide n, single particles.
        for (Count batch : {n, 10 * n, n / 2 + 1, Count{500}, Count{333}, Count{64}, Count{1}}) {
          if (n / batch > 100) continue;  // each is a launch or more per level
          INFO(backend_name<Space>() << ", n = " << n << ", batches of " << batch << ", " << bits);
          CHECK(fingerprint(build_as(space, particles, options, streamed(batch, bits), true)) ==
                expected);
        }
      });
    }
}

TEST_CASE("Streamed trees of difficult inputs are those of the reference") {
  for (const std::string& name : input_names())
    for (int bits : {0, 21}) {
      HostParticles particles = named_input(name, 700);
      if (bits > 0)
        round_positions(Kokkos::Serial{}, fixed_point(particles.box, bits), particles.position);
      const ReferenceOrb expected =
          reference_orb(particles.position, particles.box, 37, LeafRule::halves);
      const OrbOptions options{.leaves = 37, .rule = LeafRule::halves, .box = particles.box};
      for_each_backend([&]<class Space>(const Space& space) {
        INFO(backend_name<Space>() << ", " << name << ", " << bits << " bits");
        for (PartitionMethod partition : {PartitionMethod::scan, PartitionMethod::hoare}) {
          Variant variant = streamed(100, bits);
          variant.partition = partition;
          CHECK(differences(build_as(space, particles, options, variant), particles, expected,
                            variant.is_stable()) == 0);
        }
      });
    }
}

TEST_CASE("Every histogram sends every key once, a third of a triple") {
  constexpr Count n = 3000;
  HostParticles particles = named_input("random", n);
  for (int bits : {0, 32, 21, 16}) {
    if (bits > 0)
      round_positions(Kokkos::Serial{}, fixed_point(particles.box, bits), particles.position);
    const Count key_bytes_times_three = bits == 0    ? 3 * sizeof(Real)
                                        : bits == 32 ? 12
                                        : bits == 21 ? 8
                                                     : 6;
    const VariantBuild built = build_as(Kokkos::Serial{}, particles,
                                        {.leaves = 16, .box = particles.box}, streamed(300, bits));
    REQUIRE(built.log.levels.size() == 4);
    for (const LevelLog& level : built.log.levels)
      CHECK(level.bytes_to_device ==
            static_cast<Count>(level.iterations) * n / 3 * key_bytes_times_three);
  }
}

}  // namespace
}  // namespace copse::test
