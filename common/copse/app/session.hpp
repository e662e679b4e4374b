#pragma once
/// \file
/// The environment of a mini-app's `run`: options, ranks, particles, timing and results.

#include <copse/app/command_line.hpp>
#include <copse/app/cpu_meter.hpp>
#include <copse/app/kernel_timer.hpp>
#include <copse/app/memory_tracker.hpp>
#include <copse/app/progress.hpp>
#include <copse/app/report.hpp>
#include <copse/app/table.hpp>
#include <copse/app/verification.hpp>
#include <copse/particles/particles.hpp>

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace copse::app {

/// A part of a measured run that is timed on its own: a phase within the run. `body` gets the index
/// of the timed run, -1 in the warm-up.
struct Step {
  std::string label;
  std::function<void(int)> body;
};

class Session {
 public:
  /// Installs the kernel timer and the memory tracker for the lifetime of the session.
  /// \throws InputError on every rank if an output file cannot be written.
  Session(const std::string& app_name, const CommandLine& command_line, MPI_Comm comm);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const CommonOptions& options() const { return options_; }
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  bool is_root() const { return rank_ == 0; }

  Report& report() { return report_; }
  Verification& verification() { return verification_; }
  KernelTimer& timer() { return timer_; }
  MemoryTracker& memory() { return memory_; }

  /// This rank's share of the particles given by `--generate` or `--input`, in the memory of
  /// `ExecutionSpace`: rank r of P holds rows [r*N/P, (r+1)*N/P), or those of them that
  /// `--subsample` keeps. `columns` are those the caller needs; columns that a file lacks stay
  /// empty. Records `input` in the report. Collective.
  /// \throws InputError on every rank, also if there are more particles than memory holds.
  template <class ExecutionSpace>
  Particles<typename ExecutionSpace::memory_space> load_particles(const ExecutionSpace& space,
                                                                  ColumnSet columns = {});

  /// Global index of the first row that `load_particles` gave this rank.
  Count first_row() const { return first_row_; }
  /// Particles over all ranks.
  Count total_particles() const { return total_particles_; }

  /// Runs `body` once as warm-up and then `--repeat` times. Every run is one sample of the phase
  /// `label` and of each region and kernel inside. Ranks start each run together; a sample is the
  /// time of the slowest rank. Collective. `body` gets the index of the timed run, -1 in the
  /// warm-up.
  Samples measure(const std::string& label, const std::function<void(int)>& body);

  /// The same for a run of several steps. Ranks start each step together. Collective.
  /// \return the samples of each step
  std::vector<Samples> measure(const std::string& label, const std::vector<Step>& steps);

  /// The slowest rank's samples of a phase in the last call of `measure`; a rank that has not
  /// entered the phase took no time. Fewer than `--repeat` if no rank has so many. Collective.
  Samples last_samples(const std::string& label) const;

  /// Runs `body` on this rank; if it throws on any rank, all ranks leave with an exception instead
  /// of waiting in the next collective. Collective.
  void together(const std::function<void()>& body);

  /// Prints a table on rank 0 unless `--quiet`.
  void print(const Table& table) const;
  /// Prints one line on rank 0 unless `--quiet`.
  void print(const std::string& line) const;

  /// The result of --dry-run: `what`, such as "1000 particles", and the bytes that a run needs on
  /// the backend. Printed and reported.
  void report_estimate(const std::string& what, Count bytes);

  /// A progress display labelled `what`, silent unless rank 0's stderr is a terminal.
  Progress progress(const std::string& what) const;

  /// Records the box and the checksum of this rank's particles in the report, as `load_particles`
  /// does; again if a mini-app changes them. Collective.
  void record_input(const Box<3>& box, std::uint64_t checksum);

  /// The same for particles that a mini-app generates itself: `particles` over all ranks.
  void record_generated(Count particles, const Box<3>& box, std::uint64_t checksum);

  /// Ends the run: agrees on the verification over all ranks, writes the report, says if other
  /// programs disturbed the timed runs, prints the figures of merit. Called by `run_main`.
  /// Collective.
  /// \throws VerificationError on every rank if a check failed on any; the report is then written
  ///         without figures of merit
  /// \throws std::logic_error if --verify was given and nothing was checked, except in a dry run
  void finish();

 private:
  Particles<Kokkos::HostSpace> read_input(ColumnSet columns);
  template <class ExecutionSpace>
  void subsample(const ExecutionSpace& space,
                 Particles<typename ExecutionSpace::memory_space>& particles);
  void judge_cpu_use();
  void refuse_impossible_size(Count particles, ColumnSet columns) const;

  CommonOptions options_;
  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  Count first_row_ = 0;
  Count total_particles_ = 0;
  KernelTimer timer_;
  CpuMeter cpu_;  ///< over the timed runs
  MemoryTracker memory_;
  Report report_;
  Verification verification_;
};

}  // namespace copse::app
