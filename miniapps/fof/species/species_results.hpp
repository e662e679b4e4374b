#pragma once
/// \file
/// From groups of the linked species to groups of all particles, as fof does it.

#include "../levels/sub_groups.hpp"
#include "../measured_linking.hpp"
#include "../request.hpp"
#include <copse/app/session.hpp>

#include <string>
#include <vector>

namespace copse::fof {

/// The sabotage that loses an attached particle, for --sabotage.
inline constexpr const char* lost_attachment_sabotage = "lose-attached";

/// Particles of all species with their labels, and how they were linked.
struct WholeResult {
  LinkedInput input;
  MeasuredLinking linking;
};

/// Over all ranks.
struct AttachedTotals {
  Count linked = 0;
  Count others = 0;    ///< particles that were not linked
  Count attached = 0;  ///< of these
  double seconds = 0.0;
};
/// Enters them into the report, as `species`, and prints them.
void report_attached(app::Session& session, const AttachedTotals& totals);

/// Attaches the particles that were not linked (attach.hpp), on the backend of the labels, and
/// reports how many. With --verify, some of them, and all if they are few, are held against every
/// linked particle. Without a species to link it returns what it was given.
WholeResult attach_others(app::Session& session, const Request& request, const LinkedInput& input,
                          const MeasuredLinking& linking);

/// Attaches the particles that were not linked on every level, with its own linking length. The
/// nearest linked particle is the same on all levels, so who is attached to a sub-group is attached
/// to its parent. Without a species to link it changes nothing.
void attach_levels(const Request& request, const LinkedInput& input, const std::string& backend,
                   std::vector<SubLevel>& levels);

}  // namespace copse::fof
