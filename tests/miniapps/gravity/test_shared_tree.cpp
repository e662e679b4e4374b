// Run with 1 to 5 ranks. Oracle: the same method on one tree of all bodies, built by
// BodyTreeBuilder without the machine of several ranks; and the masses of all bodies.
#include "rank_problem.hpp"
#include <copse/backend/error.hpp>

namespace copse::test {
namespace {

TEST_CASE("Over ranks hosts compute the bits of one rank") {
  const Communicator comm;
  const HostBodies input = clustered_bodies(3000);
  const Kokkos::DefaultHostExecutionSpace space;
  for (const std::string method : {"breadth", "bucket", "particle"})
    for (const std::string mac : opening_names)
      for (const Count order : {1, 2, 4}) {
        INFO(method << " " << mac << " " << order);
        const auto request = request_for(0.7, order, mac);
        CHECK(differing(over_ranks(space, comm, input, request, method, 8),
                        alone(space, input, request, method, 8, comm.size())) == 0);
      }
}

TEST_CASE("Spline softening, binary trees and large buckets are the same over ranks, too") {
  const Communicator comm;
  const HostBodies input = clustered_bodies(2500);
  const Kokkos::DefaultHostExecutionSpace space;
  auto request = request_for(0.6, 2, "bmax");
  for (const std::uint32_t bucket : {1u, 12u, 200u}) {
    INFO(bucket);
    for (const Branching branching : {Branching::octree, Branching::binary})
      for (const SofteningKernel kernel : {SofteningKernel::plummer, SofteningKernel::spline}) {
        request.branching = branching;
        request.kernel = kernel;
        CHECK(differing(over_ranks(space, comm, input, request, "breadth", bucket),
                        alone(space, input, request, "breadth", bucket, comm.size())) == 0);
      }
  }
}

TEST_CASE("Nodes that arrive on demand give the bits of one rank") {
  const Communicator comm;
  const HostBodies input = clustered_bodies(3000);
  const auto compute = [&](const auto& space, const std::string& method, const std::string& mac,
                           const std::string& remote, Count depth, SofteningKernel kernel,
                           Branching branching) {
    INFO(method << " " << mac << " " << remote << " " << depth << " "
                << softening_names[std::size_t(kernel)]);
    auto request = request_for(0.5, 2, mac);
    request.remote = remote;
    request.cache_depth = depth;
    request.kernel = kernel;
    request.branching = branching;
    CHECK(differing(over_ranks(space, comm, input, request, method, 4),
                    alone(space, input, request, method, 4, comm.size())) == 0);
  };
  const auto all = [&](const auto& space) {
    using enum SofteningKernel;
    for (const std::string remote : {"request", "sparse", "approximate"}) {
      for (const std::string method : {"breadth", "bucket", "particle"})
        for (const Count depth : {1, 4})
          compute(space, method, "bmax", remote, depth, plummer, Branching::octree);
      compute(space, "bucket", "relative", remote, 2, plummer, Branching::octree);
      compute(space, "breadth", "relative", remote, 2, spline, Branching::octree);
      compute(space, "bucket", "changa", remote, 2, plummer, Branching::binary);
    }
  };
  all(Kokkos::Serial{});
  if constexpr (!std::is_same_v<Kokkos::DefaultHostExecutionSpace, Kokkos::Serial>)
    all(Kokkos::DefaultHostExecutionSpace{});
}

TEST_CASE("Radii with inclusion are those of one rank, bit by bit") {
  const Communicator comm;
  const HostBodies input = clustered_bodies(3000);
  const Kokkos::DefaultHostExecutionSpace space;
  for (const char* mac : {"bmax", "changa"})
    for (const Branching branching : {Branching::octree, Branching::binary})
      for (const Inclusion inclusion :
           {Inclusion::radius, Inclusion::opening, Inclusion::top_down}) {
        auto request = request_for(0.7, 2, mac);
        request.branching = branching;
        request.inclusion_kind = inclusion;
        for (const char* remote : {"let", "sparse"}) {
          INFO(mac << " " << branching_names[std::size_t(branching)] << " "
                   << inclusion_names[std::size_t(inclusion)] << " " << remote);
          request.remote = remote;
          CHECK(differing(over_ranks(space, comm, input, request, "bucket", 8),
                          alone(space, input, request, "bucket", 8, comm.size())) == 0);
        }
      }
  // An angle so small that radii overflow in the top: every node is opened.
  auto request = request_for(1e-4, 1);
  request.inclusion_kind = Inclusion::radius;
  CHECK(differing(over_ranks(space, comm, input, request, "bucket", 8),
                  alone(space, input, request, "bucket", 8, comm.size())) == 0);
}

TEST_CASE("Without memory of where they stopped, buckets repeat what the recursion lists") {
  const Communicator comm;
  const HostBodies input = clustered_bodies(7000);
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    for (const Branching branching : {Branching::octree, Branching::binary})
      for (const Count depth : {1, 3})
        for (const Inclusion inclusion :
             {Inclusion::none, Inclusion::radius, Inclusion::opening, Inclusion::top_down}) {
          INFO(backend_name<Space>() << " " << branching_names[std::size_t(branching)] << " depth "
                                     << depth << " " << inclusion_names[std::size_t(inclusion)]);
          auto request = request_for(0.7, 2, "changa");
          request.branching = branching;
          request.cache_depth = depth;
          request.inclusion_kind = inclusion;
          const auto [fields, found] = stateless(space, comm, input, request, 8);
          CHECK(found.unlike_recursion == 0);
          CHECK(found.mass_error < 5e-6);  // measured in float: 2e-6 and less
          const bool repeats = found.cells + found.bodies > 0;
          if (comm.size() == 1 || inclusion == Inclusion::opening ||
              inclusion == Inclusion::radius) {
            CHECK(!repeats);
            CHECK(largest_difference(
                      fields, alone(space, input, request, "bucket", 8, comm.size())) < 1e-5);
          } else if (comm.size() == 2 && inclusion == Inclusion::none &&
                     branching == Branching::binary && depth == 1) {
            CHECK(repeats);  // between the domains of 3 ranks there are none
            CHECK(found.most_mass > 1.0001);
          }
        }
  });
}

