#pragma once
/// \file
/// The interface of a mini-app: a name, its options and one `run`. The rest is the same for all.
///
/// \code
/// int main(int argc, char** argv) {
///   Orb orb;
///   return copse::app::run_main(argc, argv, orb);
/// }
/// \endcode

#include <copse/app/command_line.hpp>
#include <copse/app/session.hpp>

#include <string>
#include <vector>

namespace copse::app {

/// Exit codes of every mini-app.
enum class ExitCode : int {
  success = 0,
  verification_failed = 1,
  bad_input = 2,  ///< InputError, command line
  unexpected = 3  ///< anything else: a bug, or a failure of the machine
};

/// A mini-app. It outlives Kokkos, so it must not keep Views as members; they belong in `run`.
class MiniApp {
 public:
  virtual ~MiniApp() = default;

  virtual std::string name() const = 0;
  /// One or two sentences for `--help`.
  virtual std::string description() const = 0;

  /// Declares the mini-app's own options with the functions of command_line.hpp, or directly with
  /// `<CLI/CLI.hpp>`. Their values appear in the report; a hidden option (`->group("")`) appears
  /// only if given.
  virtual void add_options(CLI::App& cli);

  /// What `--list` prints, one line each: algorithms and variants.
  virtual std::vector<std::string> list() const;

  /// Kinds that `--generate` accepts; the first is the default. By default those of
  /// particles (generators.hpp).
  virtual std::vector<std::string> generators() const;

  /// Checks values against each other; called once after parsing, before Kokkos starts.
  /// \throws InputError
  virtual void validate(const CommonOptions& options);

  /// The work. Called on every rank.
  virtual void run(Session& session) = 0;
};

/// The complete run of a mini-app's process: MPI, command line, Kokkos, `run`, verification,
/// report.
///
/// An exception ends the run with one sentence on stderr, printed by one rank, and the same
/// ExitCode on every rank. Ranks that wait in a collective for a failed rank are ended too.
int run_main(int argc, char** argv, MiniApp& mini_app);

}  // namespace copse::app
