#include "ceiling.hpp"

#include <cstddef>
#include <cstdint>

namespace copse::roofline {
namespace {

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};
struct One {
  KOKKOS_FUNCTION void operator()(int, int& sum) const { sum += 1; }
};

/// Copies to the device and back; the host's copy is cleared in between.
template <class ExecutionSpace, class DeviceArray, class HostArray>
bool arrives(const ExecutionSpace& space, const DeviceArray& device, const HostArray& host) {
  const auto byte_at = [](Count i) { return static_cast<std::byte>(i * 131 >> 3); };
  for (Count i = 0; i < host.extent(0); ++i) host(i) = byte_at(i);
  Kokkos::deep_copy(space, device, host);
  space.fence("copse::ceilings::there");
  for (Count i = 0; i < host.extent(0); ++i) host(i) = std::byte{};
  Kokkos::deep_copy(space, host, device);
  space.fence("copse::ceilings::back");
  for (Count i = 0; i < host.extent(0); ++i)
    if (host(i) != byte_at(i)) return false;
  return true;
}

template <class ExecutionSpace, class HostArray>
void add_transfers(const ExecutionSpace& space, bool pinned, Count most, const Effort& effort,
                   std::vector<TransferTime>& times) {
  using Range = std::pair<Count, Count>;
  const Kokkos::View<std::byte*, typename ExecutionSpace::memory_space> device(
      "copse::ceilings::on_device", most);
  const HostArray host("copse::ceilings::on_host", most);
  require_result<ExecutionSpace>(arrives(space, device, host), "copies between host and device");
  for (Count bytes = 8; bytes <= most; bytes *= 8) {
    const auto there = Kokkos::subview(device, Range(0, bytes));
    const auto here = Kokkos::subview(host, Range(0, bytes));
    times.push_back({"to_device", pinned, bytes, best_seconds(space, effort.runs, 1, [&](int) {
                       Kokkos::deep_copy(space, there, here);
                     })});
    times.push_back({"from_device", pinned, bytes, best_seconds(space, effort.runs, 1, [&](int) {
                       Kokkos::deep_copy(space, here, there);
                     })});
  }
}

}  // namespace

template <class ExecutionSpace>
LaunchTimes measure_launches(const ExecutionSpace& space, const Effort& effort) {
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  const auto launch = [&] {
    Kokkos::parallel_for("copse::ceilings::nothing", Range(space, 0, 1), Nothing{});
  };
  const auto queue = [&](int repeats) {
    for (int r = 0; r < repeats; ++r) launch();
  };
  LaunchTimes times;
  const int repeats = enough_repeats(space, effort, queue);
  times.queued = best_seconds(space, effort.runs, repeats, queue) / repeats;
  times.fenced = best_seconds(space, effort.runs, 1, queue);
  int sum = 0;
  times.reduced = best_seconds(space, effort.runs, 1, [&](int) {
    Kokkos::parallel_reduce("copse::ceilings::one", Range(space, 0, 1), One{}, sum);
  });
  require_result<ExecutionSpace>(sum == 1, "a reduction");
  return times;
}

template <class ExecutionSpace>
std::vector<TransferTime> measure_transfers(const ExecutionSpace& space, const Effort& effort) {
  std::vector<TransferTime> times;
  if constexpr (!runs_on_host<ExecutionSpace>) {
    const Count most = Count{8} << (effort.largest_set > 0 ? 15 : 24);
    add_transfers<ExecutionSpace, Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>>(
        space, true, most, effort, times);
    add_transfers<ExecutionSpace, Kokkos::View<std::byte*, Kokkos::HostSpace>>(space, false, most,
                                                                               effort, times);
  } else {
    (void)space;
    (void)effort;
  }
  return times;
}

#define COPSE_INSTANTIATE(Space)                                             \
  template LaunchTimes measure_launches<Space>(const Space&, const Effort&); \
  template std::vector<TransferTime> measure_transfers<Space>(const Space&, const Effort&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::roofline
