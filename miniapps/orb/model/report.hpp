#pragma once
/// \file
/// `orb --model`: predicted runtimes, beside measured ones where a run was made.

#include "traffic.hpp"
#include <copse/app/session.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace copse::orb::model {

/// Values of `--model` and what belongs to it.
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

/// \throws InputError for values out of range
void validate_model_options(const ModelOptions& options);

/// A run by all ranks of the session: median seconds of a build whose particles were in place
/// already, so the prediction beside it leaves out their transfer to the device.
struct MeasuredRun {
  std::string backend;
  Variant variant;
  double seconds = 0;
  double steps = 0;  ///< mean steps of its bisections; 0: not counted, the model's p then
  Reshuffle reshuffle = Reshuffle::global;  ///< of several ranks
};

/// The variant that a run on `backend` is, by its names on the command line. On a backend of the
/// host all placements are the host; quickselect and sampled-bisection are modelled as the searches
/// they resemble, selection and bisection.
Variant modelled_variant(std::string_view backend, std::string_view placement = "best",
                         std::string_view cut = "select");

/// Prints the model's tables for `particles`, those of the run, or for the options' own number, and
/// fills `results.model` of the report. This machine is measured unless the run is a dry one: by
/// all ranks at once, so that ranks of one node get their share of it. Collective.
void report_model(app::Session& session, const ModelOptions& options, Count particles,
                  std::uint32_t leaves, const std::vector<MeasuredRun>& measured);

}  // namespace copse::orb::model
