#include "friendship.hpp"

#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace copse::fof {

Friendship make_friendship(const LinkingLengths& links, const Box<3>& box) {
  if (!(links.length > 0.0) || !std::isfinite(links.length))
    throw InputError(fmt::format("the linking length {} is not a positive number", links.length));
  if (!(links.velocity > 0.0))
    throw InputError(fmt::format("the velocity link {} is not a positive number", links.velocity));
  const Real b = static_cast<Real>(links.length);
  Friendship friendship;
  // Squared in Real, as the distance of two points b apart on an axis is.
  friendship.reach2 = b * b;
  // Distances of boxes are compared doubled.
  if (!(friendship.reach2 >= std::numeric_limits<Real>::min()) ||
      !std::isfinite(4 * friendship.reach2))
    throw InputError(fmt::format(
        "the square of the linking length {} is out of floating-point range", links.length));
  if (links.inclusive)
    friendship.reach2 = std::nextafter(friendship.reach2, std::numeric_limits<Real>::infinity());
  const double ratio = links.length / links.velocity;
  friendship.velocity_factor = static_cast<Real>(ratio * ratio);
  const bool in_space = std::isinf(links.velocity);
  if (!in_space && !(friendship.velocity_factor >= std::numeric_limits<Real>::min() &&
                     std::isfinite(friendship.velocity_factor)))
    throw InputError(
        fmt::format("the velocity link {} is out of proportion to the linking length {}: the "
                    "square of their ratio is out of floating-point range",
                    links.velocity, links.length));
  friendship.wraps = box.periodic[0] || box.periodic[1] || box.periodic[2];
  for (int a = 0; a < 3; ++a) {
    friendship.period[a] = box.periodic[a] ? box.extent(a) : std::numeric_limits<Real>::infinity();
    if (box.periodic[a] && !(b <= box.extent(a) / 2))
      throw InputError(
          fmt::format("the linking length {} is more than half the length of the periodic box, {}",
                      links.length, box.extent(a)));
  }
  return friendship;
}

}  // namespace copse::fof
