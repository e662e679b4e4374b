#include "results.hpp"

#include "catalogue/catalogue.hpp"
#include "catalogue/groups.hpp"
#include "pick_rows.hpp"
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace copse::fof {
namespace {

/// The groups of a level where the backend works, and where they are written.
template <class MemorySpace>
struct LevelGroups {
  Groups<MemorySpace> here;
  Groups<Kokkos::HostSpace> on_host;
};

template <class ExecutionSpace>
void write(const ExecutionSpace& space, app::Session& session, const LinkedInput& input,
           const MeasuredLinking& linking,
           const std::vector<LevelGroups<typename ExecutionSpace::memory_space>>& levels) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const std::filesystem::path& path = *session.options().output;
  const auto particles = particles_in<MemorySpace>(input.particles);
  Groups<Kokkos::HostSpace> on_host = levels.front().on_host;
  const GroupTotals totals = totals_of(on_host);
  Catalogue catalogue = make_catalogue(space, particles, levels.front().here);
  print_largest(session, catalogue);
  const auto mass_function = mass_function_of_top(catalogue);
  for (std::size_t k = 1; k < levels.size(); ++k)
    append_level(on_host, catalogue, levels[k].on_host,
                 make_catalogue(space, particles, levels[k].here));
  switch (output_format(path)) {
    case OutputFormat::group_numbers:
      return write_group_numbers(path, on_host);
    case OutputFormat::csv:
      return write_catalogue_csv(path, catalogue);
    case OutputFormat::group_particles:
      return write_group_particles(path, catalogue);
    case OutputFormat::hdf5:
      return write_catalogue_hdf5(path, {.catalogue = catalogue,
                                         .groups = on_host,
                                         .totals = totals,
                                         .labels = linking.labels,
                                         .ids = input.particles.id,
                                         .mass_function = mass_function ? &*mass_function : nullptr,
                                         .position = input.particles.position});
  }
}

template <class ExecutionSpace>
void report_on(const ExecutionSpace& space, app::Session& session, const Request& request,
               const LinkedInput& input, const MeasuredLinking& linking,
               const std::vector<SubLevel>& sub_levels) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto collect = [&](const Labels<Kokkos::HostSpace>& labels) {
    const auto here = collect_groups(
        space, Kokkos::create_mirror_view_and_copy(MemorySpace{}, labels), request.min_members);
    return LevelGroups<MemorySpace>{here, groups_on_host(here)};
  };
  std::vector<LevelGroups<MemorySpace>> levels{collect(linking.labels)};
  report_totals(session, totals_of(levels.front().on_host));
  for (const SubLevel& level : sub_levels) {
    levels.push_back(collect(level.labels));
    report_level(session, totals_of(level, levels.back().on_host));
  }
  if (session.options().output) write(space, session, input, linking, levels);
}

}  // namespace

OutputFormat output_format(const std::filesystem::path& path) {
  const std::string suffix = path.extension().string();
  if (suffix == ".h5" || suffix == ".hdf5") return OutputFormat::hdf5;
  if (suffix == ".csv") return OutputFormat::csv;
  if (suffix == ".grp") return OutputFormat::group_numbers;
  if (suffix == ".gtp") return OutputFormat::group_particles;
  throw InputError(fmt::format("--output '{}': the name must end in .h5, .hdf5, .csv, .grp or .gtp",
                               path.string()));
}

void report_totals(app::Session& session, const GroupTotals& totals) {
  auto& results = session.report().results();
  results["groups"] = totals.groups;
  results["components"] = totals.components;
  results["largest_group"] = totals.largest;
  results["particles_in_groups"] = totals.particles_in_groups;
  session.print(fmt::format(
      "{} groups of at least {} particles hold {} of {}; the largest has {}; {} components",
      totals.groups, totals.min_members, totals.particles_in_groups, totals.particles,
      totals.largest, totals.components));
}

LevelTotals totals_of(const SubLevel& level, const Groups<Kokkos::HostSpace>& groups) {
  return {level.level,
          level.links,
          groups.size(),
          groups.particles_in_groups(),
          groups.size() > 0 ? groups.offsets(1) : 0,
          level.crossing,
          level.seconds};
}

void report_level(app::Session& session, const LevelTotals& totals) {
  nlohmann::json entry{
      {"level", totals.level},           {"linking_length", totals.links.length},
      {"groups", totals.groups},         {"particles_in_groups", totals.particles_in_groups},
      {"largest_group", totals.largest}, {"groups_cut_at_borders", totals.crossing},
      {"seconds", totals.seconds}};
  std::string velocity;
  if (std::isfinite(totals.links.velocity)) {
    entry["velocity_link"] = totals.links.velocity;
    velocity = fmt::format(", velocity link {:.6g}", totals.links.velocity);
  }
  session.report().results()["levels"].push_back(entry);
  session.print(
      fmt::format("level {}, linking length {:.6g}{}: {} groups hold {}; the largest has "
                  "{}",
                  totals.level, totals.links.length, velocity, totals.groups,
                  totals.particles_in_groups, totals.largest));
}

void print_largest(app::Session& session, const Catalogue& catalogue) {
  app::Table table({"group", "members", "mass", "x", "y", "z", "half-mass radius", "dispersion"});
  for (std::size_t g = 0; g < std::min<std::size_t>(5, catalogue.groups.size()); ++g) {
    const GroupProperties& group = catalogue.groups[g];
    table.add_row(
        {fmt::format("{}", group.id), fmt::format("{}", group.members),
         fmt::format("{:.4g}", group.mass), fmt::format("{:.4g}", group.centre_of_mass[0]),
         fmt::format("{:.4g}", group.centre_of_mass[1]),
         fmt::format("{:.4g}", group.centre_of_mass[2]),
         fmt::format("{:.4g}", group.half_mass_radius),
         catalogue.has_velocity ? fmt::format("{:.4g}", group.velocity_dispersion) : "-"});
  }
  session.print(table);
}

std::optional<MassFunction> mass_function_of_top(const Catalogue& top) {
  if (!(top.box.volume() > 0)) return std::nullopt;
  return halo_mass_function(top, MassMeasure::members, 4);
}

void report_groups(app::Session& session, const Request& request, const LinkedInput& input,
                   const MeasuredLinking& linking, const std::vector<SubLevel>& levels) {
  dispatch_backend(linking.backend,
                   [&](auto space) { report_on(space, session, request, input, linking, levels); });
}

}  // namespace copse::fof
