#include <copse/backend/error.hpp>
#include <copse/gravity/direct_gravity.hpp>

#include <string>

namespace copse {
namespace {

/// Sources are processed in blocks of eight with one accumulator per lane, so that the compiler
/// vectorizes the loop; the lanes are summed at the end.
constexpr Count lanes = 8;

struct SumOverPairs {
  const Real* x;
  const Real* y;
  const Real* z;
  const Real* mass;
  Count points;
  Softening softening;

  double length(Count row) const {
    return softening.lengths.extent(0) > 0 ? static_cast<double>(softening.lengths(row))
                                           : softening.length;
  }

  template <SofteningKernel Kernel>
  static PairFactors<double> factors(double square, double own, double other) {
    if constexpr (Kernel == SofteningKernel::spline)
      return spline_factors(square, own + other);
    else
      return plummer_factors(square, 0.5 * (own * own + other * other));
  }

  template <SofteningKernel Kernel>
  GravityField<double> at(Count target) const {
    const double own = length(target);
    const double px = static_cast<double>(x[target]);
    const double py = static_cast<double>(y[target]);
    const double pz = static_cast<double>(z[target]);
    double sums[4][lanes] = {};
    for (Count first = 0; first < points; first += lanes) {
      const Count in_use = points - first < lanes ? points - first : lanes;
      double dx[lanes] = {}, dy[lanes] = {}, dz[lanes] = {}, m[lanes] = {}, other[lanes] = {};
      for (Count l = 0; l < in_use; ++l) {
        dx[l] = static_cast<double>(x[first + l]) - px;
        dy[l] = static_cast<double>(y[first + l]) - py;
        dz[l] = static_cast<double>(z[first + l]) - pz;
        m[l] = static_cast<double>(mass[first + l]);
        other[l] = length(first + l);
      }
      for (Count l = 0; l < lanes; ++l) {
        const double square = dx[l] * dx[l] + dy[l] * dy[l] + dz[l] * dz[l];
        const PairFactors<double> pair = factors<Kernel>(square, own, other[l]);
        const double acts = square > 0.0 ? m[l] : 0.0;  // not the target, nor what is at its place
        const double pull = acts * pair.force;
        sums[0][l] += pull * dx[l];
        sums[1][l] += pull * dy[l];
        sums[2][l] += pull * dz[l];
        sums[3][l] -= acts * pair.potential;
      }
    }
    double totals[4] = {};
    for (int s = 0; s < 4; ++s)
      for (const double lane : sums[s]) totals[s] += lane;
    return {totals[0], totals[1], totals[2], totals[3]};
  }
};

}  // namespace

std::vector<GravityField<double>> direct_gravity(
    const Points<3, Kokkos::HostSpace>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace>& masses,
    std::span<const LocalIndex> targets, const Softening& softening) {
  const Count n = points.extent(0);
  if (softening.lengths.extent(0) != 0 && softening.lengths.extent(0) != n)
    throw InputError("a direct sum needs one softening length for each of the " +
                     std::to_string(n) + " particles, but there are " +
                     std::to_string(softening.lengths.extent(0)));
  const Count axis = points.stride(1);
  const SumOverPairs sum{
      points.data(), points.data() + axis, points.data() + 2 * axis, masses.data(), n, softening};
  const bool spline = softening.kernel == SofteningKernel::spline;
  std::vector<GravityField<double>> fields(targets.size());
  using HostSpace = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for("copse::direct_gravity::sum",
                       Kokkos::RangePolicy<HostSpace>(0, targets.size()), [&](const std::size_t t) {
                         fields[t] = spline ? sum.at<SofteningKernel::spline>(targets[t])
                                            : sum.at<SofteningKernel::plummer>(targets[t]);
                       });
  Kokkos::fence("copse::direct_gravity::sum");
  return fields;
}

}  // namespace copse
