#include "plain_triad.hpp"

#include <copse/backend/huge_pages.hpp>
#include <copse/backend/thread_binding.hpp>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace copse::roofline {

double plain_triad(int threads, Count set, int runs) {
  using Clock = std::chrono::steady_clock;
  const std::size_t n = std::max<std::size_t>(set / (3 * sizeof(double)), 1);
  // Not initialised here: pages belong to the thread that touches them first.
  const std::unique_ptr<double[]> a(new double[n]);
  const std::unique_ptr<double[]> b(new double[n]);
  const std::unique_ptr<double[]> c(new double[n]);
  // Large pages as Views have them: the loops are compared, not the pages.
  for (const auto* array : {&a, &b, &c}) advise_huge_pages(array->get(), n * sizeof(double));
  // A new thread inherits the CPUs of the thread that starts it, which may be bound; it is
  // restricted to those of the backend's thread instead.
  const std::vector<CpuSet> cpus = allowed_cpus_of_threads();
  std::barrier together(threads);
  double best = std::numeric_limits<double>::max();

  const auto work = [&](int me) {
    if (me > 0) restrict_to(cpus[static_cast<std::size_t>(me) % cpus.size()]);
    const std::size_t begin = n * static_cast<std::size_t>(me) / static_cast<std::size_t>(threads);
    const std::size_t end =
        n * (static_cast<std::size_t>(me) + 1) / static_cast<std::size_t>(threads);
    for (std::size_t i = begin; i < end; ++i) {
      a[i] = 0.0;
      b[i] = 1.0;
      c[i] = 2.0;
    }
    for (int run = 0; run <= runs; ++run) {
      together.arrive_and_wait();
      const auto start = Clock::now();
      for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + 3.0 * c[i];
      together.arrive_and_wait();
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (me == 0 && run > 0) best = std::min(best, seconds);
    }
  };
  {
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
    work(0);
  }
  for (std::size_t i = 0; i < n; ++i)
    if (a[i] != 7.0) throw std::runtime_error("the plain triad gave a wrong result");
  return 3.0 * sizeof(double) * static_cast<double>(n) / best;
}

}  // namespace copse::roofline
