#include "errors.hpp"

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/gravity/direct_gravity.hpp>
#include <copse/gravity/exact_gravity.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace copse::gravity {

namespace {

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
  if (runs_on_host<ExecutionSpace> && bodies.side == 0.0) {
    const auto here = [](const auto& view) {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
    };
    const bool spline = bodies.softening.extent(0) > 0;
    return direct_gravity(here(bodies.points), here(bodies.masses), rows,
                          Softening{spline ? SofteningKernel::spline : SofteningKernel::plummer,
                                    softening, here(bodies.softening)});
  }
  Workspace<typename ExecutionSpace::memory_space> workspace;
  auto sources = sources_of(bodies);
  sources.softening2 = softening * softening;
  const auto found = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace{},
      exact_gravity<ExecutionSpace>(space, sources,
                                    upload(space, rows, workspace, "gravity::exact_rows")));
  std::vector<GravityField<double>> exact(rows.size());
  for (std::size_t t = 0; t < rows.size(); ++t)
    exact[t] = {found(t, 0), found(t, 1), found(t, 2), found(t, 3)};
  return exact;
}

FieldErrors errors_of(const std::vector<GravityField<double>>& fields,
                      const std::vector<GravityField<double>>& exact,
                      const std::vector<GravityField<double>>& scale) {
  std::vector<double> acceleration, potential;
  for (std::size_t t = 0; t < exact.size(); ++t) {
    const GravityField<double>&f = fields[t], &e = exact[t], &s = scale[t];
    acceleration.push_back(
        relative(std::hypot(f.x - e.x, f.y - e.y, f.z - e.z), std::hypot(s.x, s.y, s.z)));
    potential.push_back(relative(std::abs(f.potential - e.potential), std::abs(s.potential)));
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
