#include <copse/particles/generators.hpp>
#include <copse/particles/models/lattice.hpp>
#include <copse/particles/models/nfw.hpp>
#include <copse/particles/models/normal.hpp>
#include <copse/particles/models/plummer.hpp>
#include <copse/particles/models/soneira_peebles.hpp>
#include <copse/particles/models/uniform.hpp>

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace copse {
namespace {

struct Kind {
  std::string_view name;
  std::string_view description;
  Box<3> (*box)(const GeneratorOptions&);
};

constexpr std::array kinds{
    Kind{"uniform", "uniform random positions in the periodic unit box", models::Uniform::box},
    Kind{"normal", "one Gaussian blob in the unit box", models::Normal::box},
    Kind{"plummer", "Plummer star cluster in equilibrium, G = M = a = 1", models::Plummer::box},
    Kind{"lattice", "cubic lattice: every coordinate is an exact tie", models::Lattice::box},
    Kind{"soneira-peebles", "hierarchical clustering: spheres within spheres in the unit box",
         models::SoneiraPeebles::box},
    Kind{"nfw", "NFW haloes with a power-law mass function in a uniform background, periodic",
         models::Nfw<Kokkos::HostSpace>::box},
};

const Kind& find_kind(const std::string& name) {
  std::string known;
  for (const Kind& kind : kinds) {
    if (kind.name == name) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
  }
  throw InputError(fmt::format("unknown generator '{}': choose one of {}", name, known));
}

void check_rows(const GeneratorOptions& options, Count first, Count count) {
  if (first > options.particles || count > options.particles - first)
    throw InputError(
        fmt::format("rows {} to {}+{} were requested of a generated set of {} particles", first,
                    first, count, options.particles));
  if (count > max_particles_per_rank)
    throw InputError(fmt::format("{} generated particles do not fit one rank: the most is {}",
                                 count, max_particles_per_rank));
}

/// Rejects a parameter outside [least, most] with a message that names it.
template <class T>
void check_range(std::string_view name, T value, T least, T most) {
  if (!(value >= least && value <= most))
    throw InputError(fmt::format("generator parameter {} is {}: it must lie between {} and {}",
                                 name, value, least, most));
}

void check_model(const ModelParameters& model) {
  check_range("normal_sigma", model.normal_sigma, 1e-6, 1.0);
  check_range("plummer_truncation", model.plummer_truncation, 0.1, 1000.0);
  check_range("fractal_branching", model.fractal_branching, 2, 64);
  check_range("fractal_ratio", model.fractal_ratio, 1.1, 64.0);
  check_range("fractal_levels", model.fractal_levels, 0, 10);
  check_range("halo_fraction", model.halo_fraction, 0.0, 1.0);
  check_range("halo_slope", model.halo_slope, 1.1, 4.0);
  check_range("halo_largest", model.halo_largest, 1e-9, 0.5);
  if (model.halo_smallest > 0)
    check_range<Count>("halo_smallest", model.halo_smallest, 2, max_generated_particles);
}

/// Generates rows of the model named in the options.
template <class ExecutionSpace>
auto rows_of_kind(const ExecutionSpace& space, const GeneratorOptions& options, Count first,
                  Count count) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Box<3> box = find_kind(options.kind).box(options);
  const auto rows = [&](const auto& model) {
    return models::write_rows(space, model, box, options, first, count);
  };
  if (options.kind == "normal") return rows(models::Normal(options));
  if (options.kind == "plummer") return rows(models::Plummer(options));
  if (options.kind == "lattice") return rows(models::Lattice(options));
  if (options.kind == "soneira-peebles") return rows(models::SoneiraPeebles(options));
  if (options.kind == "nfw") return rows(models::Nfw<MemorySpace>(options));
  return rows(models::Uniform(options));
}

}  // namespace

std::vector<std::string> generator_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

std::string generator_description(const std::string& kind) {
  return std::string(find_kind(kind).description);
}

void check_generator_options(const GeneratorOptions& options) {
  find_kind(options.kind);
  if (options.particles == 0)
    throw InputError(
        fmt::format("generator '{}' was asked for 0 particles: ask for at least 1", options.kind));
  if (options.particles > max_generated_particles)
    throw InputError(fmt::format("generator '{}' was asked for {} particles: the most is {}",
                                 options.kind, options.particles, max_generated_particles));
  check_model(options.model);
}

template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> generate(const ExecutionSpace& space,
                                                          const GeneratorOptions& options,
                                                          Count first, Count count) {
  check_generator_options(options);
  check_rows(options, first, count);
  return rows_of_kind(space, options, first, count);
}

#define COPSE_INSTANTIATE_GENERATE(ExecutionSpace)                           \
  template Particles<ExecutionSpace::memory_space> generate<ExecutionSpace>( \
      const ExecutionSpace&, const GeneratorOptions&, Count, Count);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE_GENERATE)

}  // namespace copse
