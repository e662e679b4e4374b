#include "build_levels.hpp"
#include "build_variant.hpp"
#include "partition/hoare.hpp"
#include "partition/orb_mover.hpp"
#include "placement/count_on_device.hpp"
#include <copse/backend/backends.hpp>

#include <type_traits>

namespace copse {

template <class Device>
OrbTree<Kokkos::HostSpace> CountingBuilder<Device>::build(OrbRows<Kokkos::HostSpace>& rows,
                                                          const OrbOptions& options,
                                                          const OrbVariant& variant,
                                                          BuildLog& log) {
  using Host = std::conditional_t<runs_on_host<Device>, Device, Kokkos::DefaultHostExecutionSpace>;
  CountOnDevice<Host, Device> search(device_, variant, log, pinned_, remote_);
  const Host host;
  if (variant.partition == PartitionMethod::hoare)
    return build_levels(host, rows, options, search, MoveByHoare{}, arrays_);
  return build_levels(host, rows, options, search, OrbMover{variant.partition}, arrays_);
}

#define COPSE_INSTANTIATE(Space) template class CountingBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
