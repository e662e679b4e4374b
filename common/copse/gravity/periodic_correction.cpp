#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/gravity/periodic_correction.hpp>

namespace copse {
namespace {

/// The splitting length of the correction is L / `correction_screening`, and waves reach up to
/// `correction_waves`: exp(-(pi 5 / 3.5)^2) = 2e-9. Images beyond the near ones are farther
/// than 1.2 L from the centre of mass, unless it is near a face of the box: erfc(3.5 * 1.2) = 3e-9.
constexpr double correction_screening = 3.5;
constexpr int correction_waves = 5;

/// Bodies are summed in this many interleaved parts, one thread each.
constexpr Count moment_parts = 4096;

/// Sums of one part, about the centre of mass.
struct Part {
  MomentSums<4> moments;
  double square = 0.0;
};

/// T_n : v^n / n! for the ranks 0 to 4, and its gradient in v.
struct Contractions {
  double value[5] = {};
  double gradient[5][3] = {};

  KOKKOS_FUNCTION Contractions(const RootMoments& moments, const double (&v)[3]) {
    const Powers<4, double> power(v);
    value[0] = moments.mass;
    for (int rank = 2; rank <= 4; ++rank)
      for (int i = rank; i >= 0; --i)
        for (int j = rank - i; j >= 0; --j) {
          const int k = rank - i - j;
          const double t = moments.tensors[moment_component(i, j, k)];
          value[rank] += t * power.of[0][i] * power.of[1][j] * power.of[2][k];
          if (i > 0)
            gradient[rank][0] += t * i * power.of[0][i - 1] * power.of[1][j] * power.of[2][k];
          if (j > 0)
            gradient[rank][1] += t * j * power.of[0][i] * power.of[1][j - 1] * power.of[2][k];
          if (k > 0)
            gradient[rank][2] += t * k * power.of[0][i] * power.of[1][j] * power.of[2][k - 1];
        }
  }
};

/// The correction at the nodes of the table.
template <class MemorySpace>
struct Tabulate {
  using Table = PeriodicCorrection<MemorySpace>;
  RootMoments moments;
  WaveSum<MemorySpace> waves;
  Kokkos::Array<double, 3> lower;
  Kokkos::View<typename Table::Node*, MemorySpace> table;

  KOKKOS_FUNCTION void operator()(const Count index) const {
    constexpr Count nodes = Table::nodes;
    const Count at[3] = {index % nodes, index / nodes % nodes, index / (nodes * nodes)};
    double d[3];
    for (int a = 0; a < 3; ++a)
      d[a] = moments.centre[a] -
             (lower[a] + (static_cast<double>(at[a]) - 1.0) * waves.side / Table::cells);
    GravityField<double> field;
    for (int image = 0; image < near_images; ++image) {
      const double shifted[3] = {d[0] + image_shift(image, 0) * waves.side,
                                 d[1] + image_shift(image, 1) * waves.side,
                                 d[2] + image_shift(image, 2) * waves.side};
      add_screened(field, shifted);
    }
    for (Count w = 0; w < waves.waves.extent(0); ++w) waves.add(field, d, w);
    const double pi = Kokkos::numbers::pi, volume = waves.side * waves.side * waves.side;
    const double a = correction_screening / waves.side;
    field.potential += pi / (a * a * volume) * moments.mass;
    field.potential -= 2.0 * pi / (3.0 * volume) * moments.square;
    table(index) = {field.x, field.y, field.z, field.potential};
  }

