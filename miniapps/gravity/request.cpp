#include "request.hpp"

#include "methods.hpp"
#include "output.hpp"
#include <copse/app/choices.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/lanes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse::gravity {
namespace {

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
  app::add_choice_option(
      cli, "--method", method, app::names_of(gravity::methods(), {"auto", "all"}),
      "How fields are computed; auto: breadth, or on hosts particle for very few active "
      "bodies; all: every method but direct");
  app::add_choice_option(cli, "--tree", tree, {branching_names.begin(), branching_names.end()},
                         "What a node is split into: octants, or halves along x, y, z in turn");
  app::add_count_option(cli, "--bucket-size", bucket_size,
                        "Most bodies in a leaf; 0: the method's best on the backend", 0);
  app::add_count_option(cli, "--order", order,
                        "Highest rank of the moments: 1 (mass) to 4 (hexadecapole)");
  app::add_number_option(cli, "--theta", theta,
                         "Opening angle in radians; smaller is more accurate, 0 opens every node",
                         app::nonnegative_numbers);
  app::add_choice_option(cli, "--mac", mac, {opening_names.begin(), opening_names.end()},
                         "Which opening radius a node has");
  app::add_number_option(cli, "--alpha", alpha,
                         "Of --mac relative: accepted error of a node's pull as a part of the last "
                         "acceleration; 0 opens every node. --theta is then of the first fields",
                         app::nonnegative_numbers);
  app::add_choice_option(cli, "--softening-kernel", softening_kernel,
                         {softening_names.begin(), softening_names.end()},
                         "How near pairs are softened");
  app::add_number_option(cli, "--softening", softening,
                         "Softening length of all bodies; spline: 0 takes the input's own lengths",
                         app::nonnegative_numbers);
  app::add_number_option(cli, "--G", g, "Gravitational constant", app::positive_numbers);
  app::add_number_option(cli, "--periodic", period,
                         "Repeat the box in all directions; it is a cube with this "
                         "side, or by default the input's",
                         app::positive_numbers);
  app::make_value_optional(cli, "--periodic");
  app::add_choice_option(cli, "--walk", walk, with({walk_names.begin(), walk_names.end()}, "auto"),
                         "Walk of the method particle");
  app::add_choice_option(
      cli, "--leaf-rule", leaf_rule, {leaf_rule_names.begin(), leaf_rule_names.end()},
      "Method lists: what happens to a source leaf that is near only some targets");
  app::add_choice_option(cli, "--inclusion", inclusion,
                         {inclusion_names.begin(), inclusion_names.end()},
                         "How opening radii are enlarged so that whoever opens a node opens all "
                         "nodes above it");
  app::add_flag(cli, "--count-repeats", count_repeats,
                "Only count what buckets would add twice if the tree arrived in subtrees and "
                "nobody remembered where a bucket had stopped");
  app::add_count_option(cli, "--cache-depth", cache_depth,
                        "Levels of a subtree that arrives, of --count-repeats and of ways of "
                        "--remote that ask");
  app::add_number_option(
      cli, "--active-fraction", active_fraction,
      "Part of the bodies whose fields are computed, as in a block of time steps: above 0, "
      "at most 1");
  app::add_number_option(
      cli, "--host-share", host_share,
      "Part of these bodies, below 1, for which the host walks while the device walks for the "
      "others; the run measures how much of it is hidden");
  app::add_count_option(cli, "--targets", targets,
                        "Bodies whose field is compared with a direct sum in double", 0);
  app::add_count_option(cli, "--steps", steps,
                        "Leapfrog steps; 0: fields only. Velocities are those of the input", 0);
  app::add_number_option(cli, "--dt", dt, "Length of a step", app::nonnegative_numbers);
  app::add_count_option(cli, "--snapshot-every", snapshot_every,
                        "Steps between snapshots OUTPUT.<step>.std; 0: after the last step only",
                        0);
  app::add_parsed_option(cli, "--restart", "FILE",
                         "Continue from OUTPUT.restart.hdf5 of a run with the same options",
                         [this](const std::string& text) { restart = text; });
  app::exclude_options(cli, "--restart",
                       {"--generate", "--particles", "--seed", "--input", "--subsample"});
  app::add_choice_option(cli, "--remote", remote,
                         {"auto", "let", "request", "sparse", "approximate", "stateless"},
                         "How ranks get what their bodies need of other ranks' trees; let: local "
                         "essential trees, sent before anyone walks; request: walks that stop at "
                         "missing nodes ask for them; sparse: the same, and go on there; "
                         "approximate: the host asks for what the box "
                         "of its bodies may open; stateless: every bucket walks every subtree that "
                         "arrives, and may add masses twice, which are counted; auto: let on "
                         "several ranks, nothing on one");
  app::add_choice_option(cli, "--weights", weights, {"work", "number"},
                         "Over ranks: domains have equal shares of the last walk's work, or equal "
                         "numbers of bodies; without effect on one rank");
  app::add_count_option(cli, "--remote-memory", remote_memory,
                        "MiB of a rank for nodes and bodies of others; 0: no limit", 0);
  app::add_flag(cli, "--model", model,
                "Predict bytes and seconds on up to 10^5 ranks from this run of several");
  app::add_number_option(cli, "--model-latency", latency, "Of --model: seconds of a message");
  app::add_number_option(cli, "--model-network", network,
                         "Of --model: GB/s (10^9 bytes) that a rank sends");
  cli_ = &cli;
}

