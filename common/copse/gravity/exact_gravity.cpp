#include <copse/backend/backends.hpp>
#include <copse/gravity/ewald.hpp>
#include <copse/gravity/exact_gravity.hpp>
#include <copse/gravity/softening.hpp>

namespace copse {

/// The sums of a field, as Kokkos reduces them.
struct FieldSum {
  GravityField<double> field;
  KOKKOS_FUNCTION FieldSum& operator+=(const FieldSum& other) {
    add_field(field, other.field);
    return *this;
  }
};

}  // namespace copse

template <>
struct Kokkos::reduction_identity<copse::FieldSum> {
  KOKKOS_FUNCTION static copse::FieldSum sum() { return {}; }
};

namespace copse {
namespace {

/// Waves up to this |h| are summed: exp(-(pi 8 / 5)^2) = 1e-11.
constexpr int most_waves(double screening) {
  return static_cast<int>(1.6 * screening + 0.5);
}

template <class Body>
KOKKOS_FUNCTION void position_of(const Body& body, double (&x)[3]) {
  for (int a = 0; a < 3; ++a) x[a] = static_cast<double>(body.centre[a]);
}

/// Cosine and sine amplitudes of the bodies' waves about the origin, without weights: a team for
/// each wave.
template <class ExecutionSpace>
struct StructureFactors {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  Kokkos::View<const Monopole*, MemorySpace> bodies;
  Kokkos::View<Wave*, MemorySpace> waves;
  double side;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    Wave& wave = waves(team.league_rank());
    const double unit = 2.0 * Kokkos::numbers::pi / side;
    FieldSum sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, bodies.extent(0)),
        [&](const Count j, FieldSum& here) {
          const Monopole body = bodies(j);
          double x[3];
          position_of(body, x);
          const double phase = unit * (wave.h[0] * x[0] + wave.h[1] * x[1] + wave.h[2] * x[2]);
          here.field.x += static_cast<double>(body.mass) * Kokkos::cos(phase);
          here.field.y += static_cast<double>(body.mass) * Kokkos::sin(phase);
        },
        Kokkos::Sum<FieldSum>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      wave.cosine = sum.field.x;
      wave.sine = sum.field.y;
    });
  }
};

/// One team per target, its threads share the bodies and the waves.
template <class ExecutionSpace>
struct SumExactly {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  GravitySources<MemorySpace> from;
  Kokkos::View<const LocalIndex*, MemorySpace> rows;
  WaveSum<MemorySpace> waves;  ///< none if isolated
  double screening;            ///< a of ewald.hpp, 0 if isolated
  double background;           ///< potential at every target
  Kokkos::View<double* [4], Kokkos::LayoutRight, MemorySpace> fields;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto t = static_cast<Count>(team.league_rank());
    FieldSum sum, far;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, from.bodies.extent(0)),
        [&](const Count j, FieldSum& here) { add_body(here.field, rows(t), j); },
        Kokkos::Sum<FieldSum>(sum));
    if (screening > 0.0) {
      double back[3];
      position_of(from.bodies(rows(t)), back);
      for (double& x : back) x = -x;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, waves.waves.extent(0)),
          [&](const Count w, FieldSum& here) { waves.add(here.field, back, w); },
          Kokkos::Sum<FieldSum>(far));
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      sum += far;
      fields(t, 0) = sum.field.x;
      fields(t, 1) = sum.field.y;
      fields(t, 2) = sum.field.z;
      fields(t, 3) = sum.field.potential + background;
    });
  }

  /// Adds the field of body j, and of its images, at body i.
  KOKKOS_FUNCTION void add_body(GravityField<double>& field, Count i, Count j) const {
    const Monopole body = from.bodies(j);
    double x[3], d[3];
    position_of(from.bodies(i), x);
    position_of(body, d);
    for (int a = 0; a < 3; ++a) d[a] -= x[a];
    const double mass = static_cast<double>(body.mass);
    if (screening == 0.0) return add_image(field, i, j, d, mass);
    for (int image = 0; image < near_images; ++image) {
      const double shifted[3] = {d[0] + image_shift(image, 0) * waves.side,
                                 d[1] + image_shift(image, 1) * waves.side,
                                 d[2] + image_shift(image, 2) * waves.side};
      add_image(field, i, j, shifted, mass);
    }
  }

  KOKKOS_FUNCTION void add_image(GravityField<double>& field, Count i, Count j,
                                 const double (&d)[3], double mass) const {
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const bool spline = from.lengths.extent(0) > 0;
    const double support =
        spline ? static_cast<double>(from.lengths(i)) + static_cast<double>(from.lengths(j)) : 0.0;
    const double t = screening * screening * square;
    // Beyond 5 / a the waves hold all of a Newtonian image: erfc(5) = 1.5e-12.
    if (t > 25.0 && from.softening2 == 0.0 && square > support * support) return;
    PairFactors<double> pair{0.0, 0.0};
    if (square > 0.0)
      pair = spline ? spline_factors(square, support) : plummer_factors(square, from.softening2);
    if (screening > 0.0) {
      const BoysFunctions<1> screened(t);
      const double factor = screening_factor(screening);
      pair.potential -= factor * screened.of[0];
      pair.force -= factor * 2.0 * screening * screening * screened.of[1];
    }
    add_softened_mass(field, d[0], d[1], d[2], pair, mass);
  }
};

}  // namespace

