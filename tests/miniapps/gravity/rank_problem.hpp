#pragma once
/// \file
/// Fields over ranks and on one rank, for tests.

#include "rank_slice.hpp"
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstring>
#include <gravity/remote/exact_over_ranks.hpp>
#include <gravity/remote/shared_tree.hpp>
#include <span>
#include <utility>
#include <vector>

namespace copse::test {

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

struct Nothing {
  void operator()(auto&, auto&) const {}
};

/// The fields of all bodies over ranks, on every rank. Calls after(tree, method).
template <class Space, class After = Nothing>
Fields over_ranks(const Space& space, const Communicator& comm, const HostBodies& input,
                  const gravity::Request& request, const std::string& method,
                  std::uint32_t bucket_size, int repeats = 1, const After& after = {}) {
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
    computed = allocate_fields<MemorySpace>(shared.own().size());
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
  after(shared, *solver);

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
  const auto computed = allocate_fields<MemorySpace>(bodies.size());
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

inline std::size_t differing(const Fields& a, const Fields& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    count += std::memcmp(&a[i], &b[i], sizeof(GravityField<Real>)) != 0;
  return count;
}

/// The fields of all bodies by --remote stateless, and what all ranks repeat.
template <class Space>
std::pair<Fields, gravity::Repeated> stateless(const Space& space, const Communicator& comm,
                                               const HostBodies& input, gravity::Request request,
                                               std::uint32_t bucket_size) {
  request.remote = "stateless";
  gravity::Repeated found;
  const Fields fields = over_ranks(
      space, comm, input, request, "bucket", bucket_size, 1,
      [&](gravity::SharedTree<Space>& shared, gravity::Method<Space>& method) {
        found = shared.remote().repeated(method, gravity::longest_softening(input.box), true);
      });
  for (Count* count : {&found.cells, &found.bodies, &found.unlike_recursion})
    *count = comm.allreduce(*count, Reduction::sum);
  found.mass_error = comm.allreduce(found.mass_error, Reduction::max);
  found.most_mass = comm.allreduce(found.most_mass, Reduction::max);
  return {fields, found};
}

/// The largest relative difference of potentials.
inline double largest_difference(const Fields& a, const Fields& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double p = double(a[i].potential), q = double(b[i].potential);
    if (p != q) largest = std::max(largest, std::abs(p - q) / std::abs(q));
  }
  return largest;
}

}  // namespace copse::test