void Request::check_remote() const {
  for (const std::string& name : methods)
    if (name != "breadth" && name != "bucket" && name != "particle")
      throw InputError(
          fmt::format("--method {} runs on one rank: start it without mpirun, or choose breadth, "
                      "bucket or particle",
                      name));
  if (periodic) throw InputError("--periodic runs on one rank: start it without mpirun");
  if (count_repeats) throw InputError("--count-repeats runs on one rank: start it without mpirun");
  if (active_fraction < 1.0)
    throw InputError("--active-fraction runs on one rank: start it without mpirun");
  if (host_share > 0.0) throw InputError("--host-share runs on one rank: start it without mpirun");
}

void Request::check_stateless() {
  if (method != "auto" && method != "bucket")
    throw InputError(
        fmt::format("--remote stateless is of buckets, not of --method {}: choose bucket", method));
  if (is_relative())
    throw InputError("--remote stateless needs opening radii, and --mac relative has none");
  if (kernel == SofteningKernel::spline)
    throw InputError(
        "--remote stateless is for Plummer softening: with a spline, overlap opens "
        "nodes too");
  methods = {"bucket"};
}

void Request::settle_ranks(int ranks, const app::CommonOptions& common) {
  if (remote == "auto") remote = ranks > 1 ? "let" : "none";
  const bool asks = remote != "none" && remote != "let";
  if (cache_depth != Request{}.cache_depth && !asks && !count_repeats)
    throw InputError(fmt::format(
        "--cache-depth {} is for --count-repeats and for ways of --remote that ask for nodes",
        cache_depth));
  if (model && asks) throw InputError("--model predicts --remote let, no other way");
  if (remote == "none") {
    if (remote_memory > 0) throw InputError("--remote-memory is for several ranks or a --remote");
    if (model) throw InputError("--model needs a run of at least 2 ranks");
    return;
  }
  if (method == "all")
    std::erase_if(methods, [](const auto& name) { return name == "fmm" || name == "lists"; });
  check_remote();
  if (remote == "stateless") check_stateless();
  if (model && (ranks < 2 || steps > 0))
    throw InputError("--model needs a run of at least 2 ranks, without --steps");
  if (!(latency >= 0.0) || std::isinf(latency) || !(network > 0.0) || std::isinf(network))
    throw InputError("--model-latency must not be negative, and --model-network must be positive");
  if (common.dry_run) throw InputError("--dry-run is for one rank: start it without mpirun");
}

