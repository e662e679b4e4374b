#include "request.hpp"

#include "methods.hpp"
#include <copse/backend/error.hpp>
#include <copse/backend/lanes.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse::gravity {
namespace {

/// CLI11's range checks accept NaN.
void require_number(const char* option, double value, double least) {
  if (!(value >= least) || std::isinf(value))
    throw InputError(fmt::format("{} {} is not a number of at least {}", option, value, least));
}

/// The widest angle that changes an opening radius, which is never below the node's reach b.
double widest_angle(OpeningKind kind) {
  if (kind == OpeningKind::bmax) return 1.0;                     // b / theta
  if (kind == OpeningKind::changa) return 2.0 / std::sqrt(3.0);  // 2 b / (sqrt(3) theta)
  return std::numeric_limits<double>::infinity();                // side / theta and more
}

template <class Names>
std::size_t index_of(const Names& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<std::string> with(std::vector<std::string> names, const std::string& more) {
  names.push_back(more);
  return names;
}

}  // namespace

void Request::declare(CLI::App& cli) {
  app::add_choice_option(cli, "--method", method, with(with(method_names(), "auto"), "all"),
                         "How fields are computed; all: every method but direct");
  app::add_count_option(cli, "--bucket-size", bucket_size,
                        "Most bodies in a leaf; 0: the method's best on the backend", 0);
  app::add_count_option(cli, "--order", order, "Highest rank of the moments: 1 to 4");
  cli.add_option("--theta", theta, "Opening angle; 0 opens every node")->type_name("FLOAT");
  app::add_choice_option(cli, "--mac", mac, {opening_names.begin(), opening_names.end()},
                         "Which opening radius a node has");
  app::add_choice_option(cli, "--softening-kernel", softening_kernel,
                         {softening_names.begin(), softening_names.end()},
                         "How near pairs are softened");
  cli.add_option("--softening", softening,
                 "Softening length of all bodies; spline: 0 takes the input's own lengths")
      ->type_name("FLOAT");
  cli.add_option("--G", g, "Gravitational constant")->type_name("FLOAT");
  app::add_choice_option(cli, "--walk", walk, with({walk_names.begin(), walk_names.end()}, "auto"),
                         "Walk of the method particle");
  app::add_choice_option(cli, "--leaf-rule", leaf_rule,
                         {leaf_rule_names.begin(), leaf_rule_names.end()},
                         "Method lists: what becomes of an undecided source leaf");
  app::add_count_option(cli, "--targets", targets,
                        "Bodies whose field is compared with a direct sum", 0);
  app::add_count_option(cli, "--steps", steps,
                        "Leapfrog steps; 0: fields only. Velocities are those of the input", 0);
  cli.add_option("--dt", dt, "Length of a step")->type_name("FLOAT");
  app::add_count_option(cli, "--snapshot-every", snapshot_every,
                        "Steps between snapshots OUTPUT.<step>.std; 0: after the last step only",
                        0);
  CLI::Option* const continued =
      cli.add_option("--restart", restart,
                     "Continue from OUTPUT.restart.hdf5 of a run with the same options")
          ->type_name("FILE");
  for (const char* other : {"--generate", "--particles", "--seed", "--input", "--subsample"})
    if (CLI::Option* const option = cli.get_option_no_throw(other)) continued->excludes(option);
}

void Request::check_motion(const app::CommonOptions& common) const {
  if (steps == 0) {
    if (dt != 0.0 || snapshot_every > 0 || !restart.empty())
      throw InputError("--dt, --snapshot-every and --restart are for --steps of at least 1");
    return;
  }
  if (!(dt > 0.0) || std::isinf(dt))
    throw InputError(fmt::format("--steps needs a positive --dt, not {}", dt));
  if (method == "all") throw InputError("--steps needs one --method, not all");
  if (snapshot_every > 0 && !common.output) throw InputError("--snapshot-every needs --output");
}

void Request::settle(const app::CommonOptions& common) {
  require_number("--theta", theta, 0.0);
  require_number("--softening", softening, 0.0);
  require_number("--G", g, 0.0);
  if (g == 0.0) throw InputError("--G 0 leaves no gravity: it must be positive");
  if (order > 4) throw InputError(fmt::format("--order {}: moments have ranks 1 to 4", order));
  if (bucket_size > 1024)
    throw InputError(fmt::format("--bucket-size {} is more than 1024", bucket_size));
  if (common.verify && targets == 0) throw InputError("--verify needs --targets of at least 1");
  leaf_rule_kind = static_cast<LeafRule>(index_of(leaf_rule_names, leaf_rule));
  kernel = static_cast<SofteningKernel>(index_of(softening_names, softening_kernel));
  check_motion(common);
  if (needs_lengths() && !common.input && restart.empty())
    throw InputError(
        "--softening-kernel spline needs --softening, or an --input with softening lengths");
  criterion = {static_cast<OpeningKind>(index_of(opening_names, mac)), theta};
  if (theta > widest_angle(criterion.kind))
    throw InputError(
        fmt::format("--theta {} is too wide for --mac {}: beyond {:.4g} it has no effect", theta,
                    mac, widest_angle(criterion.kind)));

  if (method == "all") {
    methods = method_names();
    std::erase(methods, "direct");
    if (kernel == SofteningKernel::spline) std::erase(methods, "fmm");
  } else {
    methods = {method == "auto" ? "breadth" : method};
  }
  if (method == "fmm" && kernel == SofteningKernel::spline)
    throw InputError("--method fmm has no spline softening");
  if (walk != "auto" && std::find(methods.begin(), methods.end(), "particle") == methods.end())
    throw InputError(fmt::format("--walk {} is for --method particle", walk));
  if (leaf_rule != "deferred" &&
      std::find(methods.begin(), methods.end(), "lists") == methods.end())
    throw InputError(fmt::format("--leaf-rule {} is for --method lists", leaf_rule));
  const bool on_device = common.backend == "cuda";
  if (walk == "recursive" && on_device) throw InputError("--walk recursive runs on hosts only");
  walk_kind = walk == "auto" ? on_device || packets_are_vectors ? WalkKind::fsm : WalkKind::stack
                             : static_cast<WalkKind>(index_of(walk_names, walk));
}

std::uint32_t Request::bucket_size_of(const std::string& name, const std::string& backend) const {
  if (bucket_size > 0) return static_cast<std::uint32_t>(bucket_size);
  const MethodInfo& info = method_named(name);
  return backend == "cuda" ? info.device_bucket : info.host_bucket;
}

}  // namespace copse::gravity
