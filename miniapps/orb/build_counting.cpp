#include "build_levels.hpp"
#include "build_variant.hpp"
#include "placement/count_on_device.hpp"
#include <copse/backend/backends.hpp>

#include <type_traits>

namespace copse::orb {

template <class Device>
CountingBuilder<Device>::CountingBuilder(const Device& device, bool streams)
    : device_(device), buffers_{device, device} {
  if constexpr (!runs_on_host<Device>)
    if (streams) buffers_ = Kokkos::Experimental::partition_space(device, 1, 1);
}

template <class Device>
OrbTree<Kokkos::HostSpace> CountingBuilder<Device>::build(OrbRows<Kokkos::HostSpace>& rows,
                                                          const OrbOptions& options,
                                                          const Variant& variant, BuildLog& log) {
  using Host = std::conditional_t<runs_on_host<Device>, Device, Kokkos::DefaultHostExecutionSpace>;
  const FixedPoint grid = variant.bits > 0 ? fixed_point(options.box, variant.bits) : FixedPoint{};
  CountOnDevice<Host, Device> search(device_, buffers_, variant, grid, log, pinned_, remote_);
  const Host host;
  if (variant.partition == PartitionMethod::hoare)
    return build_levels(host, rows, options, search, MoveByHoare{}, arrays_);
  return build_levels(host, rows, options, search, OrbMover{variant.partition}, arrays_);
}

template <class Device>
Count CountingBuilder<Device>::estimate_host_bytes(Count n, std::uint32_t leaves,
                                                   const Variant& variant) {
  using Search = CountOnDevice<Kokkos::DefaultHostExecutionSpace, Device>;
  return levels_bytes(n, leaves, variant.partition) + Search::host_bytes(variant, n) +
         most_cells_cut(orb_depth(leaves)) * Search::cell_bytes;
}

template <class Device>
Count CountingBuilder<Device>::estimate_device_bytes(Count n, std::uint32_t leaves,
                                                     const Variant& variant) {
  using Search = CountOnDevice<Kokkos::DefaultHostExecutionSpace, Device>;
  const Count cells = most_cells_cut(orb_depth(leaves));
  return Search::device_bytes(variant, n, cells) + cells * Search::cell_bytes;
}

#define COPSE_INSTANTIATE(Space) template class CountingBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::orb
