#include "request.hpp"

#include "methods.hpp"
#include "output.hpp"
#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse::collide {
namespace {

/// Of sweep-regions.
constexpr Count most_regions = 4096;

std::vector<std::string> method_choices() {
  auto names = method_names();
  names.emplace_back("auto");
  names.emplace_back("all");
  return names;
}

/// Of cells-persistent by `auto`. On an H200, 100 steps of 10^4 particles take 12.2 us a step, and
/// 20.9 us with cells; of 10^5 they take 28.3 and 24.6 us. With many
/// particles the launches cost little, and cells queues them ahead.
constexpr Count most_persistent = 50'000;

/// The method of `auto`; on several ranks settle_ranks replaces cells-persistent by cells. On one
/// core with AVX-512, in the course's gas, strips make 1.2 10^8 particle-steps/s, cells and lists
/// 2 10^7. In a Lennard-Jones liquid lists make 3.1 10^6 and strips 1.8 10^6. The density of an
/// input is not known here, so a dilute Lennard-Jones gas gets lists too. Strips need a host and
/// particles of one size.
std::string best_method(const std::string& backend, Count particles, double radius_spread,
                        ForceKind force) {
  if (force == ForceKind::lennard_jones) return "verlet";
  if (runs_on(method_named("strips"), backend)) return radius_spread == 1.0 ? "strips" : "cells";
  return particles <= most_persistent ? "cells-persistent" : "cells";
}

}  // namespace

void Request::declare(CLI::App& cli) {
  app::add_choice_option(cli, "--method", method, method_choices(),
                         "How contacts are found; all: every method of the backend");
  app::add_count_option(cli, "--dimensions", dimensions, "2 or 3");
  app::add_choice_option(cli, "--force", force_name, {force_names.begin(), force_names.end()},
                         "What particles in contact do to each other");
  app::add_flag(cli, "--periodic", periodic, "The region repeats; without, it has walls");
  app::add_count_option(cli, "--steps", steps, "Steps of a run");
  app::add_number_option(cli, "--dt", dt, "Length of a step; 0.0005, or 0.002 for lennard-jones",
                         app::positive_numbers);
  app::add_number_option(cli, "--cutoff", cutoff,
                         "Distance of contact; 0.01, or 2.5 (so sigma is 1) for lennard-jones",
                         app::positive_numbers);
  app::add_number_option(
      cli, "--density", density,
      "Of --generate cs267 and gas: particles per square or cube of the cutoff, or of sigma for "
      "lennard-jones; 0.2, or 0.8442",
      app::positive_numbers);
  app::add_number_option(cli, "--temperature", temperature,
                         "Of --generate gas: mean of m v^2 per axis; that of cs267, or 1.44 for "
                         "lennard-jones",
                         app::nonnegative_numbers);
  app::add_number_option(
      cli, "--radius-spread", radius_spread,
      "Largest size of a particle over the smallest; sizes are log-uniform, and the "
      "smallest pair meets at the cutoff",
      {1.0, 1000.0, "1 to 1000"});
  app::add_choice_option(cli, "--integrator", integrator, {"euler", "leapfrog"},
                         "euler: kick and drift, as published; leapfrog: half a kick before and "
                         "after");
  app::add_choice_option(cli, "--summation", summation, {"ordered", "any"},
                         "ordered: contacts by ascending id, the same bits everywhere; any: as "
                         "they are found");
  app::add_number_option(cli, "--cell-side", cell_side,
                         "Side of the cells of a grid, in cutoffs with skin",
                         {0.1, std::numeric_limits<double>::max(), "at least 0.1"});
  app::add_count_option(cli, "--regions", regions,
                        "Regions of sweep-regions; 0: one for each thread", 0);
  app::add_number_option(
      cli, "--skin", skin,
      "What a search reaches beyond contact, in cutoffs, so that its grid or lists "
      "serve several steps; by default what the method does best with",
      {0.0, 100.0, "0 to 100"});
  std::vector<std::string> variants{slots_variant_names.begin(), slots_variant_names.end()};
  variants.emplace_back("auto");
  app::add_choice_option(cli, "--slots-variant", slots_variant, variants,
                         "Step of --method microblocks-slots; auto is thread-per-particle");
  app::add_choice_option(cli, "--domains", domains, {"orb", "grid"},
                         "Of several ranks: equal numbers of particles, or equal boxes; without "
                         "effect on one rank");
  app::add_choice_option(cli, "--ghosts", ghosts, {"all", "delta"},
                         "Sent to other ranks when ghosts are chosen anew: all of them, or lists "
                         "of new, moved and deleted ones; without effect on one rank");
  app::add_count_option(cli, "--rebalance", rebalance,
                        "Steps between new ORB domains; 0: none; without effect on one rank", 0);
  app::add_count_option(cli, "--save-every", save_every,
                        "Steps between frames in --output, the first after step 1, and between "
                        "records of a long run; 0: one frame, after the last step",
                        0);
  app::add_number_option(cli, "--radial-range", radial_range,
                         "Also compute g(r) of the last state up to this distance, in cutoffs",
                         app::nonnegative_numbers);
  app::add_parsed_option(cli, "--restart", "FILE",
                         "Continue from OUTPUT.restart.hdf5 of a run with the same options",
                         [this](const std::string& text) { restart = text; });
  app::exclude_options(cli, "--restart",
                       {"--generate", "--particles", "--seed", "--halo-fraction", "--input",
                        "--subsample", "--box", "--density", "--temperature"});
}

