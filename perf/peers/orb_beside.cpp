#include "orb_beside.hpp"

#include <copse/backend/mpi/communicator.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/tree/orb_builder.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <orb/fingerprint.hpp>

namespace copse::peers {

using orb::order_fingerprint, orb::tree_fingerprint;

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

std::uint64_t build_alone(app::Session& session, const Particles<Kokkos::HostSpace>& particles,
                          const OrbOptions& options) {
  Points<3, Kokkos::HostSpace> points("peer::points", particles.size());
  OrbBuilder<Space> builder{Space{}};
  OrbBuilder<Space>::Permutation permutation;
  OrbTree<Kokkos::HostSpace> tree;
  session.measure("orb::run", [&](int) {
    Kokkos::deep_copy(points, particles.position);
    const Kokkos::Profiling::ScopedRegion region("orb::build");
    tree = builder.build(points, permutation, options);
  });
  return tree_fingerprint(tree, order_fingerprint(0, permutation));
}

void build_on_ranks(app::Session& session, const Communicator& comm,
                    const Particles<Kokkos::HostSpace>& particles, const OrbOptions& options) {
  DistributedPoints<Kokkos::HostSpace> points;
  points.position = particles.position;
  points.id = decltype(points.id)("peer::id", particles.size());
  for (Count i = 0; i < particles.size(); ++i) points.id(i) = session.first_row() + i;
  DistributedOrbBuilder<Space> builder(comm, Space{});
  session.measure("orb::run", [&](int) {
    comm.barrier();
    const Kokkos::Profiling::ScopedRegion region("orb::build");
    builder.build(points, options, Reshuffle::once, false);
  });
}

}  // namespace

std::uint64_t build_orb_beside(app::Session& session, const Particles<Kokkos::HostSpace>& particles,
                               std::uint32_t leaves) {
  const Communicator comm(session.comm());
  OrbOptions options;
  options.leaves = leaves;
  options.box = particles.box;
  const double theirs = session.last_samples("peer::build").median();
  std::uint64_t fingerprint = 0;
  if (comm.size() == 1)
    fingerprint = build_alone(session, particles, options);
  else
    build_on_ranks(session, comm, particles, options);
  const double ours = session.last_samples("orb::build").median();
  session.report().add_figure_of_merit("seconds_over_orb", theirs / ours, "times");
  return fingerprint;
}

}  // namespace copse::peers
