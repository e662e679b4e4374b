// Run with 1 to 5 ranks. Oracle: the same method on one tree of all bodies, built by
// BodyTreeBuilder without the machine of several ranks; and the masses of all bodies.
#include "rank_slice.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <gravity/remote/exact_over_ranks.hpp>
#include <gravity/remote/shared_tree.hpp>
#include <span>

namespace copse::test {
namespace {

using Fields = std::vector<GravityField<Real>>;  ///< by id

/// Fields in tree order, by id.
template <class MemorySpace, class Id>
void add_fields(const GravityFields<MemorySpace>& computed, const Id& id_of_row, Fields& fields) {
  const auto there = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  };
  const auto a = there(computed.acceleration);
  const auto p = there(computed.potential);
  for (std::size_t i = 0; i < p.extent(0); ++i)
    fields[id_of_row(i)] = {a(i, 0), a(i, 1), a(i, 2), p(i)};
}

/// The fields of all bodies over ranks, on every rank.
template <class Space>
Fields over_ranks(const Space& space, const Communicator& comm, const HostBodies& input,
                  const gravity::Request& request, const std::string& method,
                  std::uint32_t bucket_size, int repeats = 1) {
  using MemorySpace = typename Space::memory_space;
  gravity::SharedTree<Space> shared(comm, space, request, bucket_size);
  auto bodies = slice_of<MemorySpace>(input, comm, request.needs_lengths());
  const auto solver = gravity::make_method(method, space, request);
  GravityFields<MemorySpace> computed;
  const auto solve = [&](bool use_limits) {
    shared.start_clock();
    shared.distribute(bodies, input.box, input.size());
    shared.build();
    shared.compute_moments(use_limits);
    computed = gravity::allocate_fields<MemorySpace>(shared.own().size());
    shared.solve(*solver, computed);
    shared.remote().refuse_missing({computed.potential.extent(0), {}}, computed);
    shared.weigh();
    shared.stop_clock();
    bodies = shared.bodies();
  };
  if (request.is_relative()) {
    solve(false);
    bodies.pulls = gravity::Column<MemorySpace>("copse::test::pulls", bodies.size());
    shared.builder().record_pulls(shared.own(), computed, bodies.pulls);
  }
  for (int r = 0; r < repeats; ++r) solve(request.is_relative());

  const auto id = download(bodies.id);
  const auto order = download(shared.own().order);
  struct Row {
    GlobalId id;
    GravityField<Real> field;
  };
  Fields own(input.size());
  add_fields(
      computed, [&](std::size_t i) { return id[order[i]]; }, own);
  std::vector<Row> mine;
  for (std::size_t i = 0; i < order.size(); ++i) mine.push_back({id[order[i]], own[id[order[i]]]});
  const auto all = comm.allgatherv(std::span<const Row>(mine));
  REQUIRE(all.size() == input.size());
  Fields fields(input.size());
  for (const Row& row : all) fields[row.id] = row.field;
  return fields;
}

/// The same on this rank alone.
template <class Space>
Fields alone(const Space& space, const HostBodies& input, const gravity::Request& request,
             const std::string& method, std::uint32_t bucket_size, int ranks) {
  using MemorySpace = typename Space::memory_space;
  const auto particles = copy_particles<MemorySpace>(input);
  gravity::BodyTreeBuilder<Space> builder(space);
  gravity::BodyTree<MemorySpace> bodies;
  bodies.group_bodies = gravity::coarse_leaf_bodies(input.size(), ranks, bucket_size);
  builder.build(particles, request, bucket_size, bodies);
  builder.compute_moments(request, bodies);
  const auto solver = gravity::make_method(method, space, request);
  const auto computed = gravity::allocate_fields<MemorySpace>(bodies.size());
  solver->solve(bodies, computed);
  if (request.is_relative()) {
    const gravity::Column<MemorySpace> pulls("copse::test::pulls", bodies.size());
    builder.record_pulls(bodies, computed, pulls);
    builder.set_limits(request, pulls, bodies);
    builder.compute_moments(request, bodies);
    solver->solve(bodies, computed);
  }
  Fields fields(input.size());
  const auto order = download(bodies.order);
  add_fields(
      computed, [&](std::size_t i) { return order[i]; }, fields);
  return fields;
}

std::size_t differing(const Fields& a, const Fields& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    count += std::memcmp(&a[i], &b[i], sizeof(GravityField<Real>)) != 0;
  return count;
}

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
  const auto fields = gravity::allocate_fields<Kokkos::HostSpace>(shared.own().size());
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
    const auto fields = gravity::allocate_fields<MemorySpace>(shared.own().size());
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
  const auto fields = gravity::allocate_fields<Kokkos::HostSpace>(shared.own().size());
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
  for (const char* remote : {"let", "request", "sparse", "approximate"}) {
    request.remote = remote;
    gravity::SharedTree<Kokkos::DefaultHostExecutionSpace> shared(comm, space, request, 16);
    shared.distribute(slice_of<Kokkos::HostSpace>(input, comm, false), input.box, input.size());
    shared.build();
    shared.compute_moments(false);
    const auto fields = gravity::allocate_fields<Kokkos::HostSpace>(shared.own().size());
    CHECK_THROWS_AS(shared.solve(*gravity::make_method("breadth", space, request), fields),
                    InputError);
  }
}

}  // namespace
}  // namespace copse::test