void Request::settle(const app::CommonOptions& common) {
  const auto kind = static_cast<ForceKind>(
      std::find(force_names.begin(), force_names.end(), force_name) - force_names.begin());
  const bool lj = kind == ForceKind::lennard_jones;
  const double reach = cutoff.value_or(lj ? Force::reach_in_sigma : 0.01);
  force = {kind, reach, lj ? 1.0 : 0.01, kind == ForceKind::soft_sphere ? 0.1 : 1.0};
  if (dimensions != 2 && dimensions != 3)
    throw InputError(fmt::format("--dimensions {} is neither 2 nor 3", dimensions));
  if (regions > most_regions)
    throw InputError(fmt::format("--regions {} is more than {}", regions, most_regions));
  if (steps > most_steps || save_every > most_steps)
    throw InputError(fmt::format("--steps and --save-every are at most {}", most_steps));
  if (common.output) check_output_name(*common.output);
  const bool generated = !common.input && restart.empty();
  if (generated && common.generate == "cs267" && dimensions == 3 && lj)
    throw InputError("--force lennard-jones needs --generate gas or an --input");
  if (generated && common.used_particles() >= most_particles)
    throw InputError(fmt::format("--particles {}: at most {} can be numbered", common.particles,
                                 most_particles - 1));
  if (rebalance > 0 && domains == "grid")
    throw InputError("--rebalance moves the borders of --domains orb, not those of a grid");
  if (common.subsample) throw InputError("--subsample is for --input only");

  if (method == "all") {
    for (const MethodInfo& info : collide::methods())
      if (runs_on(info, common.backend) && (info.takes_sizes || radius_spread == 1.0))
        methods.emplace_back(info.name);
  } else {
    const Count known = generated ? common.used_particles() : std::numeric_limits<Count>::max();
    methods = {method == "auto" ? best_method(common.backend, known, radius_spread, kind) : method};
    const MethodInfo& info = method_named(methods.front());
    if (!runs_on(info, common.backend))
      throw InputError(
          fmt::format("--method {} does not run on --backend {}", info.name, common.backend));
    if (!info.takes_sizes && radius_spread > 1.0)
      throw InputError(
          fmt::format("--method {} is for particles of one size, not --radius-spread {}", info.name,
                      radius_spread));
  }
  refuse_without_effect(common);
}

void Request::refuse_without_effect(const app::CommonOptions& common) const {
  const std::string start = common.input ? "" : common.generate;  // --restart excludes both options
  if (temperature && start != "gas") throw InputError("--temperature is for --generate gas");
  if (density && start != "cs267" && start != "gas")
    throw InputError("--density is for --generate cs267 and gas: other starts have a region");
  if (slots_variant != "auto" && !runs_any_of({"microblocks-slots"}))
    throw InputError("--slots-variant is for --method microblocks-slots");
  if (regions > 0 && !runs_any_of({"sweep-regions"}))
    throw InputError("--regions is for --method sweep-regions");
  if (cell_side != Request{}.cell_side &&
      !runs_any_of({"cells", "cells-persistent", "cells-tiled"}))
    throw InputError(
        fmt::format("--cell-side is for --method cells, cells-persistent and cells-tiled, not {}",
                    methods.front()));
}

bool Request::runs_any_of(std::initializer_list<const char*> names) const {
  return std::find_first_of(methods.begin(), methods.end(), names.begin(), names.end()) !=
         methods.end();
}

SlotsVariant Request::variant_of_slots() const {
  if (slots_variant == "auto") return SlotsVariant::thread_per_particle;
  return static_cast<SlotsVariant>(
      std::find(slots_variant_names.begin(), slots_variant_names.end(), slots_variant) -
      slots_variant_names.begin());
}

void Request::settle_ranks(int ranks) {
  if (ranks == 1) {
    if (skin && !runs_any_of({"cells", "cells-persistent", "cells-tiled", "verlet"}))
      throw InputError(
          fmt::format("--skin is for --method cells, cells-persistent, cells-tiled and verlet, or "
                      "several ranks, not for {}",
                      methods.front()));
    return;
  }
  // cells-persistent cannot exchange ghosts between the steps of its kernel.
  if (method == "auto" && methods.front() == "cells-persistent") methods = {"cells"};
}

double Request::step_length() const {
  return dt.value_or(force.kind == ForceKind::lennard_jones ? 0.002 : 0.0005);
}

double Request::region_side(Count particles) const {
  const bool lj = force.kind == ForceKind::lennard_jones;
  const auto n = static_cast<double>(particles);
  // The course's own expression, which decides the last bit.
  if (!lj && !density && !cutoff && dimensions == 2) return std::sqrt(0.0005 * n);
  const double d = lj ? force.cutoff / Force::reach_in_sigma : force.cutoff;
  const double volume = n / density.value_or(lj ? 0.8442 : 0.2);
  return d * (dimensions == 2 ? std::sqrt(volume) : std::cbrt(volume));
}

}  // namespace copse::collide
