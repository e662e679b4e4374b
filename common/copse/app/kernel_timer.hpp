#pragma once
/// \file
/// Times of regions and kernels, and launch counts, measured inside the process through the
/// callbacks of Kokkos Tools.
///
/// A *phase* is a `Kokkos::Profiling::ScopedRegion`; its label is its name, so the report and any
/// profiler show the same names. Phases nest; a phase's time includes those inside.
///
/// A *sample* is what one run of the measured code adds up to: a phase entered five times in a run
/// gives one sample, the sum. `close_sample` ends a run, `drop_sample` forgets it (the warm-up).
///
/// The time of kernels belongs to the phase that launched them because phases fence all execution
/// spaces at both ends. Copies between devices may go on from one phase into the next; those that
/// are in no other phase wait for all. Kernels are only counted, unless `KernelTimes::on` asks for
/// a fence around each one, which is exact but keeps kernels from overlapping.
///
/// On CUDA phases and kernels are NVTX ranges of their labels, by which profilers know them.
///
/// Callbacks registered earlier, by a tool library for instance, are called as before.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace copse::app {

/// Seconds of the timed runs, in order.
struct Samples {
  std::vector<double> seconds;

  double min() const;
  double median() const;  ///< of an even number, the mean of the middle two
  double max() const;
};

struct PhaseTime {
  std::string label;
  Samples samples;
};

struct KernelTime {
  std::string label;
  std::vector<std::uint64_t> launches;  ///< per sample
  Samples samples;                      ///< empty unless kernels are timed
};

class KernelTimer {
 public:
  enum class KernelTimes { off, on };

  /// Registers the callbacks. At most one timer may exist at a time. Kokkos must be running.
  explicit KernelTimer(KernelTimes kernel_times = KernelTimes::off);
  /// Puts the earlier callbacks back.
  ~KernelTimer();
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

  /// Appends what has been measured since the last call as one sample of each label seen.
  void close_sample();
  /// Forgets what has been measured since the last `close_sample`.
  void drop_sample();

  /// Closed samples, in the order in which the labels were first seen.
  std::vector<PhaseTime> phases() const;
  std::vector<KernelTime> kernels() const;

  /// Launches of all kernels in the last closed sample.
  std::uint64_t launches_in_last_sample() const;

  /// Tells Kokkos that this process's own callbacks need no fence around every kernel. Must be
  /// called before Kokkos starts; a tool library that is loaded then still decides for itself.
  static void request_no_global_fences();

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace copse::app