template <class ExecutionSpace>
Kokkos::View<double* [4], Kokkos::LayoutRight, typename ExecutionSpace::memory_space> exact_gravity(
    const ExecutionSpace& space,
    const GravitySources<typename ExecutionSpace::memory_space>& sources,
    const Kokkos::View<const LocalIndex*, typename ExecutionSpace::memory_space>& rows,
    double screening) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::View<double* [4], Kokkos::LayoutRight, MemorySpace> fields(
      "copse::gravity::exact_fields", rows.extent(0));
  constexpr int team = runs_on_host<ExecutionSpace> ? 1 : 128;
  const auto teams = [&](Count n) {
    return Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(n), team);
  };
  WaveSum<MemorySpace> waves{{}, sources.side};
  double a = 0.0, background = 0.0;
  if (sources.side > 0.0) {
    a = screening / sources.side;
    auto some = waves_up_to(most_waves(screening));
    some.push_back({});  // its amplitude is the mass
    const Kokkos::View<Wave*, Kokkos::HostSpace> host("copse::gravity::host_waves", some.size());
    for (std::size_t w = 0; w < some.size(); ++w) host(w) = some[w];
    const auto factors = Kokkos::create_mirror_view_and_copy(MemorySpace{}, host);
    Kokkos::parallel_for("copse::gravity::structure_factors", teams(some.size()),
                         StructureFactors<ExecutionSpace>{sources.bodies, factors, sources.side});
    Kokkos::deep_copy(host, factors);
    const Count last = some.size() - 1;
    background = Kokkos::numbers::pi / (a * a * sources.side * sources.side * sources.side) *
                 host(last).cosine;
    host(last) = {};
    for (Count w = 0; w < last; ++w) {
      const double weight = wave_weight(host(w), a, sources.side);
      host(w).cosine *= weight;
      host(w).sine *= -weight;
    }
    Kokkos::deep_copy(factors, host);
    waves.waves = factors;
  }
  Kokkos::parallel_for("copse::gravity::sum_exactly", teams(rows.extent(0)),
                       SumExactly<ExecutionSpace>{sources, rows, waves, a, background, fields});
  space.fence("copse::gravity::exact_gravity");
  return fields;
}

#define COPSE_INSTANTIATE(Space)                                                              \
  template Kokkos::View<double* [4], Kokkos::LayoutRight, Space::memory_space> exact_gravity( \
      const Space&, const GravitySources<Space::memory_space>&,                               \
      const Kokkos::View<const LocalIndex*, Space::memory_space>&, double);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
