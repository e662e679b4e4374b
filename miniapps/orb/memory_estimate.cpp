#include "memory_estimate.hpp"

#include "build_variant.hpp"
#include "fused/engine.hpp"
#include <copse/backend/backends.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/particles/fixed_point.hpp>
#include <copse/tree/orb_tree.hpp>
#include <copse/tree/weighted_orb.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace copse::orb {
namespace {

constexpr Count position_bytes = 3 * sizeof(Real);

/// Bytes of one rank.
struct Bytes {
  Count device = 0;
  Count host = 0;

  template <class Space>
  void add(Count bytes) {
    (runs_on_host<Space> ? host : device) += bytes;
  }
};

/// A result on the host: rows in tree order, weights and the tree.
Count result_bytes(Count n, const Request& request) {
  const Count row = (request.positions_only ? position_bytes : point_row_bytes) +
                    (request.weights.wanted() ? sizeof(std::uint32_t) : 0);
  return n * row + orb_tree_bytes(request.leaves);
}

/// Particles in the memory of `Space` as loaded and as reordered, the tree of the previous repeat,
/// and the host's copy of the result.
template <class Space>
Bytes of_rows(Count n, const Request& request) {
  const Count weight = request.weights.wanted() ? sizeof(std::uint32_t) : 0;
  const Count column = request.weights.columns().weight ? sizeof(Real) : 0;
  Bytes bytes;
  bytes.add<Space>(n * (position_bytes + column + weight + point_row_bytes) +
                   orb_tree_bytes(request.leaves));
  if (!runs_on_host<Space>) bytes.host += n * position_bytes + result_bytes(n, request);
  return bytes;
}

/// Positions in the memory of `Space`, twice, the tree of the previous repeat, and the result.
template <class Space>
Bytes of_positions(Count n, const Request& request) {
  Bytes bytes;
  bytes.add<Space>(2 * n * position_bytes + orb_tree_bytes(request.leaves) +
                   OrbBuilder<Space>::estimate_points_bytes(
                       n, request.leaves, *engine_for<Space>(request.variant.placement)));
  if (!runs_on_host<Space>) bytes.host += result_bytes(n, request);
  return bytes;
}

template <class Space>
Bytes of_one_rank(Count n, const Request& request) {
  if (request.positions_only) return of_positions<Space>(n, request);
  const Variant& variant = request.variant;
  using Host = Kokkos::DefaultHostExecutionSpace;
  if (variant.placement == Placement::host) {
    Bytes bytes = of_rows<Host>(n, request);
    bytes.host += VariantBuilder<Host>::estimate_bytes(n, request.leaves, variant);
    return bytes;
  }
  if (variant.placement == Placement::count_on_device) {
    Bytes bytes = of_rows<Host>(n, request);
    Variant plain = variant;
    plain.bits = 0;  // the build beside a compressed one takes more
    bytes.host += CountingBuilder<Space>::estimate_host_bytes(n, request.leaves, plain);
    bytes.add<Space>(CountingBuilder<Space>::estimate_device_bytes(n, request.leaves, plain));
    return bytes;
  }
  Bytes bytes = of_rows<Space>(n, request);
  bytes.add<Space>(request.weights.wanted()
                       ? WeightedOrbBuilder<Space>::estimate_bytes(n, request.leaves)
                       : VariantBuilder<Space>::estimate_bytes(n, request.leaves, variant));
  // Rows are sent from page-locked memory to a device, and to any backend if they are compressed.
  const Count packed = request.compress_bits > 0 ? n * triple_bytes(request.compress_bits) : 0;
  if (packed > 0 || (!runs_on_host<Space> && !variant.uses_builder()))
    bytes.host += n * position_bytes;
  bytes.host += packed;
  bytes.add<Space>(packed);
  return bytes;
}

/// Particles with their numbers, the reference copy, the tree of the previous repeat, and the
/// host's copies for the verification.
template <class Space>
Bytes of_several_ranks(Count n, int ranks, const Request& request) {
  const bool weighted = request.weights.wanted();
  const auto p = static_cast<Count>(ranks);
  const Count rows = n / p + (n % p == 0 ? 0 : 1);
  const Count row = position_bytes + sizeof(GlobalId) + (weighted ? sizeof(std::uint32_t) : 0);
  Bytes bytes;
  bytes.add<Space>(rows * (row + position_bytes) + orb_tree_bytes(request.leaves) +
                   DistributedOrbBuilder<Space>::estimate_bytes(
                       rows, ranks, request.leaves, request.reshuffle_on(ranks), weighted,
                       *engine_for<Space>(Placement::best)));
  if (request.compress_bits > 0 && (ranks > 1 || request.reshuffle_on(ranks) == Reshuffle::local))
    bytes.add<Space>(2 * rows * triple_bytes(request.compress_bits));
  bytes.host += (runs_on_host<Space> ? 1 : 2) * rows * row;
  return bytes;
}

/// The maximum over the backends.
Bytes estimate(Count n, int ranks, const Request& request) {
  Bytes most;
  for (const std::string& backend : request.backends)
    dispatch_backend(backend, [&]<class Space>(const Space&) {
      const Bytes bytes = request.is_distributed(ranks) ? of_several_ranks<Space>(n, ranks, request)
                                                        : of_one_rank<Space>(n, request);
      most.device = std::max(most.device, bytes.device);
      most.host = std::max(most.host, bytes.host);
    });
  // The first backend's result is kept for comparison with the others.
  if (request.backends.size() > 1)
    most.host += result_bytes(n / static_cast<Count>(ranks), request);
  return most;
}

}  // namespace

void report_memory_estimate(app::Session& session, const Request& request) {
  const Count n = session.options().used_particles();
  const Bytes bytes = estimate(n, session.ranks(), request);
  session.print(fmt::format("{} particles, {} leaves: {} per rank on the host, {} on a device", n,
                            request.leaves, app::format_bytes(static_cast<double>(bytes.host)),
                            app::format_bytes(static_cast<double>(bytes.device))));
  session.report().results()["estimated_host_bytes"] = bytes.host;
  session.report().results()["estimated_device_bytes"] = bytes.device;
  if (!request.model.kind.empty())
    model::report_model(session, request.model, n, request.leaves, {});
}

}  // namespace copse::orb
