#include "start.hpp"

#include "distributed/gather.hpp"
#include "restart.hpp"
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/rank_agreement.hpp>
#include <copse/particles/generators.hpp>
#include <copse/particles/philox.hpp>
#include <copse/particles/portable_math.hpp>
#include <copse/particles/random_variates.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace copse::collide {
namespace {

/// Uniform integers in [0, range) as libstdc++ draws them since GCC 11: the high half of a product,
/// with rejection (Lemire 2019). The standard leaves std::uniform_int_distribution open.
std::uint32_t draw_below(std::mt19937& random, std::uint32_t range) {
  std::uint64_t product = std::uint64_t{static_cast<std::uint32_t>(random())} * range;
  auto low = static_cast<std::uint32_t>(product);
  if (low < range) {
    const std::uint32_t least = (0U - range) % range;
    while (low < least) {
      product = std::uint64_t{static_cast<std::uint32_t>(random())} * range;
      low = static_cast<std::uint32_t>(product);
    }
  }
  return static_cast<std::uint32_t>(product >> 32);
}

/// A velocity in [-1, 1), rounded to float as the course's program did.
double draw_velocity(std::mt19937& random) {
  float part = static_cast<float>(static_cast<std::uint32_t>(random())) / 4294967296.0F;
  if (part >= 1.0F) part = std::nextafter(1.0F, 0.0F);
  return static_cast<double>(part * 2.0F - 1.0F);
}

/// Points per axis of a lattice that holds n points, as even as possible.
template <int D>
Kokkos::Array<Count, D> lattice_of(Count n) {
  Kokkos::Array<Count, D> points;
  Count planes = 1;  // points of the earlier axes
  for (int a = 0; a < D; ++a) {
    if (a == D - 1) {
      points[a] = (n + planes - 1) / planes;
    } else {
      const auto size = static_cast<double>(n);
      auto side = static_cast<Count>(std::ceil(D == 2 ? std::sqrt(size) : std::cbrt(size)));
      if (D == 3 && (side - 1) * (side - 1) * (side - 1) >= n) --side;  // cbrt may round up
      points[a] = side;
    }
    planes *= points[a];
  }
  return points;
}

template <int D>
Region<D> region_of(const Request& request, Count particles) {
  Region<D> region;
  region.periodic = request.periodic;
  region.particles = particles;
  for (int a = 0; a < D; ++a) region.side[a] = request.region_side(particles);
  return region;
}

template <int D>
void refuse_thin(const Request& request, const Start<D>& start) {
  const double reach = request.force.cutoff * start.state.largest_size;
  for (int a = 0; a < D; ++a) {
    const double side = start.region.side[a];
    if (!(side > 0.0)) throw InputError("the region has no extent: all particles are in one plane");
    if (request.periodic && side < 2.0 * reach)
      throw InputError(
          fmt::format("--periodic needs a region of at least twice the reach {}, but its side is "
                      "{}",
                      reach, side));
  }
}

template <int D>
Box<3> box_of(const Region<D>& region) {
  Box<3> box;
  for (int a = 0; a < D; ++a) {
    box.upper[a] = static_cast<Real>(region.side[a]);
    box.periodic[a] = region.periodic;
  }
  return box;
}

template <int D>
std::uint64_t checksum_of(const State<D, Kokkos::HostSpace>& state) {
  std::uint64_t sum = 0;
  for (Count i = 0; i < state.rows(); ++i)
    for (int a = 0; a < D; ++a) {
      const auto bits = Kokkos::bit_cast<std::uint64_t>(state.position(i, a));
      sum += split_mix(bits + static_cast<std::uint64_t>(a));
    }
  return sum;
}

}  // namespace

std::vector<std::string> start_names() {
  std::vector<std::string> names{"cs267", "gas"};
  for (const std::string& kind : generator_names()) names.push_back(kind);
  return names;
}

template <int D>
Start<D> cs267_start(const Request& request, Count particles, std::uint64_t seed) {
  Start<D> start;
  start.region = region_of<D>(request, particles);
  start.state = allocate_state<D, Kokkos::HostSpace>(particles, false);
  const auto lattice = lattice_of<D>(particles);
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  std::vector<std::uint32_t> places(particles);
  std::iota(places.begin(), places.end(), 0U);
  for (Count i = 0; i < particles; ++i) {
    const Count left = particles - i;
    const std::uint32_t j = draw_below(random, static_cast<std::uint32_t>(left));
    Count k = places[j];
    places[j] = places[left - 1];
    start.state.tag(i) = static_cast<Tag>(i);
    for (int a = 0; a < D; ++a) {
      const Count along = a == D - 1 ? k : k % lattice[a];
      k /= lattice[a];
      start.state.position(i, a) = start.region.side[a] * (1.0 + static_cast<double>(along)) /
                                   static_cast<double>(1 + lattice[a]);
    }
    for (int a = 0; a < D; ++a) start.state.velocity(i, a) = draw_velocity(random);
  }
  return start;
}