  /// The moments' field with -erf(a r) / r in place of 1 / r.
  KOKKOS_FUNCTION void add_screened(GravityField<double>& field, const double (&d)[3]) const {
    const double a = correction_screening / waves.side;
    const BoysFunctions<5> boys(a * a * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    const Contractions ranks(moments, d);
    double factor = -screening_factor(a), pull = 0.0, sum[3] = {};
    for (int n = 0; n <= 4; ++n) {
      field.potential -= ranks.value[n] * factor * boys.of[n];
      for (int axis = 0; axis < 3; ++axis)
        sum[axis] += ranks.gradient[n][axis] * factor * boys.of[n];
      factor *= -2.0 * a * a;
      pull += ranks.value[n] * factor * boys.of[n + 1];
    }
    field.x -= sum[0] + pull * d[0];
    field.y -= sum[1] + pull * d[1];
    field.z -= sum[2] + pull * d[2];
  }
};

/// Weights of the cubic through four nodes at -1, 0, 1 and 2.
KOKKOS_FUNCTION void cubic_weights(double t, double (&w)[4]) {
  w[0] = -t * (t - 1.0) * (t - 2.0) / 6.0;
  w[1] = (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0;
  w[2] = -(t + 1.0) * t * (t - 2.0) / 2.0;
  w[3] = (t + 1.0) * t * (t - 1.0) / 6.0;
}

template <class MemorySpace>
struct AddCorrection {
  using Table = PeriodicCorrection<MemorySpace>;
  Table correction;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> rows;
  Points<3, MemorySpace> points;
  Points<3, MemorySpace> acceleration;
  Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> potential;

  KOKKOS_FUNCTION void operator()(const Count target) const {
    constexpr int nodes = Table::nodes;
    const Count i = rows.extent(0) > 0 ? rows(target) : target;
    double weights[3][4];
    int cell[3];
    for (int a = 0; a < 3; ++a) {
      const double x = (static_cast<double>(points(i, a)) - correction.lower[a]) / correction.side *
                       Table::cells;
      const double whole = Kokkos::floor(x);
      // A NaN takes the first cell.
      cell[a] =
          whole > 0.0 ? static_cast<int>(whole < Table::cells - 1 ? whole : Table::cells - 1) : 0;
      cubic_weights(x - cell[a], weights[a]);
    }
    typename Table::Node sum{};
    for (int z = 0; z < 4; ++z)
      for (int y = 0; y < 4; ++y) {
        const int row = ((cell[2] + z) * nodes + cell[1] + y) * nodes + cell[0];
        const double of_row = weights[2][z] * weights[1][y];
        for (int x = 0; x < 4; ++x) {
          const auto node = correction.table(row + x);
          for (int part = 0; part < 4; ++part) sum[part] += of_row * weights[0][x] * node[part];
        }
      }
    for (int a = 0; a < 3; ++a) acceleration(i, a) += static_cast<Real>(sum[a]);
    potential(i) += static_cast<Real>(sum[3]);
  }
};

}  // namespace

template <class ExecutionSpace>
RootMoments root_moments(
    const ExecutionSpace& space,
    const Kokkos::View<const Monopole*, typename ExecutionSpace::memory_space>& bodies) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = bodies.extent(0);
  const Kokkos::View<double* [4], MemorySpace> masses("copse::periodic::masses", moment_parts);
  Kokkos::parallel_for(
      "copse::periodic::sum_masses", CountRange<ExecutionSpace>(space, 0, moment_parts),
      KOKKOS_LAMBDA(const Count part) {
        for (Count i = part; i < n; i += moment_parts) {
          const Monopole body = bodies(i);
          const double mass = static_cast<double>(body.mass);
          masses(part, 3) += mass;
          for (int a = 0; a < 3; ++a) masses(part, a) += mass * static_cast<double>(body.centre[a]);
        }
      });
  space.fence("copse::periodic::sum_masses");
  const auto mass_of = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, masses);
  RootMoments root;
  for (Count part = 0; part < moment_parts; ++part) {
    root.mass += mass_of(part, 3);
    for (int a = 0; a < 3; ++a) root.centre[a] += mass_of(part, a);
  }
  if (root.mass > 0.0)
    for (double& x : root.centre) x /= root.mass;

