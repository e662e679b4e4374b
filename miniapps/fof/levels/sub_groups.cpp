#include "sub_groups.hpp"

#include "../methods.hpp"
#include "../problem_in.hpp"
#include "../reference.hpp"
#include "../verify.hpp"
#include "confine.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <Kokkos_Timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace copse::fof {
namespace {

Labels<Kokkos::HostSpace> link_once(const Request& request, const LinkedInput& input,
                                    const std::string& backend, const std::string& method) {
  const Kokkos::Profiling::ScopedRegion region("copse::fof::sub_level");
  Labels<Kokkos::HostSpace> on_host;
  dispatch_backend(backend, [&](auto space) {
    using MemorySpace = typename decltype(space)::memory_space;
    const auto problem = problem_in<MemorySpace>(input.problem());
    const Labels<MemorySpace> labels(
        Kokkos::view_alloc("copse::fof::sub_labels", Kokkos::WithoutInitializing), problem.size());
    with_linker(method, space, [&](auto linker) { linker.link(problem, request.link, labels); });
    on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, labels);
  });
  return on_host;
}

/// Appends a list to a list.
template <class T>
void append(Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace>& list,
            const Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace>& more, Count first) {
  const Count before = list.extent(0), added = more.extent(0) - first;
  Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace> both(
      Kokkos::view_alloc(list.label(), Kokkos::WithoutInitializing), before + added);
  std::copy(list.data(), list.data() + before, both.data());
  std::copy(more.data() + first, more.data() + first + added, both.data() + before);
  list = both;
}

/// Number of labels that differ from the reference restricted to the groups of the level above.
double unlike_confined_reference(const LinkedInput& input, const Labels<Kokkos::HostSpace>& above,
                                 const Labels<Kokkos::HostSpace>& labels) {
  const auto problem = input.problem();
  const std::vector<LocalIndex> flooded = reference_labels(problem, input.particles.box);
  const Labels<Kokkos::HostSpace> expected("copse::fof::expected_labels", flooded.size());
  std::copy(flooded.begin(), flooded.end(), expected.data());
  confine(problem, input.particles.box, above, expected);
  Count unlike = 0;
  for (Count i = 0; i < labels.extent(0); ++i) unlike += labels(i) != expected(i);
  return static_cast<double>(unlike);
}

}  // namespace

LinkedInput input_of_level(const Request& request, const LinkedInput& input, int level) {
  LinkedInput here = input;
  here.links = linking_lengths(request, input.particles.box, input.total_linked, level);
  here.friendship = make_friendship(here.links, input.particles.box);
  return here;
}

std::vector<SubLevel> link_levels(const Request& request, const LinkedInput& input,
                                  const std::string& backend, const std::string& method,
                                  const Labels<Kokkos::HostSpace>& top) {
  std::vector<SubLevel> levels;
  for (int k = 1; k < request.levels(); ++k) {
    const Kokkos::Timer timer;
    const LinkedInput here = input_of_level(request, input, k);
    SubLevel level{k, here.links, link_once(request, here, backend, method)};
    const auto& above = levels.empty() ? top : levels.back().labels;
    level.crossing = confine(here.problem(), here.particles.box, above, level.labels);
    level.seconds = timer.seconds();
    levels.push_back(std::move(level));
  }
  return levels;
}

void verify_levels(const Request& request, const LinkedInput& input,
                   const std::vector<SubLevel>& levels, const Labels<Kokkos::HostSpace>& top,
                   app::Verification& verification) {
  const Labels<Kokkos::HostSpace>* above = &top;
  for (const SubLevel& level : levels) {
    const std::string prefix = fmt::format("level_{}_", level.level);
    Count outside = 0;
    for (Count i = 0; i < level.labels.extent(0); ++i)
      if ((*above)(level.labels(i)) != (*above)(i)) ++outside;
    verification.check(prefix + "members_outside_of_the_parent", static_cast<double>(outside));
    // Groups that were cut at borders differ from the groups of all particles.
    if (level.crossing == 0 && level.labels.extent(0) > 0) {
      app::Verification of_level;
      verify_labels(input_of_level(request, input, level.level), level.labels, of_level);
      for (const app::Check& check : of_level.checks())
        verification.check(prefix + check.name, check.value, check.tolerance);
    } else if (level.labels.extent(0) > 0 && level.labels.extent(0) <= whole_limit) {
      const LinkedInput here = input_of_level(request, input, level.level);
      verification.check(prefix + "groups_unlike_the_reference_within_their_parents",
                         unlike_confined_reference(here, *above, level.labels));
    }
    above = &level.labels;
  }
}

void append_level(Groups<Kokkos::HostSpace>& groups, Catalogue& catalogue,
                  const Groups<Kokkos::HostSpace>& sub_groups, Catalogue sub_catalogue) {
  const Count known = groups.size();
  const Count above = catalogue.level_begin.back();
  // Parent group of each particle on the level above.
  std::vector<Count> parent(groups.particles, 0);
  for (Count g = above; g < known; ++g)
    for (Count j = groups.offsets(g); j < groups.offsets(g + 1); ++j)
      parent[groups.members(j)] = g + 1;
  for (Count g = 0; g < sub_groups.size(); ++g) {
    GroupProperties& group = sub_catalogue.groups[g];
    group.id = known + g + 1;
    group.level = catalogue.level_begin.size();
    group.parent = parent[sub_groups.members(sub_groups.offsets(g))];
    catalogue.groups.push_back(group);
  }
  catalogue.level_begin.push_back(known);
  const Count members = groups.members.extent(0);
  append(groups.offsets, sub_groups.offsets, 1);
  for (Count g = known + 1; g < groups.offsets.extent(0); ++g) groups.offsets(g) += members;
  append(groups.members, sub_groups.members, 0);
}

}  // namespace copse::fof