template <int D>
Start<D> gas_start(const Request& request, Count particles, std::uint64_t seed) {
  Start<D> start;
  start.region = region_of<D>(request, particles);
  start.state = allocate_state<D, Kokkos::HostSpace>(particles, false);
  const auto lattice = lattice_of<D>(particles);
  const bool lj = request.force.kind == ForceKind::lennard_jones;
  const double temperature =
      request.temperature.value_or(lj ? 1.44 : request.force.mass / 3.0);  // cs267: v^2 = 1/3
  const double speed = std::sqrt(temperature / request.force.mass);
  Vector<D> mean{};
  for (Count i = 0; i < particles; ++i) {
    RandomStream place(seed, RandomPurpose::position, i);
    RandomStream motion(seed, RandomPurpose::velocity, i);
    const auto moves = place.next_triple();
    const auto normals = draw_normals<D>(motion);
    Count k = i;
    start.state.tag(i) = static_cast<Tag>(i);
    for (int a = 0; a < D; ++a) {
      const Count along = a == D - 1 ? k : k % lattice[a];
      k /= lattice[a];
      const double moved = 0.5 + (lj ? 0.05 : 0.25) * (2.0 * moves[a] - 1.0);
      start.state.position(i, a) = start.region.side[a] * (static_cast<double>(along) + moved) /
                                   static_cast<double>(lattice[a]);
      start.state.velocity(i, a) = speed * normals[a];
      mean[a] += start.state.velocity(i, a) / static_cast<double>(particles);
    }
  }
  if (particles > 1)
    for (Count i = 0; i < particles; ++i)
      for (int a = 0; a < D; ++a) start.state.velocity(i, a) -= mean[a];
  return start;
}

template <int D>
Start<D> loaded_start(app::Session& session, const Request& request) {
  const auto particles =
      session.load_particles(Kokkos::DefaultHostExecutionSpace{}, {.velocity = true});
  const Count n = particles.size(), total = session.total_particles();
  if (total == 0) throw InputError("collide needs at least one particle");
  if (total >= most_particles)
    throw InputError(
        fmt::format("{} particles: at most {} can be numbered", total, most_particles - 1));
  Start<D> start;
  start.region.periodic = request.periodic;
  start.region.particles = total;
  start.state = allocate_state<D, Kokkos::HostSpace>(n, false);
  for (int a = 0; a < D; ++a) {
    start.origin[a] = static_cast<double>(particles.box.lower[a]);
    start.region.side[a] = static_cast<double>(particles.box.upper[a]) - start.origin[a];
  }
  const bool moves = particles.velocity.extent(0) > 0;
  for (Count i = 0; i < n; ++i) {
    start.state.tag(i) = static_cast<Tag>(session.first_row() + i);
    for (int a = 0; a < D; ++a) {
      double x = static_cast<double>(particles.position(i, a)) - start.origin[a];
      double v = moves ? static_cast<double>(particles.velocity(i, a)) : 0.0;
      start.region.fold(x, v, a);
      start.state.position(i, a) = x;
      start.state.velocity(i, a) = v;
    }
  }
  return start;
}

template <int D>
void add_sizes(const Request& request, std::uint64_t seed, State<D, Kokkos::HostSpace>& state) {
  if (request.radius_spread == 1.0) return;
  state.largest_size = request.radius_spread;
  state.size = Kokkos::View<double*, Kokkos::HostSpace>(
      Kokkos::view_alloc("copse::collide::size", Kokkos::WithoutInitializing), state.rows());
  for (Count i = 0; i < state.rows(); ++i) {
    RandomStream stream(seed, RandomPurpose::weight, id_of(state.tag(i)));
    state.size(i) = std::min(portable::pow(request.radius_spread, stream.next_pair()[0]),
                             request.radius_spread);
  }
}

template <int D>
Start<D> make_start(app::Session& session, const Request& request) {
  const auto& options = session.options();
  Start<D> start;
  if (!request.restart.empty()) {
    run_on_all_ranks(session.comm(), request.restart, [&] {
      start = read_restart<D>(request.restart, request, session.rank(), session.ranks());
    });
    const Communicator comm(session.comm());
    session.report().set_input({comm.allreduce(start.state.rows(), Reduction::sum),
                                box_of(start.region), request.restart,
                                comm.allreduce(checksum_of(start.state), Reduction::sum)});
    refuse_thin(request, start);
    return start;
  }
  const bool own = options.generate == "cs267" || options.generate == "gas";
  if (options.input || !own) {
    start = loaded_start<D>(session, request);
  } else {
    start = options.generate == "cs267" ? cs267_start<D>(request, options.particles, options.seed)
                                        : gas_start<D>(request, options.particles, options.seed);
    // Both are drawn in one sequence, so every rank draws all of them and keeps its share.
    start.state = share_of(start.state, session.rank(), session.ranks());
    session.record_generated(options.particles, box_of(start.region), checksum_of(start.state));
  }
  add_sizes(request, options.seed, start.state);
  refuse_thin(request, start);
  return start;
}

#define COPSE_INSTANTIATE(D)                                                               \
  template Start<D> cs267_start<D>(const Request&, Count, std::uint64_t);                  \
  template Start<D> gas_start<D>(const Request&, Count, std::uint64_t);                    \
  template Start<D> loaded_start<D>(app::Session&, const Request&);                        \
  template void add_sizes<D>(const Request&, std::uint64_t, State<D, Kokkos::HostSpace>&); \
  template Start<D> make_start<D>(app::Session&, const Request&);
COPSE_INSTANTIATE(2)
COPSE_INSTANTIATE(3)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
