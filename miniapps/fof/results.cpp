#include "results.hpp"

#include "catalogue/output.hpp"
#include "distributed/whole_groups.hpp"
#include "pick_rows.hpp"
#include "species/selection.hpp"
#include "species/species_results.hpp"
#include "verify.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/mpi/rank_agreement.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace copse::fof {
namespace {

/// Figures reported for a level of sub-groups.
struct LevelTotals {
  int level = 0;
  LinkingLengths links;
  Count groups = 0;
  Count particles_in_groups = 0;
  Count largest = 0;   ///< particles in the largest group
  Count crossing = 0;  ///< see SubLevel
  double seconds = 0.0;
};

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

/// The mass function written with a catalogue: number of members, level 0. None if the box has no
/// volume.
std::optional<MassFunction> mass_function_of_top(const Catalogue& top) {
  if (!(top.box.volume() > 0)) return std::nullopt;
  return halo_mass_function(top, MassMeasure::members, 4);
}

GroupTotals count_groups(const Communicator& comm, const Request& request, Count first_row,
                         const GlobalLabels<Kokkos::HostSpace>& labels,
                         const GroupSizes<Kokkos::HostSpace>& members) {
  GroupTotals totals;
  totals.min_members = request.min_members;
  for (Count i = 0; i < labels.extent(0); ++i) {
    const bool first = labels(i) == first_row + i;
    const bool in_group = members(i) >= request.min_members;
    totals.components += first ? 1 : 0;
    totals.groups += first && in_group ? 1 : 0;
    totals.particles_in_groups += in_group ? 1 : 0;
    totals.largest = std::max(totals.largest, members(i));
  }
  for (Count* sum : {&totals.components, &totals.groups, &totals.particles_in_groups})
    *sum = comm.allreduce(*sum, Reduction::sum);
  totals.particles = comm.allreduce(Count{labels.extent(0)}, Reduction::sum);
  totals.largest = comm.allreduce(totals.largest, Reduction::max);
  return totals;
}

ColumnSet columns_of_all(const Communicator& comm, const Particles<Kokkos::HostSpace>& particles) {
  ColumnSet columns = columns_of(particles);
  for (bool* column : {&columns.velocity, &columns.mass, &columns.id, &columns.weight,
                       &columns.species, &columns.softening})
    *column = comm.allreduce(*column ? 1 : 0, Reduction::max) > 0;
  return columns;
}

LevelTotals over_ranks(const Communicator& comm, LevelTotals totals) {
  totals.groups = comm.allreduce(totals.groups, Reduction::sum);
  totals.particles_in_groups = comm.allreduce(totals.particles_in_groups, Reduction::sum);
  totals.crossing = comm.allreduce(totals.crossing, Reduction::sum);
  totals.largest = comm.allreduce(totals.largest, Reduction::max);
  totals.seconds = comm.allreduce(totals.seconds, Reduction::max);
  return totals;
}

/// The sub-groups within this rank's groups. On several ranks the checks of all ranks are reported
/// as a single check.
std::vector<SubLevel> link_owned_levels(app::Session& session, const Communicator& comm,
                                        const Request& request, const LinkedInput& owned,
                                        const MeasuredLinking& linking,
                                        const Labels<Kokkos::HostSpace>& labels) {
  const auto top = owned.partial ? labels_of_rows(labels, owned.rows) : labels;
  std::vector<SubLevel> levels;
  together(comm.handle(), [&] {
    levels = link_levels(request, owned, linking.backend, linking.method, top);
    app::corruptible(levels, comm, top);
  });
  if (session.options().verify && !levels.empty()) {
    app::Verification of_rank;
    verify_levels(request, owned, levels, top, comm.size() == 1 ? session.verification() : of_rank);
    double failed = 0.0;
    for (const app::Check& check : of_rank.checks()) failed += check.passed ? 0.0 : 1.0;
    if (comm.size() > 1)
      session.verification().check("failed_checks_of_groups_within_groups", failed);
  }
  together(comm.handle(), [&] { attach_levels(request, owned, linking.backend, levels); });
  return levels;
}

template <class ExecutionSpace>
GlobalLabels<typename ExecutionSpace::memory_space> count_rows(const ExecutionSpace& space,
                                                               Count n) {
  const GlobalLabels<typename ExecutionSpace::memory_space> rows(
      Kokkos::view_alloc("copse::fof::rows", Kokkos::WithoutInitializing), n);
  Kokkos::parallel_for(
      "copse::fof::count_rows", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) { rows(i) = i; });
  space.fence("copse::fof::count_rows");
  return rows;
}

