#pragma once
/// \file
/// Sub-groups: particles linked with shorter and shorter links, level by level (the hierarchical
/// refinement announced in the abstract of [Wood 2014]).
///
/// Level 0 holds the groups of a plain run. Each further level links all particles with its own b
/// and psi, neither longer than on the level above, so its groups are parts of groups there
/// (confine.hpp). The groups of all levels form a forest with `parent` as its edges.

#include "../catalogue/catalogue.hpp"
#include "../catalogue/groups.hpp"
#include "../measured_linking.hpp"
#include "../request.hpp"
#include <copse/app/session.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace copse::fof {

/// Labels of one level below level 0.
struct SubLevel {
  int level = 0;
  LinkingLengths links;
  Labels<Kokkos::HostSpace> labels;  ///< of `LinkedInput::particles`
  Count crossing = 0;  ///< number of groups that crossed a border through rounding, see confine.hpp
  double seconds = 0.0;
};

/// `input` with the linking lengths of a level.
/// \throws InputError as make_friendship
LinkedInput input_of_level(const Request& request, const LinkedInput& input, int level);

/// Links every level below level 0, each within the one above. `top` holds the labels of level 0.
/// One call of the method per level.
std::vector<SubLevel> link_levels(const Request& request, const LinkedInput& input,
                                  const std::string& backend, const std::string& method,
                                  const Labels<Kokkos::HostSpace>& top);

/// Compares each level with the level above, and with independent groups, as verify_labels does. A
/// level with groups that were cut is compared with the flood fill of reference.hpp instead, up to
/// whole_limit particles. The check names begin with "level_<k>_".
void verify_levels(const Request& request, const LinkedInput& input,
                   const std::vector<SubLevel>& levels, const Labels<Kokkos::HostSpace>& top,
                   app::Verification& verification);

/// Appends the groups and the catalogue of a level to those of the levels above. Ids continue; each
/// group gets its level and the id of its parent group. All levels must cover the same particles
/// and have the same catalogue columns.
void append_level(Groups<Kokkos::HostSpace>& groups, Catalogue& catalogue,
                  const Groups<Kokkos::HostSpace>& sub_groups, Catalogue sub_catalogue);

}  // namespace copse::fof
