#pragma once
/// \file
/// The request: the command-line options of a run and the settings derived from them.

#include "dual_walk.hpp"
#include <copse/app/command_line.hpp>
#include <copse/gravity/gravity_tree.hpp>
#include <copse/gravity/inclusion.hpp>
#include <copse/gravity/softening.hpp>
#include <copse/traversal/walk_kind.hpp>
#include <copse/tree/octree.hpp>

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace copse::gravity {

struct Request {
  std::string method = "auto";
  std::string tree = "octree";
  Count bucket_size = 0;  ///< 0: the method's best
  Count order = 2;        ///< highest rank of the moments, 1 to 4
  double theta = 0.55;
  std::string mac = "bmax";
  double alpha = 0.0025;   ///< of the relative criterion
  double softening = 0.0;  ///< length of all bodies
  std::string softening_kernel = "plummer";
  double g = 1.0;                ///< gravitational constant
  bool periodic = false;         ///< the box is a periodic cube
  std::optional<double> period;  ///< its side; empty: that of the input's box
  std::string walk = "auto";
  std::string leaf_rule = "deferred";
  std::string inclusion = "none";
  bool count_repeats = false;    ///< of a stateless resume, and nothing else
  Count cache_depth = 4;         ///< levels of a subtree that arrives
  double active_fraction = 1.0;  ///< of the bodies, whose fields are computed
  double host_share = 0.0;       ///< of the targets, for which the host walks beside the device
  Count targets = 10'000;        ///< bodies whose field is compared with a direct sum
  Count steps = 0;               ///< leapfrog steps; 0: fields only
  double dt = 0.0;               ///< length of a step
  Count snapshot_every = 0;      ///< steps between snapshots; 0: only the last
  std::string restart;           ///< file to continue from, or empty
  std::string remote = "auto";   ///< how ranks get parts of others' trees; auto: let on many ranks
  std::string weights = "work";  ///< by what domains are cut
  bool model = false;            ///< predict more ranks
  double latency = 2e-6;         ///< of a message, seconds, in the model
  double network = 10.0;         ///< 10^9 bytes per second that a rank sends, in the model
  Count remote_memory = 0;       ///< MiB of other ranks' nodes and bodies; 0: no limit

  std::vector<std::string> methods;  ///< `method` expanded by `settle`
  Branching branching = Branching::octree;
  WalkKind walk_kind = WalkKind::fsm;
  Inclusion inclusion_kind = Inclusion::none;
  LeafRule leaf_rule_kind = LeafRule::deferred;
  OpeningCriterion criterion;
  SofteningKernel kernel = SofteningKernel::plummer;

  void declare(CLI::App& cli);
  /// Checks that the options are consistent and fills the derived settings.
  /// \throws InputError for impossible values and combinations
  void settle(const app::CommonOptions& common);

  /// Checks the options that depend on the number of ranks, and settles `remote`. "none" is one
  /// rank that does not use SharedTree.
  /// \throws InputError for options that these ranks do not support
  void settle_ranks(int ranks, const app::CommonOptions& common);

  /// Spline softening by the input's lengths.
  bool needs_lengths() const { return kernel == SofteningKernel::spline && softening == 0.0; }
  bool is_relative() const { return criterion.kind == OpeningKind::relative; }
  std::uint32_t bucket_size_of(const std::string& method, const std::string& backend) const;

 private:
  const CLI::App* cli_ = nullptr;  ///< while options are parsed

  void check_active(const app::CommonOptions& common) const;
  void check_inclusion(const app::CommonOptions& common) const;
  void check_share() const;
  void check_remote() const;
  void check_stateless();
  void check_motion(const app::CommonOptions& common) const;
};

}  // namespace copse::gravity
