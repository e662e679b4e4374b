#include <copse/app/kernel_timer.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/profiler_range.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace copse::app {
namespace tools = Kokkos::Tools::Experimental;
using Clock = std::chrono::steady_clock;

double Samples::min() const {
  return seconds.empty() ? 0.0 : *std::min_element(seconds.begin(), seconds.end());
}

double Samples::max() const {
  return seconds.empty() ? 0.0 : *std::max_element(seconds.begin(), seconds.end());
}

double Samples::median() const {
  if (seconds.empty()) return 0.0;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
}

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The totals of one label: in the open sample and in the closed ones.
struct Record {
  std::string label;
  double open_seconds = 0.0;
  std::uint64_t open_count = 0;
  std::vector<double> seconds;
  std::vector<std::uint64_t> counts;
};

/// Records in the order in which their labels were first seen.
class Ledger {
 public:
  void add(const std::string& label, double seconds, std::uint64_t count) {
    const auto [at, is_new] = index_.try_emplace(label, records_.size());
    if (is_new) records_.push_back({label, 0.0, 0, {}, {}});
    records_[at->second].open_seconds += seconds;
    records_[at->second].open_count += count;
  }
  /// \return the sum of the closed counts
  std::uint64_t close() {
    std::uint64_t sum = 0;
    for (Record& r : records_) {
      if (r.open_count == 0) continue;
      sum += r.open_count;
      r.seconds.push_back(r.open_seconds);
      r.counts.push_back(r.open_count);
    }
    drop();
    return sum;
  }
  void drop() {
    for (Record& r : records_) {
      r.open_seconds = 0.0;
      r.open_count = 0;
    }
  }
  const std::vector<Record>& records() const { return records_; }

 private:
  std::vector<Record> records_;
  std::unordered_map<std::string, std::size_t> index_;
};

struct Running {
  std::string label;
  Clock::time_point start;
};

}  // namespace

struct KernelTimer::State {
  bool time_kernels = false;
  tools::EventSet earlier{};
  std::mutex mutex;  ///< host threads may launch kernels concurrently
  Ledger phases;
  Ledger kernels;
};

namespace {

// Callbacks are plain functions without user data, so they find the only timer through a global.
KernelTimer::State* active_timer = nullptr;

// Regions and kernels nest within a host thread.
thread_local std::vector<Running> open_phases;
thread_local std::vector<Running> open_kernels;

/// Waits for the kernels of all backends; at the ends of an outermost phase also for all other
/// device work. Kokkos::fence() in an inner phase would also wait for copies between devices and so
/// prevent their overlap with the following phases.
void fence_phase(const char* label) {
  if (open_phases.empty())
    Kokkos::fence(label);
  else
    for_each_backend([label](const auto& space) { space.fence(label); });
}

void push_region(const char* label) {
  if (active_timer->earlier.push_region) active_timer->earlier.push_region(label);
  fence_phase("copse::app::phase begins");
  begin_profiler_range(label);
  open_phases.push_back({label, Clock::now()});
}

void pop_region() {
  // A region pushed before the timer existed has no entry.
  if (!open_phases.empty()) {
    const Running phase = open_phases.back();
    open_phases.pop_back();
    fence_phase("copse::app::phase ends");
    end_profiler_range();
    const double seconds = seconds_since(phase.start);
    const std::lock_guard lock(active_timer->mutex);
    active_timer->phases.add(phase.label, seconds, 1);
  }
  if (active_timer->earlier.pop_region) active_timer->earlier.pop_region();
}

void begin_kernel(Kokkos_Profiling_beginFunction chained, const char* label, std::uint32_t device,
                  std::uint64_t* id) {
  if (chained) chained(label, device, id);
  if (active_timer->time_kernels) Kokkos::fence("copse::app::kernel begins");
  begin_profiler_range(label);
  open_kernels.push_back({label, Clock::now()});
}

void end_kernel(Kokkos_Profiling_endFunction chained, std::uint64_t id) {
  if (active_timer->time_kernels) Kokkos::fence("copse::app::kernel ends");
  if (!open_kernels.empty()) {
    end_profiler_range();
    const double seconds = seconds_since(open_kernels.back().start);
    const std::lock_guard lock(active_timer->mutex);
    active_timer->kernels.add(open_kernels.back().label, seconds, 1);
    open_kernels.pop_back();
  }
  if (chained) chained(id);
}

void begin_for(const char* label, std::uint32_t device, std::uint64_t* id) {
  begin_kernel(active_timer->earlier.begin_parallel_for, label, device, id);
}
void end_for(std::uint64_t id) {
  end_kernel(active_timer->earlier.end_parallel_for, id);
}

void begin_reduce(const char* label, std::uint32_t device, std::uint64_t* id) {
  begin_kernel(active_timer->earlier.begin_parallel_reduce, label, device, id);
}
void end_reduce(std::uint64_t id) {
  end_kernel(active_timer->earlier.end_parallel_reduce, id);
}

void begin_scan(const char* label, std::uint32_t device, std::uint64_t* id) {
  begin_kernel(active_timer->earlier.begin_parallel_scan, label, device, id);
}
void end_scan(std::uint64_t id) {
  end_kernel(active_timer->earlier.end_parallel_scan, id);
}

void decline_global_fences(std::uint32_t, Kokkos_Tools_ToolSettings* settings) {
  settings->requires_global_fencing = false;
}

}  // namespace

