#include "restart.hpp"

#include <copse/backend/error.hpp>
#include <copse/backend/mpi/rank_slice.hpp>
#include <copse/io/hdf5/run_options.hpp>

#include <fmt/format.h>

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace copse::collide {
namespace {

std::string options_of(const Request& request) {
  return fmt::format(
      "dimensions {}\nforce {}\ncutoff {}\ndt {}\nperiodic {}\nradius-spread {}\nintegrator {}\n"
      "summation {}\n",
      request.dimensions, request.force_name, request.force.cutoff, request.step_length(),
      request.periodic, request.radius_spread, request.integrator, request.summation);
}

/// Also refuses NaN.
void require_within(const std::string& file, const char* what, double value, double least,
                    double most) {
  if (!(value >= least && value <= most))
    throw InputError(
        fmt::format("{}: a {} is {}, not from {} to {}", file, what, value, least, most));
}

}  // namespace

template <int D>
void write_restart_header(io::Hdf5Writer& file, const Request& request, Count step, Count particles,
                          const Start<D>& start) {
  std::vector<double> side, origin;
  for (int a = 0; a < D; ++a) {
    side.push_back(start.region.side[a]);
    origin.push_back(start.origin[a]);
  }
  io::write_run_options(file, options_of(request));
  file.write("side", io::table_of(std::span(side)));
  file.write("origin", io::table_of(std::span(origin)));
  file.create<double>("position", particles, D);
  file.create<double>("velocity", particles, D);
  if (request.radius_spread > 1.0) file.create<double>("size", particles);
  file.attribute("/", "step", step);
}

template <int D>
Start<D> read_restart(const std::filesystem::path& path, const Request& request, int rank,
                      int ranks) {
  constexpr double largest = std::numeric_limits<double>::max();
  const std::string file = path.string();
  const io::Hdf5Reader in(path);
  io::require_run_options(in, file, options_of(request));
  const bool sizes = request.radius_spread > 1.0;
  const auto side = in.read<double>("side");
  const auto origin = in.read<double>("origin");
  const Count particles = in.rows<double>("position", D);
  if (particles == 0 || particles >= most_particles ||
      in.rows<double>("velocity", D) != particles || side.size() != D || origin.size() != D ||
      (sizes && in.rows<double>("size") != particles))
    throw InputError(file + ": the restart's lists have no particles or differ in length");
  const auto [begin, end] = rank_slice(particles, rank, ranks);
  const Count n = end - begin;
  const auto position = in.read_rows<double>("position", D, begin, n);
  const auto velocity = in.read_rows<double>("velocity", D, begin, n);
  const auto size = sizes ? in.read_rows<double>("size", 1, begin, n) : std::vector<double>{};
  Start<D> start;
  start.region.periodic = request.periodic;
  start.region.particles = particles;
  for (int a = 0; a < D; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    require_within(file, "side", side[axis], std::numeric_limits<double>::min(), largest);
    require_within(file, "corner", origin[axis], -largest, largest);
    start.region.side[a] = side[axis];
    start.origin[a] = origin[axis];
  }
  start.state = allocate_state<D, Kokkos::HostSpace>(n, sizes);
  if (sizes) start.state.largest_size = request.radius_spread;
  for (Count i = 0; i < n; ++i) {
    start.state.tag(i) = static_cast<Tag>(begin + i);
    for (int a = 0; a < D; ++a) {
      const std::size_t k = D * i + static_cast<Count>(a);
      require_within(file, "position", position[k], 0.0, start.region.side[a]);
      require_within(file, "velocity", velocity[k], -largest, largest);
      start.state.position(i, a) = position[k];
      start.state.velocity(i, a) = velocity[k];
    }
    if (!sizes) continue;
    require_within(file, "size", size[i], 1.0, request.radius_spread);
    start.state.size(i) = size[i];
  }
  start.step = in.count("/", "step");
  if (start.step > most_steps)
    throw InputError(fmt::format("{}: {} steps are more than {}", file, start.step, most_steps));
  return start;
}

Count particles_of_restart(const Request& request) {
  return io::Hdf5Reader(std::filesystem::path(request.restart))
      .rows<double>("position", request.dimensions);
}

#define COPSE_INSTANTIATE(D)                                                        \
  template void write_restart_header(io::Hdf5Writer&, const Request&, Count, Count, \
                                     const Start<D>&);                              \
  template Start<D> read_restart(const std::filesystem::path&, const Request&, int, int);
COPSE_INSTANTIATE(2)
COPSE_INSTANTIATE(3)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