void Request::check_active(const app::CommonOptions& common) const {
  if (!(active_fraction > 0.0 && active_fraction <= 1.0))
    throw InputError(
        fmt::format("--active-fraction {} is not above 0 and at most 1", active_fraction));
  if (active_fraction == 1.0) return;
  if (steps > 0)
    throw InputError(
        "--active-fraction measures one walk: --steps moves all bodies by steps of one length");
  if (common.output) throw InputError("--output needs all fields, not an --active-fraction");
}

void Request::check_inclusion(const app::CommonOptions& common) const {
  const bool enlarges = inclusion_kind != Inclusion::none;
  if ((enlarges || count_repeats) && is_relative())
    throw InputError(
        "--inclusion and --count-repeats need opening radii, and --mac relative has none");
  if ((enlarges || count_repeats) && kernel == SofteningKernel::spline)
    throw InputError(
        "--inclusion and --count-repeats are for Plummer softening: with a spline, overlap opens "
        "nodes too");
  if (enlarges && criterion.kind == OpeningKind::changa && bucket_size > 0 &&
      bucket_size < always_opened_by_changa)
    throw InputError(fmt::format(
        "--inclusion needs a --bucket-size of at least {} with --mac changa: inner nodes of fewer "
        "bodies are always opened",
        always_opened_by_changa));
  if (!count_repeats) return;
  if (method != "auto" && method != "bucket")
    throw InputError(fmt::format("--count-repeats is of buckets, not of --method {}", method));
  if (periodic || steps > 0 || active_fraction < 1.0 || host_share > 0.0 || common.output)
    throw InputError(
        "--count-repeats computes no fields: not with --periodic, --steps, --active-fraction, "
        "--host-share or --output");
}

void Request::check_share() const {
  if (!(host_share >= 0.0 && host_share < 1.0))
    throw InputError(fmt::format("--host-share {} is not at least 0 and below 1", host_share));
  if (host_share == 0.0) return;
  if (steps > 0) throw InputError("--host-share measures one walk, not --steps");
  if (periodic) throw InputError("--host-share is for isolated bodies, not for --periodic");
  for (const std::string& name : methods)
    if (!method_named(name).shareable)
      throw InputError(fmt::format("--host-share is not for --method {}", name));
}

void Request::check_motion(const app::CommonOptions& common) const {
  if (steps == 0) {
    if (dt != 0.0 || snapshot_every > 0 || !restart.empty())
      throw InputError("--dt, --snapshot-every and --restart are for --steps of at least 1");
    return;
  }
  if (dt == 0.0) throw InputError("--steps needs a positive --dt");
  if (method == "all") throw InputError("--steps needs one --method, not all");
  if (common.output && names_hdf5(*common.output))
    throw InputError(fmt::format(
        "--output {}: with --steps it is the beginning of several names, not one HDF5 file",
        common.output->string()));
  if (snapshot_every > 0 && !common.output) throw InputError("--snapshot-every needs --output");
}

