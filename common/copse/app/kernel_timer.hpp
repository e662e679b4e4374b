#pragma once
/// \file
/// Times of regions and kernels, and launch counts, measured in-process through the callbacks of
/// Kokkos Tools.
///
/// A *phase* is a `Kokkos::Profiling::ScopedRegion`; its label is its name, so the report and any
/// profiler show the same names. Phases nest; the time of a phase includes its inner phases.
///
/// A *sample* is the total of one run of the measured code: a phase entered five times in a run
/// gives one sample, the sum. `close_sample` ends a run, `drop_sample` discards it (the warm-up).
///
/// Phases fence all execution spaces at both ends, so the time of kernels belongs to the phase that
/// launched them. Copies between devices may continue from one inner phase into the next; outermost
/// phases wait for all of them. Kernels are only counted, unless `KernelTimes::on` requests a fence
/// around each one, which is exact but prevents kernels from overlapping.
///
/// On CUDA, phases and kernels are NVTX ranges with their labels, so profilers show these names.
///
/// Callbacks registered earlier, for example by a tool library, are still called.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace copse::app {

/// Seconds of the timed runs, in order.
struct Samples {
  std::vector<double> seconds;

  double min() const;
  double median() const;  ///< for an even number, the mean of the middle two
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
  /// Restores the earlier callbacks.
  ~KernelTimer();
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

  /// Stores everything measured since the last call as one sample of each label seen.
  void close_sample();
  /// Discards everything measured since the last `close_sample`.
  void drop_sample();

  /// Closed samples, in the order in which the labels were first seen.
  std::vector<PhaseTime> phases() const;
  std::vector<KernelTime> kernels() const;

  /// Tells Kokkos that this process's own callbacks need no fence around every kernel. Must be
  /// called before Kokkos starts; a tool library loaded then still decides for itself.
  static void request_no_global_fences();

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace copse::app
