#include "ceiling.hpp"
#include "workers.hpp"
#include <copse/backend/machine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace copse::roofline {
namespace {

/// Working sets are at most this many times the last cache, if memory allows.
constexpr Count beyond_caches = 32;
constexpr Count largest_host_set = Count{1} << 29;

/// From this many times the last cache on, a set counts as in memory. A device's cache still holds
/// its share of larger sets: an H200 with 4.8 TB/s of memory bandwidth read 7.8 TB/s at 3 times its
/// L2.
constexpr Count beyond_host_caches = 3;
constexpr Count beyond_device_caches = 16;

Count last_cache(const std::vector<MemoryLevel>& levels) {
  Count bytes = 0;
  for (const MemoryLevel& level : levels) bytes = std::max(bytes, level.bytes);
  return bytes;
}

}  // namespace

template <class ExecutionSpace>
std::vector<MemoryLevel> memory_levels(const ExecutionSpace& space) {
  std::vector<MemoryLevel> levels;
  if constexpr (runs_on_host<ExecutionSpace>) {
    const auto threads = static_cast<Count>(space.concurrency());
    for (const CacheDescription& cache : describe_host_caches()) {
      const auto sharing = static_cast<Count>(cache.threads);
      levels.push_back({fmt::format("L{}", cache.level),
                        cache.bytes * ((threads + sharing - 1) / sharing), cache.bytes});
    }
  } else {
    const DeviceDescription device = describe_device();
    const auto processors = static_cast<Count>(device.multiprocessors);
    // L1 serves the part that a team keeps; parts handed on to other teams come from L2.
    levels.push_back({"L1", device.l1_bytes * processors, device.l1_bytes, true});
    levels.push_back({"L2", device.l2_bytes, device.l2_bytes, false});
  }
  levels.push_back({"memory", 0, 0, runs_on_host<ExecutionSpace>});
  return levels;
}

template <class ExecutionSpace>
std::vector<Count> working_sets(const ExecutionSpace& space, const Effort& effort) {
  Count last = effort.largest_set;
  if (last == 0) {
    const Count memory = backend_memory_bytes(backend_name<ExecutionSpace>());
    last = std::min(beyond_caches * last_cache(memory_levels(space)), memory / 8);
    // A last cache that is shared with other virtual machines can appear to have any size.
    if (runs_on_host<ExecutionSpace>)
      last = std::min(last, std::max(largest_host_set, 4 * last_cache(memory_levels(space))));
    last = std::min(last, memory / 8);
    last = std::max(last, std::min<Count>(Count{1} << 28, memory / 8));
  }
  const double first =
      static_cast<double>(workers(space) * worker_grain<ExecutionSpace> * sizeof(double));
  std::vector<Count> sets;
  for (int step = 0;; ++step) {
    const double set =
        first * std::exp2(static_cast<double>(step) / static_cast<double>(effort.steps_per_octave));
    if (set >= static_cast<double>(last)) break;
    sets.push_back(static_cast<Count>(set));
  }
  sets.push_back(std::max(last, static_cast<Count>(first)));
  return sets;
}

void assign_rates(std::vector<MemoryLevel>& levels, const std::vector<SetRate>& rates) {
  const Count last = last_cache(levels);
  // If the system does not report caches, only the largest set is certain to be in memory.
  Count largest = 0;
  for (const SetRate& rate : rates) largest = std::max(largest, rate.bytes);
  const MemoryLevel* before = nullptr;
  for (MemoryLevel& level : levels) {
    for (const SetRate& rate : rates) {
      const bool gathers = rate.stream == "random" || rate.stream == "tree";
      if (!gathers && rate.kept != level.kept) continue;
      Count least = 0;
      if (before != nullptr && gathers) least = before->one;
      // A handed-on set bypasses L1, whatever its size.
      if (before != nullptr && !gathers && before->kept == level.kept) least = before->bytes;
      const Count most = gathers ? level.one : level.bytes;
      const Count beyond = (level.kept ? beyond_host_caches : beyond_device_caches) * last;
      const bool fits = level.bytes == 0
                            ? rate.bytes >= (last == 0 ? largest : beyond)
                            : 4 * rate.bytes >= 5 * least && 4 * rate.bytes <= 3 * most;
      if (!fits) continue;
      const auto found = std::find_if(level.best.begin(), level.best.end(),
                                      [&](const SetRate& r) { return r.stream == rate.stream; });
      if (found == level.best.end()) {
        level.best.push_back(rate);
      } else if (found->bytes_per_second < rate.bytes_per_second) {
        *found = rate;
      }
    }
    before = &level;
  }
}

#define COPSE_INSTANTIATE(Space)                                        \
  template std::vector<MemoryLevel> memory_levels<Space>(const Space&); \
  template std::vector<Count> working_sets<Space>(const Space&, const Effort&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::roofline