KernelTimer::KernelTimer(KernelTimes kernel_times) : state_(std::make_unique<State>()) {
  if (active_timer) throw std::logic_error("only one KernelTimer may exist at a time");
  state_->time_kernels = kernel_times == KernelTimes::on;
  state_->earlier = tools::get_callbacks();
  open_phases.clear();
  open_kernels.clear();
  active_timer = state_.get();
  tools::set_push_region_callback(push_region);
  tools::set_pop_region_callback(pop_region);
  tools::set_begin_parallel_for_callback(begin_for);
  tools::set_end_parallel_for_callback(end_for);
  tools::set_begin_parallel_reduce_callback(begin_reduce);
  tools::set_end_parallel_reduce_callback(end_reduce);
  tools::set_begin_parallel_scan_callback(begin_scan);
  tools::set_end_parallel_scan_callback(end_scan);
}

KernelTimer::~KernelTimer() {
  const tools::EventSet& earlier = state_->earlier;
  tools::set_push_region_callback(earlier.push_region);
  tools::set_pop_region_callback(earlier.pop_region);
  tools::set_begin_parallel_for_callback(earlier.begin_parallel_for);
  tools::set_end_parallel_for_callback(earlier.end_parallel_for);
  tools::set_begin_parallel_reduce_callback(earlier.begin_parallel_reduce);
  tools::set_end_parallel_reduce_callback(earlier.end_parallel_reduce);
  tools::set_begin_parallel_scan_callback(earlier.begin_parallel_scan);
  tools::set_end_parallel_scan_callback(earlier.end_parallel_scan);
  active_timer = nullptr;
}

void KernelTimer::close_sample() {
  const std::lock_guard lock(state_->mutex);
  state_->phases.close();
  state_->kernels.close();
}

void KernelTimer::drop_sample() {
  const std::lock_guard lock(state_->mutex);
  state_->phases.drop();
  state_->kernels.drop();
}

std::vector<PhaseTime> KernelTimer::phases() const {
  std::vector<PhaseTime> phases;
  for (const Record& r : state_->phases.records())
    if (!r.seconds.empty()) phases.push_back({r.label, {r.seconds}});
  return phases;
}

std::vector<KernelTime> KernelTimer::kernels() const {
  std::vector<KernelTime> kernels;
  for (const Record& r : state_->kernels.records())
    if (!r.counts.empty())
      kernels.push_back(
          {r.label, r.counts, {state_->time_kernels ? r.seconds : std::vector<double>{}}});
  return kernels;
}

void KernelTimer::request_no_global_fences() {
  tools::set_request_tool_settings_callback(decline_global_fences);
}

}  // namespace copse::app
