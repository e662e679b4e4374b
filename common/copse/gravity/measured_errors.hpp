#pragma once
/// \file
/// How large errors of gravity walks are: medians measured against direct sums in double. Programs
/// derive their tolerances from them.

#include <copse/backend/types.hpp>
#include <copse/gravity/gravity_tree.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace copse {

/// What is tested against a node: a body, the box of a leaf or group, or, with `nodes`, the ball of
/// another node.
enum class Decider : std::uint8_t { particle, leaf, group, nodes };

/// What generated the bodies; `other` stands for a uniform box, a file and every other generator.
enum class BodyModel : std::uint8_t { plummer, nfw, other };

/// The model of a generator's name; `other` for all other names.
inline BodyModel body_model(std::string_view generator) {
  return generator == "plummer" ? BodyModel::plummer
         : generator == "nfw"   ? BodyModel::nfw
                                : BodyModel::other;
}

/// The median relative error of accelerations: with 30,000 bodies the largest of those measured for
/// the walks of this decider, in float. Between and beyond the measured opening angles, 0.2 to 1,
/// it is a power of theta; with the relative criterion, which Decider::nodes cannot have, a power
/// of alpha, 1e-4 to 0.0625. With theta = 0, or alpha = 0, it is 0.
///
/// With fewer bodies fewer errors cancel, so it grows as (30,000 / bodies)^(1/3) (measured: 4 times
/// at 300). That of NFW haloes with an opening angle grows with more bodies, as
/// (bodies / 30,000)^(1/4), and with fewer than 2000, as (2000 / bodies)^(1/3). In between it is
/// that of 30,000 bodies, but follows the fourth root down to 2000 bodies if the criterion is
/// OpeningKind::barnes. Errors of single runs were up to 1.5 times as large.
/// \param order  highest rank of the moments, 1 to 4
/// \param model  `other`: the largest of NFW haloes and a uniform box; so is `nfw` with
///               Decider::nodes
double measured_median_error(const OpeningCriterion& criterion, Count order, Decider decider,
                             BodyModel model, Count bodies);

/// Limit of rounding errors. Measured: direct sums in float have a median error of 3e-7.
inline constexpr double field_rounding = 5e-6;

/// Measured 99th percentiles are below 31 medians.
inline constexpr double p99_of_median = 32.0;
/// The same where nodes decide, whose errors spread more: measured are 126 medians and less.
inline constexpr double p99_of_nodes = 128.0;

/// The factor by which the 99th percentile of a walk may grow with few bodies or few targets, where
/// one body whose pulls cancel determines it. Measured 99th percentiles, by bmax and changa, order
/// 4, theta = 1, over 2 * p99_of_median * measured_median_error: 0.8 with 1000 bodies, 1.5 with
/// 500, 3.4 with 100, all of them targets; 6.1 for 100 targets of 500 bodies, 1.1 for 100 of 5000.
inline double spread_of_few(Count bodies, Count targets) {
  constexpr double enough_bodies = 2000.0, enough_targets = 1000.0;
  return std::max({1.0, enough_bodies / static_cast<double>(std::max<Count>(bodies, 1)),
                   enough_targets / static_cast<double>(std::max<Count>(targets, 1))});
}

/// Limit of the largest relative error against fields of a walk's own decisions, whose expansions
/// are exact: rounding errors of sums in float over `cells` accepted nodes and `bodies` of leaves
/// for each target.
/// Measured: 7.2e-6 and less for 300 to 100,000 bodies and theta of 0.6 and 1, 2.1e-5 for 5600
/// nodes per body in a uniform box, where pulls cancel. Bodies are added up in leaves first.
inline double expansion_tolerance(double cells, double bodies) {
  return 2e-5 + 1e-8 * (cells + bodies / 8.0);
}

}  // namespace copse
