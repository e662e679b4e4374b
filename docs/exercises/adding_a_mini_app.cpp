/// Solutions of the exercises on adding a mini-app, on every backend of the build.

#include <copse/app/mini_app.hpp>
#include <copse/backend/backends.hpp>
#include <copse/particles/models/lattice.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <count_left.hpp>
#include <cstddef>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse::book {
namespace {

// [begin asked]
/// The order of a mini-app's functions: first the options, which do not depend on the number of
/// ranks, and only then the session, which runs on a given number of ranks.
static_assert(std::is_same_v<decltype(&app::MiniApp::validate),
                             void (app::MiniApp::*)(const app::CommonOptions&)>);
static_assert(std::is_same_v<decltype(&app::MiniApp::run), void (app::MiniApp::*)(app::Session&)> &&
              std::is_same_v<decltype(std::declval<app::Session&>().ranks()), int>);
// [end asked]

// [begin teams]
/// Version 6: a team counts a block of keys, which its threads take in turn, so that adjacent
/// threads read adjacent keys. The last block has the remaining keys, possibly none.
template <class Space>
struct CountBlock {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  static constexpr Count block = 4096;
  Keys<Space> keys;
  Real cut;

  KOKKOS_FUNCTION void operator()(const Team& team, Count& left) const {
    const Count begin = block * static_cast<Count>(team.league_rank());
    const Count end = begin + block < keys.extent(0) ? begin + block : keys.extent(0);
    Count mine = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, begin, end),
        [&](Count i, Count& some) { some += keys(i) <= cut; }, mine);
    // Every thread of the team has its sum now; one of them adds it to the total.
    Kokkos::single(Kokkos::PerTeam(team), [&]() { left += mine; });
  }
};

template <class Space>
Count count_left_by_teams(const Space& space, const Keys<Space>& keys, Real cut) {
  const auto blocks = static_cast<int>(keys.extent(0) / CountBlock<Space>::block + 1);
  Count left = 0;
  Kokkos::parallel_reduce("copse::book::count_blocks",
                          Kokkos::TeamPolicy<Space>(space, blocks, Kokkos::AUTO),
                          CountBlock<Space>{keys, cut}, left);
  return left;
}
// [end teams]

// [begin broken]
/// Version 2, broken: a key equal to the cut is not counted as left.
Count count_left_broken(const std::vector<Real>& keys, Real cut) {
  Count left = 0;
  for (const Real key : keys) left += key < cut;
  return left;
}

/// The x coordinates of a cubic lattice of m sites per axis, (k + 1/2) / m: if m is odd, those of
/// the middle plane are exactly 1/2.
std::vector<Real> keys_of_lattice(Count m) {
  GeneratorOptions options;
  options.particles = m * m * m;
  const models::Lattice lattice(options);
  std::vector<Real> keys;
  for (GlobalId i = 0; i < options.particles; ++i)
    keys.push_back(static_cast<Real>(lattice(i, false).position[0]));
  return keys;
}
// [end broken]

Count count_left_plainly(const std::vector<Real>& keys, Real cut) {
  return static_cast<Count>(
      std::count_if(keys.begin(), keys.end(), [cut](Real key) { return key <= cut; }));
}

TEST_CASE("Adding a mini-app 2: the version by teams counts as std::count_if") {
  std::mt19937 random(10);
  for (const std::size_t n : {0U, 1U, 4095U, 4096U, 4097U, 10007U, 100003U}) {
    std::vector<Real> keys(n);
    for (Real& key : keys) key = static_cast<Real>(random() % 64) / 64;
    const Kokkos::View<const Real*, Kokkos::HostSpace> host(keys.data(), n);
    for_each_backend([&](auto space) {
      using Space = decltype(space);
      const Keys<Space> there =
          Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, host);
      for (const Real cut : {Real(-1), Real(0), Real(0.5), Real(1), Real(2)})
        CHECK(count_left_by_teams(space, there, cut) == count_left_plainly(keys, cut));
    });
  }
}

TEST_CASE("Adding a mini-app 3: only keys at the cut tell < from <=, and an odd lattice has them") {
  std::vector<Real> without(1000);
  for (std::size_t i = 0; i < without.size(); ++i)
    without[i] = (static_cast<Real>(i) + Real(0.5)) / 1000;  // none is 1/2
  CHECK(count_left_broken(without, Real(0.5)) == count_left_plainly(without, Real(0.5)));
  const auto even = keys_of_lattice(20);
  CHECK(count_left_broken(even, Real(0.5)) == count_left_plainly(even, Real(0.5)));
  const auto odd = keys_of_lattice(21);
  CHECK(count_left_broken(odd, Real(0.5)) + 21 * 21 == count_left_plainly(odd, Real(0.5)));
}

}  // namespace
}  // namespace copse::book
