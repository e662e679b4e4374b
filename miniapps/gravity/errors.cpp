#include "errors.hpp"

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/gravity/direct_gravity.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace copse::gravity {

/// The sums of a field, as Kokkos reduces them.
struct FieldSum {
  double part[4]{};
  KOKKOS_FUNCTION FieldSum& operator+=(const FieldSum& other) {
    for (int i = 0; i < 4; ++i) part[i] += other.part[i];
    return *this;
  }
};

}  // namespace copse::gravity

template <>
struct Kokkos::reduction_identity<copse::gravity::FieldSum> {
  KOKKOS_FUNCTION static copse::gravity::FieldSum sum() { return {}; }
};

namespace copse::gravity {
namespace {

/// One team per target, its threads share the bodies.
template <class ExecutionSpace>
struct SumExactly {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  Kokkos::View<const Monopole*, MemorySpace> bodies;
  Kokkos::View<const LocalIndex*, MemorySpace> rows;
  Kokkos::View<double* [4], Kokkos::LayoutRight, MemorySpace> fields;
  double softening2;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> lengths;  ///< of the spline, or empty

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto t = static_cast<Count>(team.league_rank());
    FieldSum sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, bodies.extent(0)),
        [&](const Count j, FieldSum& here) { add(here, rows(t), j); }, Kokkos::Sum<FieldSum>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int part = 0; part < 4; ++part) fields(t, part) = sum.part[part];
    });
  }

  /// Adds the field of body j at body i.
  KOKKOS_FUNCTION void add(FieldSum& sum, Count i, Count j) const {
    const Monopole target = bodies(i), body = bodies(j);
    double d[3], square = 0.0;
    for (int a = 0; a < 3; ++a) {
      d[a] = static_cast<double>(body.centre[a]) - static_cast<double>(target.centre[a]);
      square += d[a] * d[a];
    }
    if (square == 0.0) return;
    const PairFactors<double> pair =
        lengths.extent(0) > 0 ? spline_factors(square, static_cast<double>(lengths(i)) +
                                                           static_cast<double>(lengths(j)))
                              : plummer_factors(square, softening2);
    const double mass = static_cast<double>(body.mass);
    for (int a = 0; a < 3; ++a) sum.part[a] += mass * pair.force * d[a];
    sum.part[3] -= mass * pair.potential;
  }
};

ErrorPercentiles percentiles_of(std::vector<double> errors) {
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  double squares = 0.0;
  for (const double e : errors) squares += e * e;
  const auto at = [&](std::size_t percent) {
    return errors[std::min(errors.size() - 1, errors.size() * percent / 100)];
  };
  return {std::sqrt(squares / static_cast<double>(errors.size())), at(50), at(90), at(99),
          errors.back()};
}

double relative(double difference, double exact) {
  const double error = exact > 0.0 ? difference / exact : difference;
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace

std::vector<LocalIndex> spaced_rows(Count n, Count count) {
  const Count wanted = std::min(n, count);
  std::vector<LocalIndex> rows(wanted);
  for (Count i = 0; i < wanted; ++i)
    rows[i] = static_cast<LocalIndex>(n / wanted * i + n % wanted * i / wanted);
  if (wanted > 0) rows.back() = static_cast<LocalIndex>(n - 1);
  return rows;
}

template <class ExecutionSpace>
std::vector<GravityField<double>> exact_fields(
    const ExecutionSpace& space, const BodyTree<typename ExecutionSpace::memory_space>& bodies,
    const std::vector<LocalIndex>& rows, double softening) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    const bool spline = bodies.softening.extent(0) > 0;
    return direct_gravity(bodies.points, bodies.masses, rows,
                          Softening{spline ? SofteningKernel::spline : SofteningKernel::plummer,
                                    softening, bodies.softening});
  } else {
    using MemorySpace = typename ExecutionSpace::memory_space;
    Workspace<MemorySpace> workspace;
    const Kokkos::View<double* [4], Kokkos::LayoutRight, MemorySpace> fields(
        "copse::gravity::exact_fields", rows.size());
    Kokkos::parallel_for(
        "copse::gravity::sum_exactly",
        Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(rows.size()), 128),
        SumExactly<ExecutionSpace>{bodies.gravity.bodies,
                                   upload(space, rows, workspace, "gravity::exact_rows"), fields,
                                   softening * softening, bodies.softening});
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, fields);
    std::vector<GravityField<double>> exact(rows.size());
    for (std::size_t t = 0; t < rows.size(); ++t)
      exact[t] = {found(t, 0), found(t, 1), found(t, 2), found(t, 3)};
    return exact;
  }
}

FieldErrors errors_of(const std::vector<GravityField<double>>& fields,
                      const std::vector<GravityField<double>>& exact) {
  std::vector<double> acceleration, potential;
  for (std::size_t t = 0; t < exact.size(); ++t) {
    const GravityField<double>&f = fields[t], e = exact[t];
    acceleration.push_back(
        relative(std::hypot(f.x - e.x, f.y - e.y, f.z - e.z), std::hypot(e.x, e.y, e.z)));
    potential.push_back(relative(std::abs(f.potential - e.potential), std::abs(e.potential)));
  }
  return {percentiles_of(std::move(acceleration)), percentiles_of(std::move(potential))};
}

template <class MemorySpace>
std::vector<GravityField<double>> rows_of(const GravityFields<MemorySpace>& fields,
                                          const std::vector<LocalIndex>& rows) {
  const auto acceleration =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, fields.acceleration);
  const auto potential = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, fields.potential);
  std::vector<GravityField<double>> some(rows.size());
  for (std::size_t t = 0; t < rows.size(); ++t)
    some[t] = {static_cast<double>(acceleration(rows[t], 0)),
               static_cast<double>(acceleration(rows[t], 1)),
               static_cast<double>(acceleration(rows[t], 2)),
               static_cast<double>(potential(rows[t]))};
  return some;
}

#define COPSE_INSTANTIATE(Space)                           \
  template std::vector<GravityField<double>> exact_fields( \
      const Space&, const BodyTree<Space::memory_space>&, const std::vector<LocalIndex>&, double);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE
#define COPSE_INSTANTIATE(MemorySpace)                                                  \
  template std::vector<GravityField<double>> rows_of(const GravityFields<MemorySpace>&, \
                                                     const std::vector<LocalIndex>&);
COPSE_FOR_EACH_MEMORY_SPACE(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
