#include "results.hpp"

#include "catalogue/catalogue.hpp"
#include "catalogue/groups.hpp"
#include "catalogue/halo_mass_function.hpp"
#include "catalogue/output.hpp"
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace copse::fof {
namespace {

enum class Format { hdf5, csv, group_numbers, group_particles };

Format format_of(const std::filesystem::path& path) {
  const std::string suffix = path.extension().string();
  if (suffix == ".h5" || suffix == ".hdf5") return Format::hdf5;
  if (suffix == ".csv") return Format::csv;
  if (suffix == ".grp") return Format::group_numbers;
  if (suffix == ".gtp") return Format::group_particles;
  throw InputError(fmt::format("--output '{}': the name must end in .h5, .hdf5, .csv, .grp or .gtp",
                               path.string()));
}

/// The largest groups, for the terminal.
app::Table largest_groups(const Catalogue& catalogue) {
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
  return table;
}

template <class ExecutionSpace>
void write(const ExecutionSpace& space, app::Session& session, const LinkedInput& input,
           const MeasuredLinking& linking,
           const std::vector<Groups<typename ExecutionSpace::memory_space>>& levels) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const std::filesystem::path& path = *session.options().output;
  const auto particles = copy_particles<MemorySpace>(input.particles);
  Groups<Kokkos::HostSpace> on_host = groups_on_host(levels.front());
  Catalogue catalogue = make_catalogue(space, particles, levels.front());
  session.print(largest_groups(catalogue));
  const bool has_volume = catalogue.box.volume() > 0;
  const MassFunction mass_function =
      has_volume ? halo_mass_function(catalogue, MassMeasure::members, 4) : MassFunction{};
  for (std::size_t k = 1; k < levels.size(); ++k)
    append_level(on_host, catalogue, groups_on_host(levels[k]),
                 make_catalogue(space, particles, levels[k]));
  if (format_of(path) == Format::group_numbers) return write_group_numbers(path, on_host);
  if (format_of(path) == Format::csv) return write_catalogue_csv(path, catalogue);
  if (format_of(path) == Format::group_particles) return write_group_particles(path, catalogue);
  write_catalogue_hdf5(path, {.catalogue = catalogue,
                              .groups = on_host,
                              .labels = linking.labels,
                              .ids = input.particles.id,
                              .mass_function = has_volume ? &mass_function : nullptr,
                              .position = input.particles.position});
}

template <class MemorySpace>
void report_level(app::Session& session, const SubLevel& level, const Groups<MemorySpace>& groups) {
  nlohmann::json entry{{"level", level.level},
                       {"linking_length", level.links.length},
                       {"groups", groups.size()},
                       {"particles_in_groups", groups.particles_in_groups()},
                       {"largest_group", groups.largest},
                       {"groups_cut_at_borders", level.crossing},
                       {"seconds", level.seconds}};
  if (std::isfinite(level.links.velocity)) entry["velocity_link"] = level.links.velocity;
  session.report().results()["levels"].push_back(entry);
  session.print(
      fmt::format("level {}, linking length {:.6g}{}: {} groups hold {}; the largest has "
                  "{}",
                  level.level, level.links.length,
                  std::isfinite(level.links.velocity)
                      ? fmt::format(", velocity link {:.6g}", level.links.velocity)
                      : "",
                  groups.size(), groups.particles_in_groups(), groups.largest));
}

template <class ExecutionSpace>
void report_on(const ExecutionSpace& space, app::Session& session, const Request& request,
               const LinkedInput& input, const MeasuredLinking& linking,
               const std::vector<SubLevel>& sub_levels) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto collect = [&](const Labels<Kokkos::HostSpace>& labels) {
    return collect_groups(space, Kokkos::create_mirror_view_and_copy(MemorySpace{}, labels),
                          request.min_members);
  };
  std::vector<Groups<MemorySpace>> levels{collect(linking.labels)};
  const Groups<MemorySpace> groups = levels.front();
  auto& results = session.report().results();
  results["groups"] = groups.size();
  results["components"] = groups.components;
  results["largest_group"] = groups.largest;
  results["particles_in_groups"] = groups.particles_in_groups();
  session.print(fmt::format(
      "{} groups of at least {} particles hold {} of {}; the largest has {}; {} components",
      groups.size(), request.min_members, groups.particles_in_groups(), groups.particles,
      groups.largest, groups.components));
  for (const SubLevel& level : sub_levels) {
    levels.push_back(collect(level.labels));
    report_level(session, level, levels.back());
  }
  if (session.options().output) write(space, session, input, linking, levels);
}

}  // namespace

void check_output_path(const std::filesystem::path& path) {
  format_of(path);
}

void report_groups(app::Session& session, const Request& request, const LinkedInput& input,
                   const MeasuredLinking& linking, const std::vector<SubLevel>& levels) {
  dispatch_backend(linking.backend,
                   [&](auto space) { report_on(space, session, request, input, linking, levels); });
}

}  // namespace copse::fof
