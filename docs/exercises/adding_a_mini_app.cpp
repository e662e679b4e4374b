/// Solutions of the exercises on adding a mini-app.

#include <copse/app/mini_app.hpp>
#include <copse/particles/models/lattice.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
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