/// What this rank paid for the nodes of others.
gravity::RemoteCost cost_of(const Communicator& comm, const HostBodies& input,
                            gravity::Request request, const std::string& remote, Count depth) {
  const Kokkos::DefaultHostExecutionSpace space;
  request.remote = remote;
  request.cache_depth = depth;
  gravity::SharedTree<Kokkos::DefaultHostExecutionSpace> shared(comm, space, request, 4);
  shared.distribute(slice_of<Kokkos::HostSpace>(input, comm, false), input.box, input.size());
  shared.build();
  shared.compute_moments(false);
  const auto fields = allocate_fields<Kokkos::HostSpace>(shared.own().size());
  shared.solve(*gravity::make_method("bucket", space, request), fields);
  return shared.remote().cost();
}

TEST_CASE(
    "Deeper subtrees need fewer rounds and requests, and a box of all targets asks for more") {
  const Communicator comm;
  if (comm.size() == 1) return;
  const HostBodies input = clustered_bodies(20000);
  const auto request = request_for(0.5, 1);
  const auto cost = [&](const char* remote, Count depth) {
    return cost_of(comm, input, request, remote, depth);
  };
  const auto let = cost("let", 4), one = cost("request", 1), four = cost("request", 4),
             box = cost("approximate", 1), pairs = cost("sparse", 1);
  CHECK(let.rounds == 0);
  CHECK(let.requests == 0);
  CHECK(one.rounds > four.rounds);
  CHECK(four.rounds >= 1);
  CHECK(one.requests >= four.requests);
  CHECK(four.nodes_held >= one.nodes_held);
  // Walks that go on where they stopped ask for what walks from the root ask for.
  CHECK(pairs.rounds == one.rounds);
  CHECK(pairs.requests == one.requests);
  CHECK(pairs.nodes_held == one.nodes_held);
  CHECK(pairs.bodies_held == one.bodies_held);
  CHECK(pairs.pending > 0);
  CHECK(one.pending == 0);
  CHECK(box.nodes_held >= one.nodes_held);
  // With one level only what a group opens arrives: no more than the boxes of coarse leaves open.
  CHECK(one.nodes_held <= let.nodes_held);
}

