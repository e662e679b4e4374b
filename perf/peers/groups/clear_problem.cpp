#include "clear_problem.hpp"

#include <copse/backend/error.hpp>

#include <algorithm>
#include <cmath>

namespace copse::peers {

ClearProblem clear_problem(Particles<Kokkos::HostSpace>& particles, double wanted) {
  const double h = std::exp2(std::floor(std::log2(wanted / 256)));
  const auto& x = particles.position;
  auto& box = particles.box;
  for (std::size_t a = 0; a < 3; ++a) {
    const int axis = static_cast<int>(a);
    for (Count i = 0; i < particles.size(); ++i) {
      const double steps = std::round(static_cast<double>(x(i, axis)) / h);
      // Half of what 24 bits hold, so that differences are exact too.
      if (std::abs(steps) > 0x1p23)
        throw InputError(
            "the linking length is too small a part of the coordinates for groups that "
            "rounding does not change: take fewer particles or a larger --b");
      x(i, axis) = static_cast<Real>(steps * h);
      box.lower[a] = std::min(box.lower[a], x(i, axis));
      box.upper[a] = std::max(box.upper[a], x(i, axis));
    }
  }
  const double square = std::floor((wanted / h) * (wanted / h)) + 0.5;
  return {x, static_cast<Real>(std::sqrt(square) * h)};
}

}  // namespace copse::peers
