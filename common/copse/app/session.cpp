#include <copse/app/session.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/gpu_aware_mpi.hpp>
#include <copse/backend/mpi/rank_agreement.hpp>
#include <copse/io/bytes/atomic_file.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <stdexcept>

namespace copse::app {
namespace {

/// Rejects an unwritable path before any work is done. Leaves no file behind.
void require_writable(const std::string& option, const std::filesystem::path& path) {
  try {
    const io::AtomicPath trial(path);
  } catch (const InputError& error) {
    throw InputError(option + ": " + error.what());
  }
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace

Session::Session(const std::string& app_name, const CommandLine& command_line, MPI_Comm comm)
    : options_(command_line.options),
      comm_(comm),
      timer_(options_.kernel_times ? KernelTimer::KernelTimes::on : KernelTimer::KernelTimes::off),
      report_(app_name, command_line, comm) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  report_.set_gpu_aware_mpi(gpu_aware_mpi().enabled);
  together([this] {
    if (!is_root()) return;
    if (options_.json) require_writable("--json", *options_.json);
    if (options_.output) require_writable("--output", *options_.output);
  });
}

Session::~Session() = default;

Samples Session::measure(const std::string& label, const std::function<void(int)>& body) {
  const auto run_once = [&](int index) {
    MPI_Barrier(comm_);
    const Kokkos::Profiling::ScopedRegion region(label);
    body(index);
  };
  // Work before the first measurement, for example loading, becomes a sample of its own phases.
  timer_.close_sample();
  run_once(-1);
  timer_.drop_sample();
  cpu_.start();
  for (int i = 0; i < options_.repeat; ++i) {
    run_once(i);
    timer_.close_sample();
  }
  cpu_.stop();
  return last_samples(label);
}

std::vector<Samples> Session::measure(const std::string& label, const std::vector<Step>& steps) {
  measure(label, [&](int run) {
    for (const Step& step : steps) {
      MPI_Barrier(comm_);
      const Kokkos::Profiling::ScopedRegion region(step.label);
      step.body(run);
    }
  });
  std::vector<Samples> samples;
  for (const Step& step : steps) samples.push_back(last_samples(step.label));
  return samples;
}

Samples Session::last_samples(const std::string& label) const {
  Samples samples;
  for (const PhaseTime& p : timer_.phases())
    if (p.label == label) samples = p.samples;
  const auto timed = static_cast<std::size_t>(options_.repeat);
  if (samples.seconds.size() > timed)
    samples.seconds.erase(samples.seconds.begin(),
                          samples.seconds.end() - static_cast<std::ptrdiff_t>(timed));
  int runs = static_cast<int>(samples.seconds.size());
  MPI_Allreduce(MPI_IN_PLACE, &runs, 1, MPI_INT, MPI_MAX, comm_);
  samples.seconds.resize(static_cast<std::size_t>(runs), 0.0);
  MPI_Allreduce(MPI_IN_PLACE, samples.seconds.data(), runs, MPI_DOUBLE, MPI_MAX, comm_);
  return samples;
}

void Session::together(const std::function<void()>& body) {
  copse::together(comm_, body);
}

void Session::print(const Table& table) const {
  print(table.to_string());
}

void Session::print(const std::string& line) const {
  if (!is_root() || options_.quiet) return;
  fmt::print("{}{}", line, line.ends_with('\n') ? "" : "\n");
  std::fflush(stdout);
}

void Session::report_estimate(const std::string& what, Count bytes) {
  print(fmt::format("{}: {} in the memory of {}", what, format_bytes(static_cast<double>(bytes)),
                    options_.backend));
  report_.results()["estimated_bytes"] = bytes;
}

Progress Session::progress(const std::string& what) const {
  return make_progress(what, is_root() && !options_.quiet && stderr_is_terminal());
}

/// Over all ranks: the longest wall time and wait, the sum of CPU times. A host whose device works
/// has little to do, so only host backends are judged.
void Session::judge_cpu_use() {
  bool on_host = false;
  dispatch_backend(options_.backend, [&]<class Space>(Space) { on_host = runs_on_host<Space>; });
  if (!on_host) return;
  CpuUse use = cpu_.use();
  int disturbed = use.disturbed() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &disturbed, 1, MPI_INT, MPI_MAX, comm_);
  MPI_Allreduce(MPI_IN_PLACE, &use.wall_seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
  MPI_Allreduce(MPI_IN_PLACE, &use.cpu_seconds, 1, MPI_DOUBLE, MPI_SUM, comm_);
  MPI_Allreduce(MPI_IN_PLACE, &use.waited_seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
  report_.set_cpu_use(use, disturbed != 0);
  if (disturbed)
    print(
        fmt::format("disturbed: other programs took the CPU; in {:.3g} s of timed runs a thread "
                    "waited {:.3g} s for a core",
                    use.wall_seconds, use.waited_seconds));
}

void Session::finish() {
  timer_.close_sample();
  verification_.agree(comm_);
  if (options_.verify && !options_.dry_run && verification_.checks().empty())
    throw std::logic_error("--verify was given but nothing was checked");
  judge_cpu_use();
  const nlohmann::json document = report_.assemble(timer_, memory_, verification_, options_.verify);
  together([&] {
    if (!is_root() || !options_.json) return;
    // A path may not be UTF-8.
    const auto replace = nlohmann::json::error_handler_t::replace;
    write_file(*options_.json, document.dump(2, ' ', false, replace) + '\n');
  });
  if (!verification_.checks().empty()) print(verification_.table());
  verification_.throw_if_failed();
  if (!is_root()) return;
  for (const FigureOfMerit& fom : report_.figures_of_merit())
    fmt::print("{}\n", format_figure_of_merit(fom));
  std::fflush(stdout);
}

}  // namespace copse::app
