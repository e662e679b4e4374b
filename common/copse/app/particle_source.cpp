// The part of Session that turns --generate and --input into particles.
#include <copse/app/coordinate_checksum.hpp>
#include <copse/app/session.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/machine.hpp>
#include <copse/backend/mpi/rank_agreement.hpp>
#include <copse/backend/mpi/rank_slice.hpp>
#include <copse/io/snapshot.hpp>
#include <copse/particles/generators.hpp>
#include <copse/particles/subsample.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>

#include <utility>

namespace copse::app {
namespace {

double bytes_per_particle(const ColumnSet& columns) {
  constexpr std::size_t vector_bytes = 3 * sizeof(Real);
  return static_cast<double>(
      vector_bytes + (columns.velocity ? vector_bytes : 0) + (columns.mass ? sizeof(Real) : 0) +
      (columns.id ? sizeof(GlobalId) : 0) + (columns.weight ? sizeof(Real) : 0) +
      (columns.species ? sizeof(Species) : 0) + (columns.softening ? sizeof(Real) : 0));
}

}  // namespace

void Session::refuse_impossible_size(Count particles, ColumnSet columns) const {
  const auto ranks = static_cast<Count>(ranks_);
  const Count per_rank = particles / ranks + (particles % ranks == 0 ? 0 : 1);
  if (per_rank > max_particles_per_rank)
    throw InputError(
        fmt::format("--particles {} is {} per rank, more than the {} one rank may hold", particles,
                    per_rank, max_particles_per_rank));
  const double needed = static_cast<double>(per_rank) * bytes_per_particle(columns);
  const auto available = static_cast<double>(backend_memory_bytes(options_.backend));
  if (needed > available)
    throw InputError(
        fmt::format("--particles {} needs {} per rank, but backend {} has only {} of memory",
                    particles, format_bytes(needed), options_.backend, format_bytes(available)));
}

Particles<Kokkos::HostSpace> Session::read_input(ColumnSet columns) {
  io::ReadOptions reading;
  reading.comm = comm_;
  reading.columns = columns;
  reading.box = options_.box;
  reading.progress = progress("reading");
  io::Snapshot snapshot = io::read_snapshot(*options_.input, reading);
  first_row_ = snapshot.first;
  total_particles_ = snapshot.info.particles;
  return std::move(snapshot.particles);
}

void Session::record_input(const Box<3>& box, std::uint64_t checksum) {
  // Unsigned sums wrap, and the checksum of a union is the wrapped sum.
  MPI_Allreduce(MPI_IN_PLACE, &checksum, 1, MPI_UINT64_T, MPI_SUM, comm_);
  std::string source = options_.input ? options_.input->string()
                                      : fmt::format("{} seed {}", options_.generate, options_.seed);
  if (options_.halo_fraction) source += fmt::format(" halo-fraction {}", *options_.halo_fraction);
  if (options_.subsample) source += fmt::format(" subsample {}", *options_.subsample);
  report_.set_input({total_particles_, box, source, checksum});
}

void Session::record_generated(Count particles, const Box<3>& box, std::uint64_t checksum) {
  total_particles_ = particles;
  record_input(box, checksum);
}

template <class ExecutionSpace>
void Session::subsample(const ExecutionSpace& space,
                        Particles<typename ExecutionSpace::memory_space>& particles) {
  if (*options_.subsample > total_particles_)
    throw InputError(fmt::format("--subsample {} is more than the {} particles",
                                 *options_.subsample, total_particles_));
  const auto sum = [this](Count n) {
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_UINT64_T, MPI_SUM, comm_);
    return n;
  };
  particles =
      subsample_count(space, particles, *options_.subsample, options_.seed, sum, first_row_);
  total_particles_ = *options_.subsample;
  const Count kept = particles.size();
  first_row_ = 0;
  MPI_Exscan(&kept, &first_row_, 1, MPI_UINT64_T, MPI_SUM, comm_);
  if (rank_ == 0) first_row_ = 0;  // MPI_Exscan leaves it undefined
}

template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> Session::load_particles(
    const ExecutionSpace& space, ColumnSet columns) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Particles<MemorySpace> particles;
  {
    const Kokkos::Profiling::ScopedRegion region("copse::app::load_particles");
    if (options_.input) {
      Particles<Kokkos::HostSpace> on_host = read_input(columns);
      if constexpr (runs_on_host<ExecutionSpace>)
        particles = std::move(on_host);
      else
        particles = copy_particles<MemorySpace>(on_host);
    } else {
      together([&] {
        refuse_impossible_size(options_.particles, columns);
        total_particles_ = options_.particles;
        const auto [begin, end] = rank_slice(total_particles_, rank_, ranks_);
        first_row_ = begin;
        GeneratorOptions what;
        what.kind = options_.generate;
        what.particles = total_particles_;
        what.seed = options_.seed;
        what.columns = columns;
        if (options_.halo_fraction) what.model.halo_fraction = *options_.halo_fraction;
        particles = generate(space, what, begin, end - begin);
      });
    }
    if (options_.subsample) subsample(space, particles);
  }
  record_input(particles.box, coordinate_checksum(space, particles.position));
  return particles;
}

#define COPSE_INSTANTIATE_LOAD(ExecutionSpace)                                                    \
  template Particles<ExecutionSpace::memory_space> Session::load_particles(const ExecutionSpace&, \
                                                                           ColumnSet);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE_LOAD)
#undef COPSE_INSTANTIATE_LOAD

}  // namespace copse::app
