#pragma once
/// \file
/// The command line shared by all mini-apps.

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace copse::app {

class MiniApp;

/// Values of the shared options. `--help` documents each.
struct CommonOptions {
  std::string generate = "uniform";  ///< generator, unless `input` is set; the mini-app's first
  Count particles = 1'000'000;       ///< over all ranks; only for a generator
  std::uint64_t seed = 42;
  std::optional<double> halo_fraction;  ///< for the generator nfw; empty: its own default
  std::optional<std::filesystem::path> input;
  std::optional<Count> subsample;  ///< particles to keep of those generated or read, over all ranks
  std::optional<Box<3>> box;       ///< overrides the box of `input`
  std::string backend;             ///< a name `dispatch_backend` knows
  int repeat = 3;                  ///< timed runs after one untimed warm-up
  bool verify = false;
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> output;
  bool dry_run = false;
  bool quiet = false;
  bool kernel_times = false;

  /// Number of generated particles that a run uses, after sub-sampling.
  Count used_particles() const { return subsample.value_or(particles); }
};

/// An option and the value in effect, as text.
struct Parameter {
  enum class Kind : std::uint8_t { text, number, flag };

  std::string name;   ///< without dashes
  std::string value;  ///< a count in plain digits; a flag is "true" or "false"
  Kind kind = Kind::text;
};

struct CommandLine {
  CommonOptions options;
  std::vector<Parameter> parameters;          ///< every option in effect, including the mini-app's
  std::vector<std::string> kokkos_arguments;  ///< those that start with --kokkos-
  std::string information;  ///< not empty after --help, --version, --list: print it and exit
};

/// Parses without starting MPI, Kokkos or a device, and without touching a file.
/// \throws InputError for anything that is not an option or not a valid value.
CommandLine parse_command_line(int argc, const char* const* argv, MiniApp& mini_app);

// Options of mini-apps. Values must outlive the parse and hold the defaults. These functions cover
// what the mini-apps need, because a source that calls CLI11 takes several seconds longer to
// compile.

/// An option whose value is a count (see `parse_count`), at least `minimum`.
void add_count_option(CLI::App& cli, const std::string& name, Count& value,
                      const std::string& description, Count minimum = 1);

/// An option whose value is one of `choices`.
void add_choice_option(CLI::App& cli, const std::string& name, std::string& value,
                       const std::vector<std::string>& choices, const std::string& description);

/// An option without a value, which sets `value`.
void add_flag(CLI::App& cli, const std::string& name, bool& value, const std::string& description);

/// Numbers from `least` to `most`; NaN is in no range. --help shows `name`.
struct NumberRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::string name;
};
inline const NumberRange positive_numbers{std::numeric_limits<double>::min(),
                                          std::numeric_limits<double>::max(), "POSITIVE"};
inline const NumberRange nonnegative_numbers{0.0, std::numeric_limits<double>::max(),
                                             "NONNEGATIVE"};

/// An option whose value is a number in a range, which is never NaN.
/// \throws std::logic_error if no number is in the range, as with a NaN for a bound
void add_number_option(CLI::App& cli, const std::string& name, double& value,
                       const std::string& description, const NumberRange& range = {});
void add_number_option(CLI::App& cli, const std::string& name, std::optional<double>& value,
                       const std::string& description, const NumberRange& range = {});

/// An option whose value is the name of a file.
void add_file_option(CLI::App& cli, const std::string& name,
                     std::optional<std::filesystem::path>& value, const std::string& description);

/// An option whose text is parsed by `parse`, which throws InputError. --help shows `type`.
void add_parsed_option(CLI::App& cli, const std::string& name, const std::string& type,
                       const std::string& description,
                       std::function<void(const std::string&)> parse);

/// Allows an option to be given without its value.
void make_value_optional(CLI::App& cli, const std::string& name);

/// Refuses a command line with the option and one of the others.
void exclude_options(CLI::App& cli, const std::string& name,
                     const std::vector<std::string>& others);

/// True if the option is on the command line. Call after the parse.
bool is_given(const CLI::App& cli, const std::string& name);

}  // namespace copse::app