void Request::settle(const app::CommonOptions& common) {
  periodic = periodic || (cli_ != nullptr && app::is_given(*cli_, "--periodic"));
  if (method == "direct" && cli_ != nullptr)
    for (const char* option :
         {"--theta", "--order", "--bucket-size", "--mac", "--tree", "--inclusion"})
      if (app::is_given(*cli_, option))
        throw InputError(
            fmt::format("{} is for methods with a tree, not for --method direct", option));
  if (!model && cli_ != nullptr)
    for (const char* option : {"--model-latency", "--model-network"})
      if (app::is_given(*cli_, option)) throw InputError(fmt::format("{} needs --model", option));
  if (count_repeats && cli_ != nullptr)
    for (const char* option : {"--order", "--softening", "--G", "--targets"})
      if (app::is_given(*cli_, option))
        throw InputError(fmt::format("--count-repeats computes no fields: not with {}", option));
  if (steps > 0 && cli_ != nullptr && app::is_given(*cli_, "--targets"))
    throw InputError("--targets is for fields, not for --steps");
  cli_ = nullptr;  // valid only during the parse
  if (order > 4) throw InputError(fmt::format("--order {}: moments have ranks 1 to 4", order));
  if (bucket_size > 1024)
    throw InputError(fmt::format("--bucket-size {} is more than 1024", bucket_size));
  if (common.verify && targets == 0) throw InputError("--verify needs --targets of at least 1");
  branching = static_cast<Branching>(index_of(branching_names, tree));
  leaf_rule_kind = static_cast<LeafRule>(index_of(leaf_rule_names, leaf_rule));
  inclusion_kind = static_cast<Inclusion>(index_of(inclusion_names, inclusion));
  kernel = static_cast<SofteningKernel>(index_of(softening_names, softening_kernel));
  check_motion(common);
  check_active(common);
  if (needs_lengths() && !common.input && restart.empty())
    throw InputError(
        "--softening-kernel spline needs --softening, or an --input with softening lengths");
  criterion = {static_cast<OpeningKind>(index_of(opening_names, mac)), theta, alpha};
  check_inclusion(common);
  if (alpha != OpeningCriterion{}.alpha && !is_relative())
    throw InputError(fmt::format("--alpha {} is for --mac relative", alpha));
  if (theta > widest_angle(is_relative() ? OpeningKind::bmax : criterion.kind))
    throw InputError(
        fmt::format("--theta {} is too wide for --mac {}: beyond {:.4g} it has no effect", theta,
                    mac, widest_angle(is_relative() ? OpeningKind::bmax : criterion.kind)));

  if (method == "all") {
    methods = method_names();
    std::erase(methods, "direct");
    if (kernel == SofteningKernel::spline) std::erase(methods, "fmm");
    if (is_relative() || active_fraction < 1.0)
      std::erase_if(methods, [](const auto& name) { return !method_named(name).targets_decide; });
    if (host_share > 0.0)
      std::erase_if(methods, [](const auto& name) { return !method_named(name).shareable; });
  } else {
    methods = {method == "auto" ? best_method(common.backend, active_fraction) : method};
  }
  if (method == "fmm" && kernel == SofteningKernel::spline)
    throw InputError("--method fmm has no spline softening");
  if (is_relative() && !method_named(methods.front()).targets_decide)
    throw InputError(fmt::format(
        "--mac relative is for methods whose targets decide, not for --method {}", method));
  if (active_fraction < 1.0 && !method_named(methods.front()).targets_decide)
    throw InputError(fmt::format(
        "--active-fraction is for methods whose targets decide, not for --method {}", method));
  check_share();
  if (method == "direct") criterion.kind = OpeningKind::bmax;  // opens nothing by its last fields
  if (walk != "auto" && std::find(methods.begin(), methods.end(), "particle") == methods.end())
    throw InputError(fmt::format("--walk {} is for --method particle", walk));
  if (leaf_rule != "deferred" &&
      std::find(methods.begin(), methods.end(), "lists") == methods.end())
    throw InputError(fmt::format("--leaf-rule {} is for --method lists", leaf_rule));
  const bool on_device = common.backend == "cuda";
  if (walk == "recursive" && on_device) throw InputError("--walk recursive runs on hosts only");
  walk_kind =
      walk == "auto" ? usual_walk(on_device) : static_cast<WalkKind>(index_of(walk_names, walk));
}

std::uint32_t Request::bucket_size_of(const std::string& name, const std::string& backend) const {
  if (bucket_size > 0) return static_cast<std::uint32_t>(bucket_size);
  const MethodInfo& info = method_named(name);
  return backend == "cuda" ? info.device_bucket : info.host_bucket;
}

}  // namespace copse::gravity