TEST_CASE("Domains by the last walk's work do not change a bit") {
  const Communicator comm;
  const HostBodies input = clustered_bodies(3000);
  const Kokkos::DefaultHostExecutionSpace space;
  const auto request = request_for(0.5, 2);
  CHECK(differing(over_ranks(space, comm, input, request, "breadth", 16, 3),
                  alone(space, input, request, "breadth", 16, comm.size())) == 0);
}

TEST_CASE("Fewer bodies than ranks, and coincident ones, have the fields of one rank") {
  const Communicator comm;
  const Kokkos::DefaultHostExecutionSpace space;
  auto request = request_for(0.7, 2);
  for (const Count n : {1, 2, 3, 40}) {
    INFO(n);
    HostBodies input = clustered_bodies(n);
    if (n == 40)
      for (Count i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a) input.position(i, a) = Real(0.5);
    for (const char* remote : {"let", "request", "sparse", "approximate"}) {
      INFO(remote);
      request.remote = remote;
      CHECK(differing(over_ranks(space, comm, input, request, "breadth", 1),
                      alone(space, input, request, "breadth", 1, comm.size())) == 0);
    }
    const auto [fields, found] = stateless(space, comm, input, request, 1);
    CHECK(found.unlike_recursion == 0);
    CHECK(found.mass_error < 5e-6);
    if (found.cells + found.bodies == 0)
      CHECK(largest_difference(fields, alone(space, input, request, "bucket", 1, comm.size())) <
            1e-5);
  }
}

TEST_CASE("Every backend counts every mass of all ranks once") {
  const Communicator comm;
  const HostBodies input = clustered_bodies(3000);
  const auto request = request_for(0.7, 1);
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    using MemorySpace = typename Space::memory_space;
    gravity::SharedTree<Space> shared(comm, space, request, 16);
    shared.distribute(slice_of<MemorySpace>(input, comm, false), input.box, input.size());
    shared.build();
    shared.compute_moments(false);
    const auto fields = allocate_fields<MemorySpace>(shared.own().size());
    const auto method = gravity::make_method("breadth", space, request);
    shared.solve(*method, fields);
    // Measured in float: 6e-7 and less.
    CHECK(gravity::uncounted_over_ranks(space, shared, *method, input.box) < 5e-6);
  });
}

TEST_CASE("With an opening angle of zero every rank gets all bodies") {
  const Communicator comm;
  const HostBodies input = clustered_bodies(900);
  const Kokkos::DefaultHostExecutionSpace space;
  const auto request = request_for(0.0, 1);
  gravity::SharedTree<Kokkos::DefaultHostExecutionSpace> shared(comm, space, request, 16);
  shared.distribute(slice_of<Kokkos::HostSpace>(input, comm, false), input.box, input.size());
  shared.build();
  shared.compute_moments(false);
  const auto fields = allocate_fields<Kokkos::HostSpace>(shared.own().size());
  shared.solve(*gravity::make_method("breadth", space, request), fields);
  const auto& cost = shared.remote().cost();
  if (shared.own().size() > 0) CHECK(shared.own().size() + cost.bodies_held == input.size());
}

TEST_CASE("Too little memory for others' nodes is an error on every rank") {
  const Communicator comm;
  if (comm.size() == 1) return;
  const HostBodies input = clustered_bodies(40000);
  const Kokkos::DefaultHostExecutionSpace space;
  auto request = request_for(0.0, 4);
  request.remote_memory = 1;
  for (const char* remote : {"let", "request", "sparse", "approximate", "stateless"}) {
    request.remote = remote;
    gravity::SharedTree<Kokkos::DefaultHostExecutionSpace> shared(comm, space, request, 16);
    shared.distribute(slice_of<Kokkos::HostSpace>(input, comm, false), input.box, input.size());
    shared.build();
    shared.compute_moments(false);
    const auto fields = allocate_fields<Kokkos::HostSpace>(shared.own().size());
    CHECK_THROWS_AS(shared.solve(*gravity::make_method("bucket", space, request), fields),
                    InputError);
  }
}

}  // namespace
}  // namespace copse::test
