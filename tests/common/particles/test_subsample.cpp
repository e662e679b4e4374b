#include "generated_on_host.hpp"
#include <copse/backend/error.hpp>
#include <copse/particles/subsample.hpp>

#include <catch2/catch_test_macros.hpp>

#include <numeric>
#include <set>

using copse::Count;
using copse::GlobalId;

namespace {

using HostParticles = copse::Particles<Kokkos::HostSpace>;
const Kokkos::Serial serial;

std::vector<GlobalId> ids_of(const HostParticles& p) {
  return {p.id.data(), p.id.data() + p.size()};
}

/// The oracle of exact selection: sort all keys, keep the ids of the k smallest, in row order.
std::vector<GlobalId> smallest_keys(const HostParticles& p, Count k, std::uint64_t seed) {
  std::vector<std::uint64_t> keys;
  for (Count i = 0; i < p.size(); ++i) keys.push_back(copse::sampling_key(seed, p.id(i)));
  std::vector<std::uint64_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  std::vector<GlobalId> kept;
  for (Count i = 0; i < p.size(); ++i)
    if (k > 0 && keys[i] <= sorted[k - 1]) kept.push_back(p.id(i));
  return kept;
}

}  // namespace

// Oracle: sorting the keys.
TEST_CASE("An exact count keeps the particles of the smallest keys in their order") {
  const auto p = copse_test::generate_on_host(copse_test::options_of("uniform", 3001));
  for (const Count target : {0, 1, 2, 1000, 2999, 3000, 3001}) {
    const auto sample = copse::subsample_count(serial, p, target, 5);
    CHECK(sample.size() == target);
    CHECK(ids_of(sample) == smallest_keys(p, target, 5));
  }
}

TEST_CASE("A larger sample contains the smaller one") {
  const auto p = copse_test::generate_on_host(copse_test::options_of("uniform", 10000));
  std::vector<GlobalId> smaller;
  for (const Count target : {100, 1000, 5000, 9000}) {
    const auto ids = ids_of(copse::subsample_count(serial, p, target, 7));
    CHECK(std::includes(ids.begin(), ids.end(), smaller.begin(), smaller.end()));
    smaller = ids;
  }
}

TEST_CASE("Every column of a kept particle is copied, and absent columns stay absent") {
  auto options = copse_test::options_of("plummer", 2000);
  const auto p = copse_test::generate_on_host(options);
  const auto sample = copse::subsample_count(serial, p, 500, 1);
  CHECK(sample.box.upper[0] == p.box.upper[0]);
  for (Count k = 0; k < sample.size(); ++k) {
    const GlobalId i = sample.id(k);
    for (int a = 0; a < 3; ++a) {
      CHECK(sample.position(k, a) == p.position(i, a));
      CHECK(sample.velocity(k, a) == p.velocity(i, a));
    }
    CHECK(sample.mass(k) == p.mass(i));
    CHECK(sample.weight(k) == p.weight(i));
    CHECK(sample.species(k) == p.species(i));
  }
  options.columns = {};
  const auto bare = copse::subsample_count(serial, copse_test::generate_on_host(options), 500, 1);
  REQUIRE(bare.size() == 500);
  CHECK(bare.velocity.extent(0) == 0);
  for (Count k = 0; k < bare.size(); ++k) CHECK(bare.position(k, 0) == sample.position(k, 0));
}

TEST_CASE("The same particles are kept whatever the order of the rows") {
  const auto p = copse_test::generate_on_host(copse_test::options_of("uniform", 1000));
  const auto reversed = copse::copy_particles<Kokkos::HostSpace>(p);
  for (Count i = 0; i < p.size(); ++i) reversed.id(i) = p.id(p.size() - 1 - i);
  auto kept = ids_of(copse::subsample_count(serial, reversed, 300, 9));
  std::reverse(kept.begin(), kept.end());
  CHECK(kept == ids_of(copse::subsample_count(serial, p, 300, 9)));
}

// Oracle: the sample of particles at the same places, without ids.
TEST_CASE("Sub-sampling keeps the points whose rows it keeps for particles") {
  auto options = copse_test::options_of("uniform", 3000);
  options.columns = {};
  const auto p = copse_test::generate_on_host(options);
  const auto expected = copse::subsample_count(serial, p, 700, 6);
  const auto kept = copse::subsample_points<3>(serial, p.position, 700, 6);
  REQUIRE(kept.extent(0) == 700);
  Count different = 0;
  for (Count k = 0; k < 700; ++k)
    for (int a = 0; a < 3; ++a) different += kept(k, a) != expected.position(k, a);
  CHECK(different == 0);
  CHECK_THROWS_AS(copse::subsample_points<3>(serial, p.position, 3001, 6), copse::InputError);
}

// Oracle: the Serial backend.
TEST_CASE("Every backend keeps the same particles") {
  const auto options = copse_test::options_of("nfw", 20000);
  const auto expected =
      ids_of(copse::subsample_count(serial, copse_test::generate_on_host(options), 777, 3));
  copse::for_each_backend([&](auto space) {
    const auto p = copse::generate(space, options, 0, options.particles);
    const auto kept =
        copse::copy_particles<Kokkos::HostSpace>(copse::subsample_count(space, p, 777, 3));
    CHECK(ids_of(kept) == expected);
  });
}

// Oracle: halo members are 1/2 of the particles and must be 1/2 of the sample: hypergeometric, four
// standard deviations. A selection with a spatial bias would move the share.
TEST_CASE("Sub-sampling keeps the clustering") {
  const auto options = copse_test::options_of("nfw", 100000);
  const auto p = copse_test::generate_on_host(options);
  const auto sample = copse::subsample_count(serial, p, 10000, 8);
  const Count in_haloes = 49000;  // haloes come first, so these rows are all in haloes
  double kept = 0.0;
  for (Count k = 0; k < sample.size(); ++k) kept += sample.id(k) < in_haloes;
  CHECK(std::abs(kept - 4900.0) < 4.0 * std::sqrt(4900.0 * 0.51 * 0.9));
}

// Oracle: of two unrelated keys each is the smaller one half of the time, four standard deviations.
TEST_CASE("Keys of one seed are distinct and those of another seed are unrelated") {
  std::set<std::uint64_t> keys;
  Count smaller = 0;
  for (GlobalId id = 0; id < 10000; ++id) {
    keys.insert(copse::sampling_key(1, id));
    smaller += copse::sampling_key(1, id) < copse::sampling_key(2, id);
  }
  CHECK(keys.size() == 10000);
  CHECK(std::abs(static_cast<double>(smaller) - 5000.0) < 4.0 * 50.0);
}

TEST_CASE("Impossible samples are refused") {
  auto p = copse_test::generate_on_host(copse_test::options_of("uniform", 100));
  CHECK_THROWS_AS(copse::subsample_count(serial, p, 101, 1), copse::InputError);
  Kokkos::deep_copy(p.id, 5);
  CHECK_THROWS_AS(copse::subsample_count(serial, p, 50, 1), copse::InputError);
}