  const Kokkos::View<Part*, MemorySpace> sums("copse::periodic::moments", moment_parts);
  Kokkos::parallel_for(
      "copse::periodic::sum_moments", CountRange<ExecutionSpace>(space, 0, moment_parts),
      KOKKOS_LAMBDA(const Count part) {
        Part sum;
        for (Count i = part; i < n; i += moment_parts) {
          const Monopole body = bodies(i);
          const double mass = static_cast<double>(body.mass);
          double s[3];
          for (int a = 0; a < 3; ++a) s[a] = static_cast<double>(body.centre[a]) - root.centre[a];
          sum.moments.add_mass_at(s, mass);
          sum.square += mass * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        }
        sums(part) = sum;
      });
  space.fence("copse::periodic::sum_moments");
  const auto sum_of = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
  MomentSums<4> total;
  for (Count part = 0; part < moment_parts; ++part) {
    for (int c = 0; c < first_component(5); ++c) total.higher[c] += sum_of(part).moments.higher[c];
    root.square += sum_of(part).square;
  }
  constexpr double factorial[] = {1, 1, 2, 6, 24};
  for (int rank = 2; rank <= 4; ++rank)
    for (int i = rank; i >= 0; --i)
      for (int j = rank - i; j >= 0; --j) {
        const int k = rank - i - j;
        const double traceless = rank == 2   ? total.higher[moment_component(i, j, k)] / 3.0
                                 : rank == 3 ? total.template traceless<3>(i, j, k) / 15.0
                                             : total.template traceless<4>(i, j, k) / 105.0;
        root.tensors[moment_component(i, j, k)] =
            traceless / (factorial[i] * factorial[j] * factorial[k]);
      }
  return root;
}

template <class ExecutionSpace>
void tabulate_correction(const ExecutionSpace& space, const RootMoments& moments, const Box<3>& box,
                         PeriodicCorrection<typename ExecutionSpace::memory_space>& into) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Table = PeriodicCorrection<MemorySpace>;
  into.side = static_cast<double>(box.upper[0]) - static_cast<double>(box.lower[0]);
  for (int a = 0; a < 3; ++a) into.lower[a] = static_cast<double>(box.lower[a]);
  auto waves = waves_up_to(correction_waves);
  for (Wave& wave : waves) {
    const double unit = 2.0 * Kokkos::numbers::pi / into.side;
    const double k[3] = {unit * wave.h[0], unit * wave.h[1], unit * wave.h[2]};
    const Contractions ranks(moments, k);
    const double weight = wave_weight(wave, correction_screening / into.side, into.side);
    wave.cosine = weight * (ranks.value[0] - ranks.value[2] + ranks.value[4]);
    wave.sine = weight * ranks.value[3];
  }
  Workspace<MemorySpace> workspace;
  const Kokkos::View<typename Table::Node*, MemorySpace> table(
      "copse::periodic::table",
      static_cast<std::size_t>(Table::nodes) * Table::nodes * Table::nodes);
  Kokkos::parallel_for(
      "copse::periodic::tabulate", CountRange<ExecutionSpace>(space, 0, table.extent(0)),
      Tabulate<MemorySpace>{moments,
                            {upload(space, waves, workspace, "periodic::waves"), into.side},
                            into.lower,
                            table});
  space.fence("copse::periodic::tabulate");
  into.table = table;
}

template <class ExecutionSpace>
void add_correction(const ExecutionSpace& space,
                    const PeriodicCorrection<typename ExecutionSpace::memory_space>& correction,
                    Count count,
                    const Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft,
                                       typename ExecutionSpace::memory_space>& rows,
                    const Points<3, typename ExecutionSpace::memory_space>& points,
                    const Points<3, typename ExecutionSpace::memory_space>& acceleration,
                    const Kokkos::View<Real*, Kokkos::LayoutLeft,
                                       typename ExecutionSpace::memory_space>& potential) {
  if (correction.is_empty()) return;
  Kokkos::parallel_for("copse::periodic::add_correction",
                       CountRange<ExecutionSpace>(space, 0, count),
                       AddCorrection<typename ExecutionSpace::memory_space>{
                           correction, rows, points, acceleration, potential});
}

#define COPSE_INSTANTIATE(Space)                                                                \
  template RootMoments root_moments(const Space&,                                               \
                                    const Kokkos::View<const Monopole*, Space::memory_space>&); \
  template void tabulate_correction(const Space&, const RootMoments&, const Box<3>&,            \
                                    PeriodicCorrection<Space::memory_space>&);                  \
  template void add_correction(                                                                 \
      const Space&, const PeriodicCorrection<Space::memory_space>&, Count,                      \
      const Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, Space::memory_space>&,          \
      const Points<3, Space::memory_space>&, const Points<3, Space::memory_space>&,             \
      const Kokkos::View<Real*, Kokkos::LayoutLeft, Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
