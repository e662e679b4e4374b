#include <copse/particles/generators.hpp>
#include <copse/particles/models/uniform.hpp>

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace copse {
namespace {

struct Kind {
  std::string_view name;
  std::string_view description;
};

constexpr std::array kinds{
    Kind{"uniform", "uniform random positions in the periodic unit box"},
};

const Kind& find_kind(const std::string& name) {
  std::string known;
  for (const Kind& kind : kinds) {
    if (kind.name == name) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
  }
  throw InputError(fmt::format("unknown generator '{}': choose one of {}", name, known));
}

void check(const GeneratorOptions& options) {
  find_kind(options.kind);
  if (options.particles == 0)
    throw InputError(
        fmt::format("generator '{}' was asked for 0 particles: ask for at least 1", options.kind));
  if (options.particles > max_generated_particles)
    throw InputError(fmt::format("generator '{}' was asked for {} particles: the most is {}",
                                 options.kind, options.particles, max_generated_particles));
}

void check_rows(const GeneratorOptions& options, Count first, Count count) {
  if (first > options.particles || count > options.particles - first)
    throw InputError(fmt::format("rows {} to {}+{} were asked of a generated set of {} particles",
                                 first, first, count, options.particles));
  if (count > max_particles_per_rank)
    throw InputError(fmt::format("{} generated particles do not fit one rank: the most is {}",
                                 count, max_particles_per_rank));
}

/// Calls `f(model)` with the model the options name.
template <class F>
auto with_model(const GeneratorOptions& options, F&& f) {
  return f(models::Uniform{options.seed});
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

Box<3> generator_box(const GeneratorOptions& options) {
  check(options);
  return with_model(options, [](const auto& model) { return model.box(); });
}

template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> generate(const ExecutionSpace& space,
                                                          const GeneratorOptions& options,
                                                          Count first, Count count) {
  check(options);
  check_rows(options, first, count);
  return with_model(options, [&](const auto& model) {
    return models::write_rows(space, model, model.box(), options, first, count);
  });
}

#define COPSE_INSTANTIATE_GENERATE(ExecutionSpace)                           \
  template Particles<ExecutionSpace::memory_space> generate<ExecutionSpace>( \
      const ExecutionSpace&, const GeneratorOptions&, Count, Count);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE_GENERATE)

}  // namespace copse
