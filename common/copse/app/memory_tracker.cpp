#include <copse/app/memory_tracker.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace copse::app {
namespace tools = Kokkos::Tools::Experimental;

namespace {

/// Device memory is any space of a device except the page-locked host memory it can reach.
bool is_device_space(std::string_view name) {
  return !name.starts_with("Host") && !name.ends_with("HostPinned");
}

struct Allocation {
  std::string space;
  std::uint64_t bytes = 0;
};

}  // namespace

struct MemoryTracker::State {
  tools::EventSet earlier{};
  mutable std::mutex mutex;
  std::map<std::string, MemoryUse> spaces;
  MemoryUse device;
  MemoryUse host;
  std::unordered_map<const void*, Allocation> live;

  MemoryUse& total_of(const std::string& space) { return is_device_space(space) ? device : host; }

  void add(const std::string& space, const void* pointer, std::uint64_t bytes) {
    const std::lock_guard lock(mutex);
    live[pointer] = {space, bytes};
    for (MemoryUse* use : {&spaces[space], &total_of(space)}) {
      use->current_bytes += bytes;
      use->peak_bytes = std::max(use->peak_bytes, use->current_bytes);
    }
  }

  void remove(const void* pointer) {
    const std::lock_guard lock(mutex);
    const auto at = live.find(pointer);
    if (at == live.end()) return;
    const auto& [space, bytes] = at->second;
    spaces[space].current_bytes -= bytes;
    total_of(space).current_bytes -= bytes;
    live.erase(at);
  }
};

namespace {

MemoryTracker::State* active_tracker = nullptr;

void allocate(Kokkos_Profiling_SpaceHandle space, const char* label, const void* pointer,
              std::uint64_t bytes) {
  if (active_tracker->earlier.allocate_data)
    active_tracker->earlier.allocate_data(space, label, pointer, bytes);
  active_tracker->add(space.name, pointer, bytes);
}

void deallocate(Kokkos_Profiling_SpaceHandle space, const char* label, const void* pointer,
                std::uint64_t bytes) {
  active_tracker->remove(pointer);
  if (active_tracker->earlier.deallocate_data)
    active_tracker->earlier.deallocate_data(space, label, pointer, bytes);
}

}  // namespace

MemoryTracker::MemoryTracker() : state_(std::make_unique<State>()) {
  if (active_tracker) throw std::logic_error("only one MemoryTracker may exist at a time");
  state_->earlier = tools::get_callbacks();
  active_tracker = state_.get();
  tools::set_allocate_data_callback(allocate);
  tools::set_deallocate_data_callback(deallocate);
}

MemoryTracker::~MemoryTracker() {
  tools::set_allocate_data_callback(state_->earlier.allocate_data);
  tools::set_deallocate_data_callback(state_->earlier.deallocate_data);
  active_tracker = nullptr;
}

MemoryUse MemoryTracker::device() const {
  const std::lock_guard lock(state_->mutex);
  return state_->device;
}

MemoryUse MemoryTracker::host() const {
  const std::lock_guard lock(state_->mutex);
  return state_->host;
}

std::map<std::string, MemoryUse> MemoryTracker::by_space() const {
  const std::lock_guard lock(state_->mutex);
  return state_->spaces;
}

}  // namespace copse::app
