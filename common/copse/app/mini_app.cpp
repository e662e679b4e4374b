#include <copse/app/mini_app.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/rank_agreement.hpp>
#include <copse/backend/runtime.hpp>
#include <copse/particles/generators.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <new>
#include <utility>

namespace copse::app {

void MiniApp::add_options(CLI::App&) {}
std::vector<std::string> MiniApp::list() const {
  return {};
}
std::vector<std::string> MiniApp::generators() const {
  return generator_names();
}
void MiniApp::validate(const CommonOptions&) {}

namespace {

/// MPI without Kokkos: the command line is parsed after the start of MPI, which determines the rank
/// that may print, and before the start of Kokkos, which needs a device.
class Mpi {
 public:
  Mpi(int& argc, char**& argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  }
  ~Mpi() { MPI_Finalize(); }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
};

struct Outcome {
  ExitCode code = ExitCode::success;
  std::string sentence;
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Must be called in an exception handler.
Outcome outcome_of_current_exception() {
  try {
    throw;
  } catch (const InputError& error) {
    return {ExitCode::bad_input, error.what()};
  } catch (const VerificationError& error) {
    return {ExitCode::verification_failed, error.what()};
  } catch (const OtherRankFailed&) {
    return {ExitCode::success, ""};
  } catch (const std::bad_alloc&) {
    return {ExitCode::unexpected, "out of memory"};
  } catch (const std::exception& error) {
    return {ExitCode::unexpected, "unexpected: " + first_line(error.what())};
  } catch (...) {
    return {ExitCode::unexpected, "unexpected: an exception of unknown type"};
  }
}

void run_with_kokkos(const CommandLine& command_line, MiniApp& mini_app) {
  std::string program = mini_app.name();
  std::vector<std::string> arguments = command_line.kokkos_arguments;
  std::vector<char*> pointers{program.data()};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int argc = static_cast<int>(pointers.size()) - 1;
  char** argv = pointers.data();

  KernelTimer::request_no_global_fences();
  const Runtime runtime(argc, argv);
  // Kokkos removes the arguments it knows.
  if (argc > 1) throw InputError(fmt::format("unknown option '{}' (see --kokkos-help)", argv[1]));

  Session session(mini_app.name(), command_line, MPI_COMM_WORLD);
  mini_app.run(session);
  session.finish();
}

}  // namespace

int run_main(int argc, char** argv, MiniApp& mini_app) {
  const Mpi mpi(argc, argv);
  Ending ending(MPI_COMM_WORLD);
  Outcome outcome;
  try {
    const CommandLine command_line = parse_command_line(argc, argv, mini_app);
    if (command_line.information.empty()) {
      run_with_kokkos(command_line, mini_app);
    } else {
      int rank = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      if (rank == 0) fmt::print("{}", command_line.information);
    }
  } catch (...) {
    outcome = outcome_of_current_exception();
  }
  std::fflush(stdout);
  const std::string sentence =
      outcome.sentence.empty() ? ""
                               : fmt::format("{}: error: {}", mini_app.name(), outcome.sentence);
  return ending.arrive(static_cast<int>(outcome.code), sentence);
}

}  // namespace copse::app
