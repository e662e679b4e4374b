#pragma once
/// \file
/// `orb --model`: predicted run times, compared with measured ones if there was a run.

#include "traffic.hpp"
#include <copse/app/session.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace copse::orb::model {

/// Values of `--model` and its related options.
struct ModelOptions {
  std::string kind;     ///< "thesis", "corrected"; empty: no model
  Count particles = 0;  ///< 0: those of the run
  double steps = 32;    ///< p, steps of a bisection
  Count ranks = 0;      ///< 0: those of the run
  double network = 0;   ///< bytes per second that a rank sends; 0: not known
  std::string reshuffle = "global";
};

/// Declares the options.
void add_model_options(CLI::App& cli, ModelOptions& options);

/// \throws InputError for values out of range, and for values that no model uses
void validate_model_options(const ModelOptions& options);

/// A run by all ranks of the session: median seconds of a build whose particles were already in
/// place, so the prediction excludes their transfer to the device.
struct MeasuredRun {
  std::string backend;
  Variant variant;
  double seconds = 0;
  double steps = 0;  ///< mean steps of its bisections; 0: not counted, the model's p is used
  Reshuffle reshuffle = Reshuffle::global;  ///< for several ranks
  bool is_send = false;  ///< not a build, but the transfer of all positions from host memory
};

/// The model's variant for a run on `backend`, from its command-line names. On a host backend all
/// placements are the host; quickselect is modelled as selection and sampled-bisection as
/// bisection.
Variant modelled_variant(std::string_view backend, std::string_view placement = "best",
                         std::string_view cut = "select");

/// Prints the model's tables for `particles`, the number in the run, or for the number in the
/// options, and fills `results.model` of the report. Measures this machine except in a dry run: by
/// all ranks at once, so that ranks of one node share its bandwidth. Collective.
void report_model(app::Session& session, const ModelOptions& options, Count particles,
                  std::uint32_t leaves, const std::vector<MeasuredRun>& measured);

}  // namespace copse::orb::model
