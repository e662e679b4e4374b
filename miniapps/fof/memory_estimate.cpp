#include "memory_estimate.hpp"

#include "distributed/distributed_linker.hpp"
#include "methods.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/balanced_tree.hpp>
#include <copse/tree/on_chip.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>

namespace copse::fof {
namespace {

/// Bytes per particle for counting members, in addition to those for linking.
constexpr Count counting_bytes = 3 * sizeof(Count);

/// On hosts the rows that points are gathered from take the memory of the keys, which may be less.
/// A device needs no second copy of the permutation if it sorts keys and rows as one number, which
/// makes up for its rows.
constexpr double gathered_bytes = 3.0 * sizeof(Real) - sizeof(std::uint64_t);

/// Bytes of a method, without its input of n particles, on a host or a device.
double estimate_bytes(const MethodInfo& method, Count n, const LinkOptions& options,
                      bool velocities, bool on_device) {
  const double reals = method.reals + (velocities ? method.velocity_reals : 0.0);
  const double bytes =
      static_cast<double>(n) * (method.integer_bytes + reals * static_cast<double>(sizeof(Real)));
  if (method.bucket_size == 0) return bytes;
  const std::uint32_t bucket = bucket_for_depth(
      n, options.bucket_size > 0 ? options.bucket_size : method.bucket_size, options.max_depth);
  const BalancedHeap heap = balanced_heap(n, bucket);
  // Velocities take that memory too.
  const bool gathers = !method.bisects && !velocities && !on_device;
  return bytes + (gathers ? static_cast<double>(n) * gathered_bytes : 0.0) +
         static_cast<double>(heap.node_slots()) * method.node_bytes +
         (method.bisects && on_device
              ? static_cast<double>(on_chip_workspace_bytes<DeviceChipTeam<3>>(heap))
              : 0.0);
}

}  // namespace

void report_estimate(app::Session& session, const Request& request) {
  if (session.options().input)
    throw InputError("--dry-run does not read files: give --particles instead of --input");
  if (request.species)
    throw InputError("--species needs particles of known species, which --generate does not make");
  const bool velocities = request.in_phase_space();
  const auto ranks = static_cast<Count>(session.ranks());
  const Count rows = (session.options().used_particles() + ranks - 1) / ranks;
  double bytes = 0.0;
  for (const std::string& backend : request.backends)
    dispatch_backend(backend, [&]<class Space>(const Space&) {
      for (const std::string& name : request.methods)
        bytes = std::max(bytes, estimate_bytes(method_named(name), rows, request.link, velocities,
                                               !runs_on_host<Space>));
    });
  bytes += static_cast<double>(rows * (velocities ? 6 : 3) * sizeof(Real));
  if (ranks > 1)
    bytes += static_cast<double>(DistributedLinker<Kokkos::DefaultExecutionSpace>::estimate_bytes(
                                     rows, session.ranks(), velocities) +
                                 rows * counting_bytes);
  const bool owns_groups = ranks > 1 && (session.options().output || request.levels() > 1);
  session.print(fmt::format("{} particles: {}{}{} in the memory of {}",
                            session.options().used_particles(), app::format_bytes(bytes),
                            ranks > 1 ? " per rank, without ghosts" : "",
                            owns_groups ? " or the members of the groups that a rank owns" : "",
                            request.backends.back()));
  if (request.levels() > 1) {
    const auto below = static_cast<Count>(request.levels() - 1);
    const Count labels = rows * below * sizeof(LocalIndex);
    session.print(fmt::format("{} in host memory for the labels of the lower {}",
                              app::format_bytes(static_cast<double>(labels)),
                              below > 1 ? "levels" : "level"));
    session.report().results()["estimated_level_bytes"] = labels;
  }
  session.report().results()["estimated_bytes"] = static_cast<Count>(bytes);
}

}  // namespace copse::fof
