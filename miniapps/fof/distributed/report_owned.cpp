#include "report_owned.hpp"

#include "../methods.hpp"
#include "../pick_rows.hpp"
#include "../problem_in.hpp"
#include "../results.hpp"
#include "../species/selection.hpp"
#include "../species/species_results.hpp"
#include "attach_over_ranks.hpp"
#include "distributed_linker.hpp"
#include "whole_groups.hpp"
#include "write_owned.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/rank_agreement.hpp>

#include <algorithm>
#include <utility>

namespace copse::fof {
namespace {

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

/// The levels of this rank's groups; ranks make one check, whatever they have.
std::vector<SubLevel> link_owned_levels(app::Session& session, const Communicator& comm,
                                        const Request& request, const LinkedInput& owned,
                                        const std::string& backend, const std::string& method,
                                        const Labels<Kokkos::HostSpace>& labels) {
  const auto top = owned.partial ? labels_of_rows(labels, owned.rows) : labels;
  std::vector<SubLevel> levels;
  together(comm.handle(), [&] { levels = link_levels(request, owned, backend, method, top); });
  if (session.options().verify && !levels.empty()) {
    app::Verification of_rank;
    verify_levels(request, owned, levels, top, of_rank);
    double failed = 0.0;
    for (const app::Check& check : of_rank.checks()) failed += check.passed ? 0.0 : 1.0;
    session.verification().check("failed_checks_of_groups_within_groups", failed);
  }
  together(comm.handle(), [&] { attach_levels(request, owned, backend, levels); });
  return levels;
}

void write_files(app::Session& session, const Communicator& comm, const OwnedFile& file) {
  const std::filesystem::path& path = *session.options().output;
  switch (output_format(path)) {
    case OutputFormat::hdf5:
      return write_owned_hdf5(comm, path, file);
    case OutputFormat::group_numbers:
      return write_owned_group_numbers(comm, path, file);
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

/// Links once more, and attaches what was not linked: labels and members of all of this rank's
/// particles.
template <class ExecutionSpace>
CountedGroups<typename ExecutionSpace::memory_space> count_members_on(
    const ExecutionSpace& space, app::Session& session, const Communicator& comm,
    const Request& request, const LinkedInput& input, const std::string& method,
    const GlobalLabels<Kokkos::HostSpace>& verified) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto problem = problem_in<MemorySpace>(input.problem());
  const auto numbers = [&](const char* label) {
    return GlobalLabels<MemorySpace>(
        Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), problem.size());
  };
  CountedGroups<MemorySpace> groups;
  groups.labels = numbers("copse::fof::labels");
  with_linker(method, space, [&](auto linker) {
    DistributedLinker<ExecutionSpace> distributed(comm, space);
    distributed.link(
        problem, input.particles.box,
        [&](const auto& local, const auto& found) { linker.link(local, request.link, found); },
        groups.labels, {.count_members = !input.partial});
    const auto labels = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, groups.labels);
    if (session.options().verify)
      session.verification().require(
          "labels_written_are_those_verified",
          std::equal(labels.data(), labels.data() + labels.extent(0), verified.data(),
                     verified.data() + verified.extent(0)));
    if (input.partial) {
      const auto whole = attach_over_ranks(session, comm, request, input, distributed, labels);
      groups.labels = Kokkos::create_mirror_view_and_copy(MemorySpace{}, whole.labels);
      groups.members = Kokkos::create_mirror_view_and_copy(MemorySpace{}, whole.members);
    } else {
      groups.members = numbers("copse::fof::members");
      distributed.bring_members(groups.members);
    }
  });
  return groups;
}

template <class ExecutionSpace>
void report_on(const ExecutionSpace& space, app::Session& session, const Communicator& comm,
               const Request& request, const LinkedInput& input, const std::string& backend,
               const std::string& method, const GlobalLabels<Kokkos::HostSpace>& verified) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto on_host = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  };
  const auto found = count_members_on(space, session, comm, request, input, method, verified);
  const Count first_row = comm.exclusive_scan(Count{input.everything().size()});
  const GlobalLabels<Kokkos::HostSpace> host_labels = on_host(found.labels);
  const GroupTotals totals =
      count_groups(comm, request, first_row, host_labels, on_host(found.members));
  report_totals(session, totals);
  if (!session.options().output && request.levels() == 1) return;

  const auto whole = gather_whole_groups(space, comm, particles_in<MemorySpace>(input.everything()),
                                         found.labels, found.members, request.min_members);
  LinkedInput mine = input;
  mine.particles = particles_in<Kokkos::HostSpace>(whole.particles);
  if (request.species) link_only(mine, *request.species);
  const auto sub_levels =
      link_owned_levels(session, comm, request, mine, backend, method, on_host(whole.labels));
  const bool passed = comm.allreduce(session.verification().passed() ? 1 : 0, Reduction::min) > 0;

  const ColumnSet columns = columns_of_all(comm, input.everything());
  OwnedGroups owned;
  std::vector<LevelTotals> level_totals;
  together(comm.handle(), [&] {
    const auto collect = [&](const Labels<MemorySpace>& here) {
      return collect_groups(space, here, request.min_members);
    };
    const auto top = collect(whole.labels);
    owned.particles = mine.everything();
    owned.columns = columns;
    owned.row = on_host(whole.row);
    owned.groups = groups_on_host(top);
    owned.catalogue = make_catalogue(space, whole.particles, top);
    for (const SubLevel& level : sub_levels) {
      const auto groups = collect(Kokkos::create_mirror_view_and_copy(MemorySpace{}, level.labels));
      const auto host_groups = groups_on_host(groups);
      level_totals.push_back(totals_of(level, host_groups));
      append_level(owned.groups, owned.catalogue, host_groups,
                   make_catalogue(space, whole.particles, groups));
    }
  });
  for (const LevelTotals& level : level_totals) report_level(session, over_ranks(comm, level));
  if (!session.options().output || !passed) return;
  const Catalogue all = number_groups(comm, owned);
  std::optional<MassFunction> mass_function;
  if (comm.rank() == 0) {
    Catalogue top = all;
    top.groups.resize(totals.groups);
    print_largest(session, top);
    mass_function = mass_function_of_top(top);
  }
  write_files(
      session, comm,
      {owned, all, totals, mass_function ? &*mass_function : nullptr, host_labels, first_row});
}

}  // namespace

void report_owned(app::Session& session, const Communicator& comm, const Request& request,
                  const LinkedInput& input, const std::string& backend, const std::string& method,
                  const GlobalLabels<Kokkos::HostSpace>& verified) {
  dispatch_backend(backend, [&](auto space) {
    report_on(space, session, comm, request, input, backend, method, verified);
  });
}

}  // namespace copse::fof
