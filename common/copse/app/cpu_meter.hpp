#pragma once
/// \file
/// Whether other programs took the CPU away from a measured run.
///
/// A thread that is ready to run but has no core waits in the queue of the kernel. Linux counts the
/// seconds for each thread (`/proc/self/task/*/schedstat`). A team of threads is as slow as its
/// slowest one, so a run is *disturbed* if one of its threads waited for more than a twentieth of
/// the wall time: changes of 5 % are those that comparisons call real (perf/compare.py). On a quiet
/// machine a thread waits for less than 1 %.
///
/// The CPU time of all threads, compared with wall time times threads, is a worse measure: it is
/// also low in phases that one thread computes while the others sleep. But on a host at least one
/// thread runs at any time, so a run is disturbed as well if all threads together used less than
/// 0.9 of the wall time. The process was then stopped without waiting in the queue, for example by
/// a container's CPU quota. Runs of less than 0.1 s are not judged, because a single time slice of
/// another program would decide.

#include <map>

namespace copse::app {

/// CPU use of the threads of a process in an interval.
struct CpuUse {
  double wall_seconds = 0.0;
  double cpu_seconds = 0.0;     ///< of all threads and of ended child processes
  double waited_seconds = 0.0;  ///< the longest that one thread waited for a core

  bool disturbed() const;
};

/// Sums the CPU use of this process over intervals. The waits of threads that end within one are
/// not counted.
class CpuMeter {
 public:
  void start();
  void stop();
  const CpuUse& use() const { return use_; }

 private:
  struct Reading {
    double wall = 0.0;
    double cpu = 0.0;
    std::map<long, double> waited;  ///< by thread
  };
  static Reading read();

  Reading started_;
  std::map<long, double> waited_;
  CpuUse use_;
};

}  // namespace copse::app
