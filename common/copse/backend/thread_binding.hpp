#pragma once
/// \file
/// Binds the threads of the OpenMP backend to cores.
///
/// A thread that changes its core leaves its caches, and on some machines its memory, behind.
/// OpenMP binds threads if OMP_PROC_BIND says so, but it reads the variable before `main`: a
/// program cannot set it for itself unless it starts itself again, and debuggers, valgrind and MPI
/// launchers lose a process that does so. Therefore Copse binds existing threads by system calls
/// (Linux). Thread t of T gets share t of T of the cores that the process may use, neighbouring
/// cores in one share:
/// - with as many threads as cores, each thread has a core of its own (with its hardware threads);
/// - with more, each has one or more hardware threads of its own;
/// - with fewer, each has several cores and stays on its part of the machine. One thread has them
///   all, so that single-threaded programs running side by side are not bound to one core;
/// - with more threads than hardware threads, none is bound.
/// CPUs that taskset, a container or an MPI launcher withholds belong to no share. A rank that
/// shares a CPU with another rank binds nothing: both would choose the same cores.
///
/// If OMP_PROC_BIND, OMP_PLACES or another variable by which the OpenMP runtime binds threads is
/// set, Copse binds nothing; OMP_PROC_BIND=false thus switches binding off.

#include <mpi.h>

#include <vector>

namespace copse {

/// A hardware thread as Linux numbers it.
struct Cpu {
  int id = 0;
  int package = 0;
  int core = 0;  ///< the same for hardware threads of one core, different for those of two cores
};

/// The CPUs of one thread, by id.
using CpuSet = std::vector<int>;

/// The share of each of `threads` threads in `cpus`, as described above; empty if there are more
/// threads than CPUs. Shares are disjoint and hold all CPUs.
std::vector<CpuSet> share_cpus(std::vector<Cpu> cpus, int threads);

/// The CPUs that the calling thread may use, ascending; empty where that is unknown.
CpuSet allowed_cpus();

/// Restricts the calling thread to these CPUs. Does nothing if `cpus` is empty.
void restrict_to(const CpuSet& cpus) noexcept;

/// `allowed_cpus` of each thread of the host's parallel backend, or of the calling thread if there
/// is none. Kokkos must be running.
std::vector<CpuSet> allowed_cpus_of_threads();

/// Binds the threads of the OpenMP backend during its lifetime.
class ThreadBinding {
 public:
  /// Kokkos and MPI must be running. Collective over `comm`.
  explicit ThreadBinding(MPI_Comm comm);
  /// Restores the CPUs that each thread was allowed before.
  ~ThreadBinding();
  ThreadBinding(const ThreadBinding&) = delete;
  ThreadBinding& operator=(const ThreadBinding&) = delete;

 private:
  std::vector<CpuSet> before_;  ///< empty if no thread was bound
};

}  // namespace copse
