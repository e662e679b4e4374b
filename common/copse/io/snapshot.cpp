#include <copse/backend/mpi/rank_agreement.hpp>
#include <copse/backend/mpi/rank_slice.hpp>
#include <copse/io/snapshot.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace copse::io {

namespace {

using HostParticles = Particles<Kokkos::HostSpace>;

constexpr std::array axis_names{'x', 'y', 'z'};

ColumnSet both(const ColumnSet& a, const ColumnSet& b) {
  return {a.velocity && b.velocity, a.mass && b.mass,       a.id && b.id,
          a.weight && b.weight,     a.species && b.species, a.softening && b.softening};
}

[[noreturn]] void refuse_value(const std::string& file, Count record, std::string_view what,
                               double value) {
  throw InputError(
      fmt::format("{}: particle {} (counted from 0) has {} = {}, which is not a finite number",
                  file, record, what, value));
}

/// Every floating-point column must be finite: one NaN would silently corrupt bounds, trees and
/// sums.
void require_finite(const std::string& file, Count first, const HostParticles& p) {
  for (Count i = 0; i < p.size(); ++i)
    for (int a = 0; a < 3; ++a)
      if (!std::isfinite(p.position(i, a)))
        refuse_value(file, first + i, fmt::format("{}", axis_names[a]), p.position(i, a));
  for (Count i = 0; i < p.velocity.extent(0); ++i)
    for (int a = 0; a < 3; ++a)
      if (!std::isfinite(p.velocity(i, a)))
        refuse_value(file, first + i, fmt::format("v{}", axis_names[a]), p.velocity(i, a));
  for (Count i = 0; i < p.mass.extent(0); ++i)
    if (!std::isfinite(p.mass(i))) refuse_value(file, first + i, "mass", p.mass(i));
  for (Count i = 0; i < p.weight.extent(0); ++i)
    if (!std::isfinite(p.weight(i))) refuse_value(file, first + i, "weight", p.weight(i));
  for (Count i = 0; i < p.softening.extent(0); ++i)
    if (!std::isfinite(p.softening(i))) refuse_value(file, first + i, "softening", p.softening(i));
}

void require_inside(const std::string& file, Count first, const HostParticles& p,
                    const Box<3>& box) {
  for (Count i = 0; i < p.size(); ++i)
    for (int a = 0; a < 3; ++a) {
      const Real x = p.position(i, a);
      if (x >= box.lower[a] && x <= box.upper[a]) continue;
      throw InputError(
          fmt::format("{}: particle {} (counted from 0) has {} = {}, outside the box [{}, {}]",
                      file, first + i, axis_names[a], x, box.lower[a], box.upper[a]));
    }
}

void require_valid(const std::string& file, const Box<3>& box) {
  for (int a = 0; a < 3; ++a)
    if (!std::isfinite(box.lower[a]) || !std::isfinite(box.upper[a]) || box.lower[a] > box.upper[a])
      throw InputError(fmt::format("{}: the box bounds [{}, {}] along {} are invalid", file,
                                   box.lower[a], box.upper[a], axis_names[a]));
}

/// Collective. The bounding box of the particles of all ranks; the unit box if there are none.
Box<3> bounding_box(MPI_Comm comm, const HostParticles& p) {
  // Lower corner and negated upper corner, so that one MIN reduction gives both. A double
  // represents every Real exactly.
  std::array<double, 6> corners;
  corners.fill(std::numeric_limits<double>::infinity());
  for (int a = 0; a < 3; ++a)
    for (Count i = 0; i < p.size(); ++i) {
      const double x = static_cast<double>(p.position(i, a));
      corners[a] = std::min(corners[a], x);
      corners[3 + a] = std::min(corners[3 + a], -x);
    }
  MPI_Allreduce(MPI_IN_PLACE, corners.data(), 6, MPI_DOUBLE, MPI_MIN, comm);
  if (std::isinf(corners[0])) return unit_box<3>();
  Box<3> box;
  for (int a = 0; a < 3; ++a) {
    box.lower[a] = static_cast<Real>(corners[a]);
    box.upper[a] = static_cast<Real>(-corners[3 + a]);
  }
  return box;
}

}  // namespace

Snapshot read_snapshot(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string file = path.string();
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(options.comm, &rank);
  MPI_Comm_size(options.comm, &ranks);

  Snapshot snapshot;
  HostParticles& particles = snapshot.particles;
  std::optional<Box<3>> box = options.box;
  run_on_all_ranks(options.comm, file, [&] {
    const auto reader = open_snapshot(path);
    snapshot.info = reader->info();
    if (!box) box = snapshot.info.box;
    if (box) require_valid(file, *box);

    const auto [begin, end] = rank_slice(snapshot.info.particles, rank, ranks);
    snapshot.first = begin;
    const Count count = end - begin;
    if (count > max_particles_per_rank)
      throw InputError(
          fmt::format("{}: {} particles per rank are more than the {} one rank may hold", file,
                      count, max_particles_per_rank));

    const ColumnSet from_file = both(options.columns, snapshot.info.columns);
    particles = allocate_particles<Kokkos::HostSpace>(count, from_file);
    reader->read_rows(snapshot.first, particles, options.progress);
    if (options.columns.id && !from_file.id) {
      particles.id = decltype(particles.id)(
          Kokkos::view_alloc("copse::particles::id", Kokkos::WithoutInitializing), count);
      for (Count i = 0; i < count; ++i) particles.id(i) = snapshot.first + i;
    }
    require_finite(file, snapshot.first, particles);
    if (box) require_inside(file, snapshot.first, particles, *box);
  });
  particles.box = box ? *box : bounding_box(options.comm, particles);
  return snapshot;
}

}  // namespace copse::io
