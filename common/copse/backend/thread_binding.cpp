#include <copse/backend/mpi/mpi_call.hpp>
#include <copse/backend/thread_binding.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace copse {
namespace {

constexpr int most_cpus = 8192;  // as many as Linux supports

/// A number in a file below the folder of a CPU, or `otherwise`; the first one of a list.
int topology(int cpu, const std::string& file, int otherwise) {
  std::ifstream in("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/" + file);
  int number = otherwise;
  return in >> number ? number : otherwise;
}

std::vector<Cpu> describe(const CpuSet& ids) {
  std::vector<Cpu> cpus;
  for (const int id : ids)
    cpus.push_back(
        {id, topology(id, "physical_package_id", 0), topology(id, "thread_siblings_list", id)});
  return cpus;
}

/// Whether another rank on this node may use one of these CPUs. Collective over `comm`.
bool shared_with_other_ranks(MPI_Comm comm, const CpuSet& cpus) {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  std::vector<int> users(most_cpus, 0);
  for (const int cpu : cpus) users[static_cast<std::size_t>(cpu)] = 1;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, users.data(), most_cpus, MPI_INT, MPI_SUM, node),
            "MPI_Allreduce");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  return std::any_of(cpus.begin(), cpus.end(),
                     [&](int cpu) { return users[static_cast<std::size_t>(cpu)] > 1; });
}

/// Whether the OpenMP runtime binds threads, or the user forbids it.
bool bound_by_openmp() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return std::getenv("OMP_PROC_BIND") || omp_get_proc_bind() != omp_proc_bind_false;
#else
  return true;
#endif
}

/// Restricts thread t of the OpenMP backend to `cpus[t]`.
void restrict_threads(const std::vector<CpuSet>& cpus) {
#if defined(KOKKOS_ENABLE_OPENMP)
  // The threads of a team of this size are those of every kernel: the runtime keeps them.
#pragma omp parallel num_threads(static_cast <int>(cpus.size()))
  restrict_to(cpus[static_cast<std::size_t>(omp_get_thread_num())]);
#else
  static_cast<void>(cpus);
#endif
}

}  // namespace

std::vector<CpuSet> share_cpus(std::vector<Cpu> cpus, int threads) {
  std::sort(cpus.begin(), cpus.end(), [](const Cpu& a, const Cpu& b) {
    return std::tie(a.package, a.core, a.id) < std::tie(b.package, b.core, b.id);
  });
  std::vector<CpuSet> units;  // cores, or hardware threads if there are more threads than cores
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const bool next = i == 0 || std::tie(cpus[i].package, cpus[i].core) !=
                                    std::tie(cpus[i - 1].package, cpus[i - 1].core);
    if (next) units.emplace_back();
    units.back().push_back(cpus[i].id);
  }
  const auto wanted = static_cast<std::size_t>(threads);
  if (units.size() < wanted) {
    units.clear();
    for (const Cpu& cpu : cpus) units.push_back({cpu.id});
  }
  if (threads < 1 || units.size() < wanted) return {};
  std::vector<CpuSet> shares(wanted);
  for (std::size_t t = 0; t < wanted; ++t) {
    for (std::size_t u = t * units.size() / wanted; u < (t + 1) * units.size() / wanted; ++u)
      shares[t].insert(shares[t].end(), units[u].begin(), units[u].end());
    std::sort(shares[t].begin(), shares[t].end());
  }
  return shares;
}

CpuSet allowed_cpus() {
  CpuSet cpus;
#if defined(__linux__)
  std::array<cpu_set_t, most_cpus / CPU_SETSIZE> mask;
  if (sched_getaffinity(0, sizeof mask, mask.data()) != 0) return {};
  for (int cpu = 0; cpu < most_cpus; ++cpu)
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), sizeof mask, mask.data())) cpus.push_back(cpu);
#endif
  return cpus;
}

void restrict_to(const CpuSet& cpus) noexcept {
  if (cpus.empty()) return;
#if defined(__linux__)
  std::array<cpu_set_t, most_cpus / CPU_SETSIZE> mask{};
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), sizeof mask, mask.data());
  sched_setaffinity(0, sizeof mask, mask.data());
#endif
}

std::vector<CpuSet> allowed_cpus_of_threads() {
#if defined(KOKKOS_ENABLE_OPENMP)
  std::vector<CpuSet> cpus(static_cast<std::size_t>(Kokkos::OpenMP().concurrency()));
#pragma omp parallel num_threads(static_cast <int>(cpus.size()))
  cpus[static_cast<std::size_t>(omp_get_thread_num())] = allowed_cpus();
  return cpus;
#else
  return {allowed_cpus()};
#endif
}

ThreadBinding::ThreadBinding(MPI_Comm comm) {
  const CpuSet allowed = allowed_cpus();
  if (shared_with_other_ranks(comm, allowed) || bound_by_openmp()) return;
  std::vector<CpuSet> before = allowed_cpus_of_threads();
  const auto shares = share_cpus(describe(allowed), static_cast<int>(before.size()));
  if (shares.empty()) return;
  before_ = std::move(before);
  restrict_threads(shares);
}

ThreadBinding::~ThreadBinding() {
  if (!before_.empty()) restrict_threads(before_);
}

}  // namespace copse
