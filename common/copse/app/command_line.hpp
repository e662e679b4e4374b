#pragma once
/// \file
/// The command line shared by all mini-apps.

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>

#include <cstdint>
#include <filesystem>
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

  /// Particles of a run with generated ones.
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

/// Declares an option of a mini-app whose value is a count (see `parse_count`), at least `minimum`.
/// `value` must outlive the parse and holds the default.
void add_count_option(CLI::App& cli, const std::string& name, Count& value,
                      const std::string& description, Count minimum = 1);

/// Declares an option of a mini-app whose value is one of `choices`.
void add_choice_option(CLI::App& cli, const std::string& name, std::string& value,
                       const std::vector<std::string>& choices, const std::string& description);

}  // namespace copse::app
