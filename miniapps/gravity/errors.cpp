#include "errors.hpp"

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/gravity/direct_gravity.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

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

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto t = static_cast<Count>(team.league_rank());
    const Monopole target = bodies(rows(t));
    for (int part = 0; part < 4; ++part) {
      double sum = 0.0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, bodies.extent(0)),
          [&](const Count j, double& here) { here += term(part, target, bodies(j)); }, sum);
      Kokkos::single(Kokkos::PerTeam(team), [&] { fields(t, part) = sum; });
    }
  }

  KOKKOS_FUNCTION double term(int part, const Monopole& target, const Monopole& body) const {
    double d[3], square = 0.0;
    for (int a = 0; a < 3; ++a) {
      d[a] = static_cast<double>(body.centre[a]) - static_cast<double>(target.centre[a]);
      square += d[a] * d[a];
    }
    if (square == 0.0) return 0.0;
    const double inverse = 1.0 / Kokkos::sqrt(square + softening2);
    const double potential = static_cast<double>(body.mass) * inverse;
    return part == 3 ? -potential : potential * inverse * inverse * d[part];
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
    const std::vector<LocalIndex>& rows) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    return direct_gravity(bodies.points, bodies.masses, rows,
                          std::sqrt(static_cast<double>(bodies.softening2)));
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
                                   static_cast<double>(bodies.softening2)});
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
      const Space&, const BodyTree<Space::memory_space>&, const std::vector<LocalIndex>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE
#define COPSE_INSTANTIATE(MemorySpace)                                                  \
  template std::vector<GravityField<double>> rows_of(const GravityFields<MemorySpace>&, \
                                                     const std::vector<LocalIndex>&);
COPSE_FOR_EACH_MEMORY_SPACE(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
