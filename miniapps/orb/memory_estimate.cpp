#include "memory_estimate.hpp"

#include "build_variant.hpp"
#include "fused/engine.hpp"
#include <copse/backend/backends.hpp>
#include <copse/tree/distributed_orb.hpp>
#include <copse/tree/orb_tree.hpp>
#include <copse/tree/weighted_orb.hpp>

#include <algorithm>

namespace copse {
namespace {

constexpr Count position_bytes = 3 * sizeof(Real);

/// Bytes of a particle as it is loaded.
Count loaded_bytes(const WeightRequest& weights) {
  return position_bytes + (weights.columns().weight ? sizeof(Real) : 0);
}

/// A result fetched from a backend: rows in tree order, weights and the tree.
Count result_bytes(Count n, const BuildRequest& request) {
  const Count row = (request.positions_only ? position_bytes : point_row_bytes) +
                    (request.weights.wanted() ? sizeof(std::uint32_t) : 0);
  return n * row + orb_tree_bytes(request.leaves);
}

/// Counts bytes by the memory they lie in.
class Sum {
 public:
  template <class Space>
  void add(Count bytes) {
    (runs_on_host<Space> ? estimate_.host : estimate_.device) += bytes;
  }
  void add_host(Count bytes) { estimate_.host += bytes; }
  const MemoryEstimate& estimate() const { return estimate_; }

 private:
  MemoryEstimate estimate_;
};

/// Rows in the memory of `Space`, and what the measurement keeps of them.
template <class Space>
void add_rows(Sum& sum, Count n, const BuildRequest& request) {
  sum.add<Space>(n * (loaded_bytes(request.weights) + point_row_bytes));
  sum.add<Space>(orb_tree_bytes(request.leaves));  // of the repeat before
  sum.add_host(n * loaded_bytes(request.weights));
  if (!runs_on_host<Space>) sum.add_host(result_bytes(n, request));
}

/// Positions in the memory of `Space`, twice, the tree of the repeat before, and the result.
template <class Space>
MemoryEstimate estimate_positions_on(Count n, const BuildRequest& request) {
  const Count tree = orb_tree_bytes(request.leaves);
  Sum sum;
  sum.add<Space>(2 * n * position_bytes + tree +
                 OrbBuilder<Space>::estimate_points_bytes(
                     n, request.leaves, *orb::engine_for<Space>(request.variant.placement)));
  if (!runs_on_host<Space>) sum.add_host(n * position_bytes + tree);
  return sum.estimate();
}

template <class Space>
MemoryEstimate estimate_on(Count n, const BuildRequest& request) {
  if (request.positions_only) return estimate_positions_on<Space>(n, request);
  const OrbVariant& variant = request.variant;
  using Host = Kokkos::DefaultHostExecutionSpace;
  Sum sum;
  if (request.weights.wanted()) {
    add_rows<Space>(sum, n, request);
    sum.add<Space>(n * sizeof(std::uint32_t) +
                   WeightedOrbBuilder<Space>::estimate_bytes(n, request.leaves));
  } else if (variant.placement == Placement::host) {
    add_rows<Host>(sum, n, request);
    sum.add_host(VariantBuilder<Host>::estimate_bytes(n, request.leaves, variant));
  } else if (variant.placement == Placement::count_on_device) {
    add_rows<Host>(sum, n, request);
    sum.add_host(CountingBuilder<Space>::estimate_host_bytes(n, request.leaves, variant));
    sum.add<Space>(CountingBuilder<Space>::estimate_device_bytes(n, request.leaves, variant));
  } else {
    add_rows<Space>(sum, n, request);
    sum.add<Space>(VariantBuilder<Space>::estimate_bytes(n, request.leaves, variant));
    // From page-locked memory rows are sent to a device.
    if (!runs_on_host<Space> && !variant.uses_builder()) sum.add_host(n * position_bytes);
  }
  return sum.estimate();
}

template <class Space>
MemoryEstimate estimate_distributed_on(Count rows, int ranks, const BuildRequest& request,
                                       Reshuffle reshuffle) {
  const bool weighted = request.weights.wanted();
  const Count row = position_bytes + sizeof(GlobalId) + (weighted ? sizeof(std::uint32_t) : 0);
  Sum sum;
  sum.add<Space>(rows * (row + position_bytes));   // and the yardstick's copy
  sum.add<Space>(orb_tree_bytes(request.leaves));  // of the repeat before
  sum.add<Space>(DistributedOrbBuilder<Space>::estimate_bytes(
      rows, ranks, request.leaves, reshuffle, weighted, *orb::engine_for<Space>(Placement::best)));
  sum.add_host(2 * rows * row);  // before and after, for the verification
  return sum.estimate();
}

/// The largest over the backends.
template <class Estimate>
MemoryEstimate largest_of(const std::vector<std::string>& backends, const Estimate& estimate) {
  MemoryEstimate largest;
  for (const std::string& backend : backends)
    dispatch_backend(backend, [&]<class Space>(const Space&) {
      const MemoryEstimate e = estimate.template operator()<Space>();
      largest.device = std::max(largest.device, e.device);
      largest.host = std::max(largest.host, e.host);
    });
  return largest;
}

}  // namespace

MemoryEstimate estimate_memory(Count n, const BuildRequest& request,
                               const std::vector<std::string>& backends) {
  MemoryEstimate e =
      largest_of(backends, [&]<class Space>() { return estimate_on<Space>(n, request); });
  // The first backend's result is kept to compare the others with.
  if (backends.size() > 1) e.host += result_bytes(n, request);
  return e;
}

MemoryEstimate estimate_distributed_memory(Count n, int ranks, const BuildRequest& request,
                                           Reshuffle reshuffle,
                                           const std::vector<std::string>& backends) {
  const auto p = static_cast<Count>(ranks);
  const Count rows = n / p + (n % p == 0 ? 0 : 1);
  return largest_of(backends, [&]<class Space>() {
    return estimate_distributed_on<Space>(rows, ranks, request, reshuffle);
  });
}

}  // namespace copse