template <class ExecutionSpace>
void report_on(const ExecutionSpace& space, app::Session& session, const Communicator& comm,
               const Request& request, const LinkedInput& input, const MeasuredLinking& linking,
               const CountedGroups<Kokkos::HostSpace>& found) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto on_host = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  };
  const auto there = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(MemorySpace{}, view);
  };
  const auto collect = [&](const Labels<MemorySpace>& labels) {
    return collect_groups(space, labels, request.min_members);
  };
  const bool alone = comm.size() == 1;
  const Count first_row = comm.exclusive_scan(Count{input.everything().size()});
  WholeGroups<MemorySpace> whole;
  Groups<MemorySpace> top;
  GroupTotals totals;
  if (alone) {
    whole.labels = there(narrow_labels(found.labels));
    top = collect(whole.labels);
    totals = totals_of(groups_on_host(top));
  } else {
    totals = count_groups(comm, request, first_row, found.labels, found.members);
  }
  report_totals(session, totals);
  if (!session.options().output && request.levels() == 1) return;

  const auto particles = particles_in<MemorySpace>(input.everything());
  LinkedInput mine = input;
  if (alone) {
    whole.particles = particles;
    whole.row = count_rows(space, particles.size());
  } else {
    whole = gather_whole_groups(space, comm, particles, there(found.labels), there(found.members),
                                request.min_members);
    mine.particles = particles_in<Kokkos::HostSpace>(whole.particles);
    if (request.species) link_only(mine, *request.species);
    together(comm.handle(), [&] { top = collect(whole.labels); });
  }
  const auto sub_levels =
      link_owned_levels(session, comm, request, mine, linking, on_host(whole.labels));
  const bool passed = passed_everywhere(session, comm);

  OwnedGroups owned;
  owned.columns = columns_of_all(comm, input.everything());
  std::vector<LevelTotals> level_totals;
  together(comm.handle(), [&] {
    const bool writes = session.options().output.has_value();
    owned.particles = mine.everything();
    owned.row = on_host(whole.row);
    owned.groups = groups_on_host(top);
    if (writes) owned.catalogue = make_catalogue(space, whole.particles, top);
    for (const SubLevel& level : sub_levels) {
      const auto groups = collect(there(level.labels));
      const auto host_groups = groups_on_host(groups);
      level_totals.push_back(totals_of(level, host_groups));
      if (writes)
        append_level(owned.groups, owned.catalogue, host_groups,
                     make_catalogue(space, whole.particles, groups));
    }
  });
  for (const LevelTotals& level : level_totals) report_level(session, over_ranks(comm, level));
  if (!session.options().output || !passed) return;
  const Catalogue all = number_groups(comm, owned);
  std::optional<MassFunction> mass_function;
  if (comm.rank() == 0) {
    Catalogue largest = all;
    largest.groups.resize(totals.groups);
    print_largest(session, largest);
    mass_function = mass_function_of_top(largest);
  }
  write_groups(
      comm, *session.options().output,
      {owned, all, totals, mass_function ? &*mass_function : nullptr, found.labels, first_row});
}

}  // namespace

void report_groups(app::Session& session, const Communicator& comm, const Request& request,
                   const LinkedInput& input, const MeasuredLinking& linking) {
  const auto found = attach_others(session, comm, input, linking);
  dispatch_backend(linking.backend, [&](auto space) {
    report_on(space, session, comm, request, input, linking, found);
  });
}

}  // namespace copse::fof
