#pragma once
/// \file
/// The report of a run: JSON of schema version 1, and the figures of merit.
///
/// Every key of the schema exists in every report; it is empty or null if the run has no value for
/// it. `kernels` holds, per kernel label, the launches of each sample, and seconds if kernels were
/// timed.

#include <copse/app/command_line.hpp>
#include <copse/app/cpu_meter.hpp>
#include <copse/app/kernel_timer.hpp>
#include <copse/app/memory_tracker.hpp>
#include <copse/app/verification.hpp>

#include <mpi.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace copse::app {

struct FigureOfMerit {
  std::string name;
  double value = 0.0;
  std::string unit;
};

/// Description of the input particles of a run.
struct InputRecord {
  Count particles = 0;  ///< over all ranks
  Box<3> box;
  std::string source;          ///< "uniform seed 1", or the file
  std::uint64_t checksum = 0;  ///< order-independent, of the coordinates of all ranks
};

class Report {
 public:
  Report(const std::string& app_name, const CommandLine& command_line, MPI_Comm comm);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  /// Adds to `parameters` a value decided at run time, for example a machine-dependent default.
  void set_parameter(const Parameter& parameter);
  void set_input(const InputRecord& input);
  void set_gpu_aware_mpi(bool used);
  /// How device memory reaches other ranks (Communicator::device_path), and the reason.
  void set_device_messages(const std::string& path, const std::string& reason);

  /// CPU use in the timed runs, over all ranks, and whether other programs disturbed any rank. If
  /// not called, `run.disturbed` is null in the report.
  void set_cpu_use(const CpuUse& use, bool disturbed);

  /// Bytes moved and floating-point operations of this rank in one run of the phase, from its work
  /// model. The report holds the sum over ranks.
  void set_work(const std::string& phase, double bytes, double flops);

  /// \throws std::invalid_argument if the value is not finite or the name or unit is not one word:
  ///         a figure of merit that overflowed or divided by zero is a bug
  void add_figure_of_merit(const std::string& name, double value, const std::string& unit);
  const std::vector<FigureOfMerit>& figures_of_merit() const;

  /// Free-form results of the mini-app, a JSON object; only rank 0's is written. Include
  /// <nlohmann/json.hpp> to fill it.
  nlohmann::json& results();

  /// The whole report. Seconds are the slowest rank's per sample, work is summed and memory is the
  /// largest rank's. Collective; the result is complete on rank 0 only.
  nlohmann::json assemble(const KernelTimer& timer, const MemoryTracker& memory,
                          const Verification& verification, bool verification_requested) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// The last lines of a run: "FOM <name> <value> <unit>".
std::string format_figure_of_merit(const FigureOfMerit& fom);

}  // namespace copse::app
