#pragma once
/// \file
/// What a mini-app is: a name, its options and one `run`. Everything around it is the same for all.
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
  unexpected = 3  ///< anything else: a bug, or the machine gave way
};

/// A mini-app. It outlives Kokkos, so it must not keep Views as members: they belong into `run`.
class MiniApp {
 public:
  virtual ~MiniApp() = default;

  virtual std::string name() const = 0;
  /// One or two sentences for `--help`.
  virtual std::string description() const = 0;

  /// Declares the mini-app's own options; `<CLI/CLI.hpp>` has the class. Their values enter the
  /// report. A hidden option (`->group("")`) does so only if given.
  virtual void add_options(CLI::App& cli);

  /// What `--list` prints, one line each: algorithms and variants.
  virtual std::vector<std::string> list() const;

  /// Kinds that `--generate` takes; those of particles (generators.hpp) unless said otherwise.
  virtual std::vector<std::string> generators() const;

  /// Checks values against each other; called once after parsing, before Kokkos starts.
  /// \throws InputError
  virtual void validate(const CommonOptions& options);

  /// The work. Called on every rank.
  virtual void run(Session& session) = 0;
};

/// The whole life of a mini-app's process: MPI, command line, Kokkos, `run`, verification, report.
///
/// Exceptions end as one sentence on stderr, printed by one rank, and the ExitCode, which is the
/// same on every rank. Ranks that wait in a collective for a rank that failed are ended too.
int run_main(int argc, char** argv, MiniApp& mini_app);

}  // namespace copse::app
