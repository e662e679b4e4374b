#pragma once
/// \file
/// Distributions of particles over ranks, and a group that crosses many borders.

#include "link_cases.hpp"

namespace copse::fof::test {

inline constexpr double no_link = std::numeric_limits<double>::infinity();

/// Number of particles that the ranks before `rank` of `ranks` start with.
struct Share {
  const char* name;
  Count (*begin)(Count n, int rank, int ranks);
};

inline const Share shares[] = {
    {"even",
     [](Count n, int r, int p) { return n * static_cast<Count>(r) / static_cast<Count>(p); }},
    {"all on the last rank", [](Count n, int r, int p) { return r == p ? n : 0; }},
    {"all on the first rank", [](Count n, int r, int) { return r == 0 ? 0 : n; }},
};

inline LinkProblem<Kokkos::HostSpace> slice(const LinkProblem<Kokkos::HostSpace>& all, Count begin,
                                            Count end) {
  LinkProblem<Kokkos::HostSpace> mine;
  mine.friendship = all.friendship;
  mine.position = Points<3, Kokkos::HostSpace>("copse::test::position", end - begin);
  if (all.has_velocity())
    mine.velocity = Points<3, Kokkos::HostSpace>("copse::test::velocity", end - begin);
  for (Count i = begin; i < end; ++i)
    for (int a = 0; a < 3; ++a) {
      mine.position(i - begin, a) = all.position(i, a);
      if (all.has_velocity()) mine.velocity(i - begin, a) = all.velocity(i, a);
    }
  return mine;
}

/// A path through all points of a lattice, back and forth along x, then up.
inline Sample snake(int side) {
  Sample sample;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < 4 * side; ++x) {
        const int row = z % 2 == 0 ? y : side - 1 - y;
        const bool turn = (y + z * side) % 2 == 1;
        sample.x.push_back({static_cast<Real>(turn ? 4 * side - 1 - x : x) / (4 * side),
                            static_cast<Real>(row) / side, static_cast<Real>(z) / side});
      }
  // Steps along x are a quarter of the spacing of lines: only the turns join lines.
  for (int k = 1; k < side * side; ++k) {
    const Row a = sample.x[static_cast<std::size_t>(4 * side * k - 1)];
    const Row b = sample.x[static_cast<std::size_t>(4 * side * k)];
    for (int step = 1; step < 4; ++step) {
      Row x{};
      for (int axis = 0; axis < 3; ++axis)
        x[axis] = a[axis] + (b[axis] - a[axis]) * static_cast<Real>(step) / 4;
      sample.x.push_back(x);
    }
  }
  std::shuffle(sample.x.begin(), sample.x.end(), std::mt19937(2));
  return sample;
}

}  // namespace copse::fof::test
