#include <copse/particles/generators.hpp>
#include <copse/particles/point_models.hpp>
#include <copse/particles/point_models/clustered.hpp>
#include <copse/particles/point_models/covtype.hpp>
#include <copse/particles/point_models/geographic.hpp>
#include <copse/particles/point_models/mnist.hpp>
#include <copse/particles/point_models/normal.hpp>
#include <copse/particles/uniform_points.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace copse {
namespace {

struct Model {
  std::string_view name;
  std::string_view description;
  int only_dimension;  ///< 0: all
};

constexpr std::array models{
    Model{"uniform", "uniform random points in the unit cube", 0},
    Model{"normal", "one Gaussian blob in the unit cube", 0},
    Model{"clustered", "clusters in groups, of power-law sizes, in the unit cube", 0},
    Model{"geographic", "places in towns along coasts and roads, 2-D, like Geocity", 2},
    Model{"covtype-like", "terrain with integer coordinates, many ties, like Covtype in 7-D", 0},
    Model{"mnist-like", "projected images of ten classes, like Mnist in 7-D", 0},
};

bool is_particle_model(std::string_view name) {
  const std::vector<std::string> kinds = generator_names();
  return std::find(kinds.begin(), kinds.end(), name) != kinds.end();
}

const Model* find_model(std::string_view name) {
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const Model& model) { return model.name == name; });
  return found == models.end() ? nullptr : &*found;
}

void check_rows(const PointModel& model, Count first, Count count) {
  if (first > model.points || count > model.points - first)
    throw InputError(fmt::format("rows {} to {}+{} were requested of a generated set of {} points",
                                 first, first, count, model.points));
  if (count > max_particles_per_rank)
    throw InputError(fmt::format("{} generated points do not fit one rank: the most is {}", count,
                                 max_particles_per_rank));
}

}  // namespace

std::vector<std::string> point_model_names(int dimension) {
  std::vector<std::string> names;
  for (const Model& model : models)
    if (model.only_dimension == 0 || model.only_dimension == dimension)
      names.emplace_back(model.name);
  if (dimension == 3)
    for (const std::string& kind : generator_names())
      if (find_model(kind) == nullptr) names.push_back(kind);
  return names;
}

std::string point_model_description(const std::string& name) {
  if (const Model* model = find_model(name)) return std::string(model->description);
  if (is_particle_model(name)) return generator_description(name) + ", 3-D";
  std::vector<std::string> known = point_model_names(2);
  for (const std::string& kind : point_model_names(3))
    if (std::find(known.begin(), known.end(), kind) == known.end()) known.push_back(kind);
  throw InputError(
      fmt::format("unknown point model '{}': choose one of {}", name, fmt::join(known, ", ")));
}

void check_point_model(const PointModel& model, int dimension) {
  const std::vector<std::string> names = point_model_names(dimension);
  if (std::find(names.begin(), names.end(), model.name) == names.end())
    throw InputError(fmt::format("there is no point model '{}' in {}-D: choose one of {}",
                                 model.name, dimension, fmt::join(names, ", ")));
  if (model.points == 0)
    throw InputError(
        fmt::format("point model '{}' was asked for 0 points: ask for at least 1", model.name));
  if (model.points > max_generated_particles)
    throw InputError(fmt::format("point model '{}' was asked for {} points: the most is {}",
                                 model.name, model.points, max_generated_particles));
}

template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> generate_points(const ExecutionSpace& space,
                                                                   const PointModel& model,
                                                                   Count first, Count count) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  check_point_model(model, Dim);
  check_rows(model, first, count);
  if constexpr (Dim == 3) {
    if (is_particle_model(model.name)) {
      GeneratorOptions options;
      options.kind = model.name;
      options.particles = model.points;
      options.seed = model.seed;
      return generate(space, options, first, count).position;
    }
  }
  const auto rows = [&](const auto& of_model) {
    return point_models::write_points<Dim>(space, of_model, first, count);
  };
  if constexpr (Dim == 2) {
    if (model.name == "geographic") return rows(point_models::Geographic<MemorySpace>(model.seed));
  }
  if (model.name == "normal") return rows(point_models::Normal<Dim>{model.seed});
  if (model.name == "clustered") return rows(point_models::Clustered<Dim, MemorySpace>(model.seed));
  if (model.name == "covtype-like") return rows(point_models::CovtypeLike<Dim>{model.seed});
  if (model.name == "mnist-like")
    return rows(point_models::MnistLike<Dim, MemorySpace>(model.seed));
  return uniform_points<Dim>(space, model.seed, first, count);
}

#define COPSE_INSTANTIATE_GENERATE_POINTS(ExecutionSpace, Dim)             \
  template Points<Dim, ExecutionSpace::memory_space> generate_points<Dim>( \
      const ExecutionSpace&, const PointModel&, Count, Count);
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_INSTANTIATE_GENERATE_POINTS)

}  // namespace copse
