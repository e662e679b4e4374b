#include "restart.hpp"

#include <copse/backend/error.hpp>
#include <copse/io/hdf5/run_options.hpp>
#include <copse/io/tipsy_writer.hpp>

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

namespace copse::gravity {
namespace {

/// The criterion, with what belongs to it.
std::string criterion_of(const Request& request) {
  if (request.is_relative()) return fmt::format("{} alpha {}", request.mac, request.alpha);
  if (request.inclusion_kind == Inclusion::none) return request.mac;
  return fmt::format("{} inclusion {}", request.mac, request.inclusion);
}

/// A line "name value" for each option that decides the motion.
std::string options_of(const Request& request, std::uint32_t bucket_size) {
  return fmt::format(
      "method {}\ntree {}\nbucket-size {}\norder {}\ntheta {}\nmac {}\nsoftening "
      "{}\nsoftening-kernel {}\n"
      "G {}\nwalk {}\nleaf-rule {}\ndt {}\nperiodic {}\nprecision {}\n",
      request.methods.front(), request.tree, bucket_size, request.order, request.theta,
      criterion_of(request), request.softening, request.softening_kernel, request.g,
      walk_names[static_cast<std::size_t>(request.walk_kind)], request.leaf_rule, request.dt,
      request.periodic, 8 * sizeof(Real));
}

template <class T>
void require_finite(const std::string& file, const char* what, const std::vector<T>& values) {
  for (const T value : values)
    if (!std::isfinite(value)) throw InputError(fmt::format("{}: a {} is {}", file, what, value));
}

/// Rows of `columns` numbers as a View.
template <class View, class T>
View view_of(const std::vector<T>& values) {
  constexpr Count columns = View::rank() == 2 ? 3 : 1;
  View view("copse::gravity::restart", values.size() / columns);
  for (Count i = 0; i < view.extent(0); ++i)
    for (Count a = 0; a < columns; ++a)
      if constexpr (View::rank() == 2)
        view(i, a) = values[columns * i + a];
      else
        view(i) = values[i];
  return view;
}

}  // namespace

void write_restart(const std::filesystem::path& path, const Restart& state, const Request& request,
                   std::uint32_t bucket_size) {
  io::Hdf5Writer out(path);
  io::write_run_options(out, options_of(request, bucket_size));
  out.write("position", state.position);
  out.write("velocity", state.velocity);
  out.write("mass", state.mass);
  if (state.softening.extent(0) > 0) out.write("softening", state.softening);
  if (request.periodic) {
    Points<3, Kokkos::HostSpace> corners("copse::gravity::corners", 2);
    for (int a = 0; a < 3; ++a) {
      corners(0, a) = state.box.lower[a];
      corners(1, a) = state.box.upper[a];
    }
    out.write("box", corners);
  }
  if (state.pulls.extent(0) > 0) out.write("pulls", state.pulls);
  out.attribute("/", "step", state.step);
  out.attribute("/", "time", state.time);
  out.attribute("/", "dt", request.dt);
  out.commit();
}

Restart read_restart(const std::filesystem::path& path, const Request& request,
                     std::uint32_t bucket_size) {
  const std::string file = path.string();
  const io::Hdf5Reader in(path);
  io::require_run_options(in, file, options_of(request, bucket_size));
  const auto position = in.read<double>("position", 3);
  const auto velocity = in.read<double>("velocity", 3);
  const auto mass = in.read<Real>("mass");
  const auto softening = request.needs_lengths() ? in.read<Real>("softening") : std::vector<Real>{};
  const auto pulls = request.is_relative() ? in.read<Real>("pulls") : std::vector<Real>{};
  if (mass.empty() || position.size() != 3 * mass.size() || velocity.size() != position.size() ||
      (request.needs_lengths() && softening.size() != mass.size()) ||
      (request.is_relative() && pulls.size() != mass.size()))
    throw InputError(file + ": the restart's lists have no bodies or differ in length");
  require_finite(file, "position", position);
  require_finite(file, "velocity", velocity);
  for (const Real pull : pulls)
    if (!(pull >= 0) || std::isinf(pull))
      throw InputError(fmt::format("{}: a length of an acceleration is {}", file, pull));
  require_finite(file, "pull", pulls);
  Restart state;
  state.position = view_of<decltype(state.position)>(position);
  state.velocity = view_of<decltype(state.velocity)>(velocity);
  state.mass = view_of<decltype(state.mass)>(mass);
  state.softening = view_of<decltype(state.softening)>(softening);
  if (request.periodic) {
    const auto corners = in.read<Real>("box", 3);
    if (corners.size() != 6) throw InputError(file + ": the box has no two corners");
    for (std::size_t a = 0; a < 3; ++a) {
      state.box.lower[a] = corners[a];
      state.box.upper[a] = corners[3 + a];
      state.box.periodic[a] = true;
    }
    if (!is_cube(state.box)) throw InputError(file + ": the box is no cube");
    if (request.period &&
        !(std::abs(state.box.extent(0) - *request.period) <= cube_tolerance * *request.period))
      throw InputError(fmt::format("--periodic {} differs from the side {} of {}", *request.period,
                                   state.box.extent(0), file));
  }
  state.pulls = view_of<decltype(state.pulls)>(pulls);
  state.step = in.count("/", "step");
  state.time = in.number("/", "time");
  if (!std::isfinite(state.time))
    throw InputError(fmt::format("{}: the time is {}", file, state.time));
  return state;
}

Count bodies_of_restart(const std::filesystem::path& path) {
  return io::Hdf5Reader(path).read<Real>("mass").size();
}

void write_snapshot(const std::filesystem::path& path, const Restart& state,
                    const Request& request) {
  const Count n = state.mass.extent(0);
  auto particles =
      allocate_particles<Kokkos::HostSpace>(n, {.velocity = true, .mass = true, .softening = true});
  for (Count i = 0; i < n; ++i) {
    for (int a = 0; a < 3; ++a) {
      particles.position(i, a) = static_cast<Real>(state.position(i, a));
      particles.velocity(i, a) = static_cast<Real>(state.velocity(i, a));
    }
    particles.mass(i) = state.mass(i);
    particles.softening(i) =
        state.softening.extent(0) > 0 ? state.softening(i) : static_cast<Real>(request.softening);
  }
  io::write_tipsy(path, particles, {.time = state.time});
}

}  // namespace copse::gravity
