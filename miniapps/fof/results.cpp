#include "results.hpp"

#include "catalogue/output.hpp"
#include "corruptible.hpp"
#include "distributed/whole_groups.hpp"
#include "methods.hpp"
#include "pick_rows.hpp"
#include "species/selection.hpp"
#include "species/species_results.hpp"
#include "verify.hpp"
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/rank_agreement.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace copse::fof {
namespace {

/// Bytes per particle for counting members, in addition to those for linking.
constexpr Count counting_bytes = 3 * sizeof(Count);

/// Median over the repeats, for the maximum and the mean over ranks.
nlohmann::json seconds_of(const Communicator& comm, const std::vector<DistributedLinkCost>& costs,
                          double DistributedLinkCost::*part) {
  app::Samples largest, mean;
  for (const DistributedLinkCost& cost : costs) {
    largest.seconds.push_back(comm.allreduce(cost.*part, Reduction::max));
    mean.seconds.push_back(comm.allreduce(cost.*part, Reduction::sum) / comm.size());
  }
  return {{"max", largest.median()}, {"mean", mean.median()}};
}

/// Reports how particles, ghosts and messages are distributed over ranks in the first linking.
/// Collective.
void report_ranks(app::Session& session, const Communicator& comm, Count linked,
                  const std::vector<DistributedLinkCost>& costs) {
  const DistributedLinkCost& cost = costs.back();
  auto& results = session.report().results();
  const auto own = comm.allgather(cost.own);
  const auto ghosts = comm.allgather(cost.ghosts);
  const auto links = comm.allgather(cost.links);
  auto& ranks = results["ranks"] = nlohmann::json::array();
  for (std::size_t r = 0; r < own.size(); ++r)
    ranks.push_back({{"particles", own[r]}, {"ghosts", ghosts[r]}, {"links", links[r]}});
  results["merge_rounds"] = cost.merge_rounds;

  const double particles = static_cast<double>(std::max<Count>(1, linked));
  double sum = 0.0;
  const auto per_particle = [&](Count bytes) {
    const double all = static_cast<double>(comm.allreduce(bytes, Reduction::sum)) / particles;
    sum += all;
    return all;
  };
  auto& sent = results["bytes_sent_per_particle"];
  sent["domains"] = per_particle(cost.domain_bytes);
  sent["ghosts"] = per_particle(cost.ghost_bytes);
  sent["merging"] = per_particle(cost.merge_bytes);
  sent["labels"] = per_particle(cost.label_bytes);
  results["histogram_bytes_per_rank"] = comm.allreduce(cost.histogram_bytes, Reduction::max);
  results["compute_seconds"] = seconds_of(comm, costs, &DistributedLinkCost::compute_seconds);
  results["communicate_seconds"] =
      seconds_of(comm, costs, &DistributedLinkCost::communicate_seconds);
  results["wait_seconds"] = seconds_of(comm, costs, &DistributedLinkCost::wait_seconds);

  const auto range = [](const std::vector<Count>& counts) {
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    return fmt::format("{} to {}", *least, *most);
  };
  session.print(
      fmt::format("{} ranks with {} particles and {} ghosts; {:.1f} bytes sent per particle, "
                  "groups merged in {} rounds",
                  comm.size(), range(own), range(ghosts), sum, cost.merge_rounds));
}

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
  for (bool* column :
       {&columns.velocity, &columns.mass, &columns.id, &columns.weight, &columns.species})
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
    corruptible(comm, levels);
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

void write_files(app::Session& session, const Communicator& comm, const GroupFile& file) {
  const std::filesystem::path& path = *session.options().output;
  switch (output_format(path)) {
    case OutputFormat::hdf5:
      return write_catalogue_hdf5(comm, path, file);
    case OutputFormat::group_numbers:
      return write_group_numbers(comm, path, file);
    case OutputFormat::csv:
      return together(comm.handle(), [&] {
        if (comm.rank() == 0) write_catalogue_csv(path, file.catalogue);
      });
    case OutputFormat::group_particles:
      return together(comm.handle(), [&] {
        if (comm.rank() == 0) write_group_particles(path, file.catalogue);
      });
  }
}

template <class MemorySpace>
struct NumberRows {
  GlobalLabels<MemorySpace> rows;
  KOKKOS_FUNCTION void operator()(const Count i) const { rows(i) = i; }
};

template <class ExecutionSpace>
GlobalLabels<typename ExecutionSpace::memory_space> count_rows(const ExecutionSpace& space,
                                                               Count n) {
  const GlobalLabels<typename ExecutionSpace::memory_space> rows(
      Kokkos::view_alloc("copse::fof::rows", Kokkos::WithoutInitializing), n);
  Kokkos::parallel_for("copse::fof::count_rows",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, n),
                       NumberRows<typename ExecutionSpace::memory_space>{rows});
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
  write_files(
      session, comm,
      {owned, all, totals, mass_function ? &*mass_function : nullptr, found.labels, first_row});
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

void report_estimate(app::Session& session, const Request& request) {
  if (session.options().input)
    throw InputError("--dry-run does not read files: give --particles instead of --input");
  if (request.species)
    throw InputError("--species needs particles of known species, which --generate does not make");
  const bool velocities = request.in_phase_space();
  const auto ranks = static_cast<Count>(session.ranks());
  const Count rows = (session.options().used_particles() + ranks - 1) / ranks;
  double bytes = 0.0;
  for (const std::string& backend : request.backends)
    dispatch_backend(backend, [&]<class Space>(const Space&) {
      for (const std::string& name : request.methods)
        bytes = std::max(bytes, estimate_bytes(method_named(name), rows, request.link, velocities,
                                               !runs_on_host<Space>));
    });
  bytes += static_cast<double>(rows * (velocities ? 6 : 3) * sizeof(Real));
  if (ranks > 1)
    bytes += static_cast<double>(DistributedLinker<Kokkos::DefaultExecutionSpace>::estimate_bytes(
                                     rows, session.ranks(), velocities) +
                                 rows * counting_bytes);
  const bool owns_groups = ranks > 1 && (session.options().output || request.levels() > 1);
  session.print(fmt::format("{} particles: {}{}{} in the memory of {}",
                            session.options().used_particles(), app::format_bytes(bytes),
                            ranks > 1 ? " per rank, without ghosts" : "",
                            owns_groups ? " or the members of the groups that a rank owns" : "",
                            request.backends.back()));
  if (request.levels() > 1) {
    const auto below = static_cast<Count>(request.levels() - 1);
    const Count labels = rows * below * sizeof(LocalIndex);
    session.print(fmt::format("{} in host memory for the labels of the lower {}",
                              app::format_bytes(static_cast<double>(labels)),
                              below > 1 ? "levels" : "level"));
    session.report().results()["estimated_level_bytes"] = labels;
  }
  session.report().results()["estimated_bytes"] = static_cast<Count>(bytes);
}

void report_input(app::Session& session, const LinkedInput& input) {
  auto& results = session.report().results();
  results["linking_length"] = input.links.length;
  if (input.has_velocity()) results["velocity_link"] = input.links.velocity;
  results["wrapped_particles"] = input.wrapped;
  session.print(fmt::format(
      "linking length {:.6g}{}{}", input.links.length,
      input.has_velocity() ? fmt::format(", velocity link {:.6g}", input.links.velocity) : "",
      input.particles.box.fully_periodic() ? ", periodic" : ""));
  if (input.wrapped > 0)
    session.print(
        fmt::format("{} particles were outside the periodic box: wrapped", input.wrapped));
}

void report_linkings(app::Session& session, const Communicator& comm, const Request& request,
                     const LinkedInput& input, const std::vector<MeasuredLinking>& measured) {
  const bool alone = comm.size() == 1;
  if (!alone) {
    session.report().set_device_messages(comm.device_path(), comm.gpu_aware_reason());
    report_ranks(session, comm, input.total_linked, measured.front().costs);
  }
  using Row = std::vector<std::string>;
  app::Table table(
      alone ? Row{"method", "backend", "seconds", "tree", "link", "particles/s", "B/particle"}
            : Row{"method", "backend", "ranks", "seconds", "link", "particles/s"});
  for (const MeasuredLinking& m : measured) {
    const double rate = static_cast<double>(input.total_linked) / m.total.median();
    const bool first = &m == &measured.front();
    const std::string seconds = app::format_seconds(m.total.median());
    const std::string link = app::format_seconds(m.link.median());
    // The memory peak covers all runs so far and only Kokkos allocations.
    const bool knows_bytes = alone && first && m.method != "emst-delaunay";
    const double bytes =
        static_cast<double>(m.bytes) / static_cast<double>(std::max<Count>(1, input.total_linked));
    if (alone) {
      table.add_row({m.method, m.backend, seconds,
                     m.build.seconds.empty() ? "-" : app::format_seconds(m.build.median()), link,
                     app::format_rate(rate), knows_bytes ? fmt::format("{:.1f}", bytes) : "-"});
    } else {
      table.add_row({m.method, m.backend, std::to_string(comm.size()), seconds, link,
                     app::format_rate(rate)});
    }
    if (first) session.report().results()["seconds"] = m.total.median();
    if (knows_bytes) session.report().results()["bytes_per_particle"] = bytes;
    const std::string suffix = measured.size() > 1 ? "_" + m.name() : "";
    session.report().add_figure_of_merit("particles_per_second" + suffix, rate, "1/s");
    if (alone && m.method == "emst-delaunay" && request.in_phase_space())
      session.print(
          "emst-delaunay searches for friends in phase space among Delaunay neighbours only: its "
          "groups may be too small");
  }
  session.print(table);
  if (!host_lanes_are_full && request.backends.size() > 1) session.print(short_host_lanes_note);
}

void report_groups(app::Session& session, const Communicator& comm, const Request& request,
                   const LinkedInput& input, const MeasuredLinking& linking) {
  const auto found = attach_others(session, comm, input, linking);
  dispatch_backend(linking.backend, [&](auto space) {
    report_on(space, session, comm, request, input, linking, found);
  });
}

}  // namespace copse::fof
