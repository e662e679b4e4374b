// Run with 1 to 5 ranks. Oracle: the input itself; every rank has a copy.
#include "clustered_points.hpp"
#include <copse/backend/backends.hpp>
#include <copse/domains/ghosts.hpp>
#include <copse/domains/migration.hpp>

#include <catch2/catch_test_macros.hpp>

#include <span>

namespace copse::test {
namespace {

template <class Memory>
struct Columns {
  Points<3, Memory> position;
  Points<3, Memory> velocity;  ///< may be empty

  Count size() const { return position.extent(0); }
  bool has_velocity() const { return velocity.extent(0) > 0; }
};
using HostColumns = Columns<Kokkos::HostSpace>;

/// This rank's range of all particles: few on the first rank, most on the last.
struct Mine {
  Count begin;
  Count end;
};
Mine rows_of(const Communicator& comm, Count n) {
  const auto p = static_cast<Count>(comm.size());
  const auto begin = [&](Count r) { return r == p ? n : n * r * r / (p * p); };
  const auto r = static_cast<Count>(comm.rank());
  return {begin(r), begin(r + 1)};
}

template <class Memory>
Columns<Memory> part_of(const HostColumns& all, const Mine& mine) {
  const auto rows = std::pair(mine.begin, mine.end);
  const auto copy = [&](const Points<3, Kokkos::HostSpace>& from) {
    const Points<3, Memory> to("copse::test::part",
                               from.extent(0) == 0 ? 0 : mine.end - mine.begin);
    if (to.extent(0) == 0) return to;
    for (int a = 0; a < 3; ++a)
      Kokkos::deep_copy(Kokkos::subview(to, Kokkos::ALL, a), Kokkos::subview(from, rows, a));
    return to;
  };
  return {copy(all.position), copy(all.velocity)};
}

/// Copies points to the host, without any padding after the columns.
template <class Memory>
Points<3, Kokkos::HostSpace> on_host(const Points<3, Memory>& points) {
  const Points<3, Memory> alone("copse::test::alone", points.extent(0));
  Kokkos::deep_copy(alone, points);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, alone);
}

/// Number of a domain's particles that do not match the particle with their id; ids must ascend.
template <class Memory>
Count wrong_particles(const Domain<Memory>& domain, const Points<3, Memory>& velocity,
                      const HostColumns& all) {
  const auto id = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, domain.id);
  const auto x = on_host(domain.position);
  const auto v = on_host(velocity);
  Count wrong = 0;
  for (Count i = 0; i < domain.size(); ++i) {
    if (id(i) >= all.size() || (i > 0 && id(i) <= id(i - 1))) {
      ++wrong;
      continue;
    }
    for (int a = 0; a < 3; ++a)
      wrong += x(i, a) != all.position(id(i), a) ||
               (all.has_velocity() && v(i, a) != all.velocity(id(i), a));
  }
  return wrong;
}

bool apart(const BoxBound<3>& a, const BoxBound<3>& b) {
  for (int axis = 0; axis < 3; ++axis)
    if (a.upper[axis] < b.lower[axis] || b.upper[axis] < a.lower[axis]) return true;
  return false;
}

template <class Space>
Count overlapping_domains(const Communicator& comm, const Space& space,
                          const Domain<typename Space::memory_space>& domain) {
  const BoxBound<3> mine = domain_bound(space, domain.position);
  const auto bounds = comm.allgatherv(std::span<const BoxBound<3>>(&mine, 1));
  Count overlapping = 0;
  for (std::size_t a = 0; a < bounds.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) overlapping += !apart(bounds[a], bounds[b]);
  return overlapping;
}

/// Number of returned values that differ from the value computed from the particle's id.
template <class Space>
Count wrong_numbers(Migration<Space>& exchange, CountedMessages& messages,
                    const Domain<typename Space::memory_space>& domain, const Mine& mine,
                    GlobalId factor) {
  using Numbers = typename Migration<Space>::Numbers;
  const Numbers sent("copse::test::sent", domain.size());
  const Numbers back("copse::test::back", mine.end - mine.begin);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, domain.id);
  for (Count i = 0; i < domain.size(); ++i) host(i) *= factor;
  Kokkos::deep_copy(sent, host);
  exchange.bring_back(sent, back, messages);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, back);
  Count wrong = 0;
  for (Count i = 0; i < found.extent(0); ++i) wrong += found(i) != (mine.begin + i) * factor;
  return wrong;
}

/// Moves particles to disjoint domains and numbers back. Returns the number of particles of each
/// domain.
std::vector<Count> check_domains(const Sample& sample, Count sample_rows) {
  const Communicator comm;
  const HostColumns all{to_points(sample.x), to_points(sample.v)};
  const Mine mine = rows_of(comm, all.size());
  std::vector<Count> sizes;
  for_each_backend([&]<class Space>(Space space) {
    INFO("on " << backend_name<Space>());
    Migration<Space> exchange(comm, space);
    CountedMessages messages(comm);
    for (const bool narrow : {true, false}) {
      using Memory = typename Space::memory_space;
      const auto part = part_of<Memory>(all, mine);
      const auto domain =
          exchange.move(part.position, sample.box, messages,
                        {.sample_rows = sample_rows, .ghost_room = 4, .narrow_numbers = narrow});
      Points<3, Memory> velocity;
      if (all.has_velocity())
        velocity =
            first_points(exchange.move_along("velocity", part.velocity, messages), domain.size());
      const auto over_ranks = [&](Count n) { return comm.allreduce(n, Reduction::sum); };
      CHECK(over_ranks(domain.size()) == all.size());
      CHECK(over_ranks(wrong_particles(domain, velocity, all)) == 0);
      CHECK(overlapping_domains(comm, space, domain) == 0);
      const GlobalId factor = narrow ? 1 : GlobalId{1} << 33;
      CHECK(over_ranks(wrong_numbers(exchange, messages, domain, mine, factor)) == 0);
      const auto now = comm.allgather(domain.size());
      CHECK((sizes.empty() || sizes == now));
      sizes = now;
    }
  });
  return sizes;
}

void check_shares(const std::vector<Count>& sizes, double most_off) {
  double sum = 0.0;
  for (const Count n : sizes) sum += static_cast<double>(n);
  const double share = sum / static_cast<double>(sizes.size());
  for (const Count n : sizes) CHECK(std::fabs(static_cast<double>(n) - share) <= most_off * share);
}

TEST_CASE("Domains cut from a sample hold equal shares within the sampling error") {
  for (const bool velocities : {false, true})
    for (const Count m : {100u, 1600u}) {
      INFO("velocities " << velocities << ", " << m << " rows a rank");
      const auto sizes = check_domains(clustered(30000, 3, true, velocities, Real(0.75)), m);
      check_shares(sizes, 4.0 / std::sqrt(static_cast<double>(m)));
    }
}

TEST_CASE("A sample of all rows cuts domains exactly") {
  const auto sizes = check_domains(clustered(3000, 4, false, false), 3000);
  check_shares(sizes, 8.0 / 3000 * static_cast<double>(sizes.size()));
}

TEST_CASE("A lattice that is stored plane by plane is not sampled in one plane") {
  // The planes are denser at small x, so that halves of the box hold unequal parts.
  Sample lattice;
  for (int i = 0; i < 32768; ++i) {
    const Real x = static_cast<Real>(i % 32) / 32;
    lattice.x.push_back(
        {x * x * x, static_cast<Real>(i / 32 % 32) / 32, static_cast<Real>(i / 1024) / 32});
  }
  // The sample takes one particle of 32, a line of the lattice. A cut is off by up to one of 32
  // planes.
  const Communicator comm;
  const auto ranks = static_cast<Count>(comm.size());
  const Count m = 1024 / ranks;
  check_shares(check_domains(lattice, m),
               4.0 / std::sqrt(static_cast<double>(m)) + static_cast<double>(ranks) / 32);
}

TEST_CASE("Few particles, and coincident particles, all belong to a domain") {
  for (const std::size_t n : {0, 1, 2, 3, 4}) {
    INFO(n << " particles");
    for (const Count m : {1u, 100u}) check_domains(clustered(n, 5, true, true), m);
  }
  Sample heap;
  heap.x.assign(600, Row{Real(0.3), Real(0.4), Real(0.5)});
  const auto sizes = check_domains(heap, 10);
  CHECK(std::count(sizes.begin(), sizes.end(), Count{600}) == 1);
  // A small sample almost certainly misses this particle: the cuts then see only one position.
  heap.x.push_back({Real(0.9), Real(0.9), Real(0.9)});
  check_domains(heap, 2);
}

TEST_CASE("A sample has one row of each stratum, however the rows are spread over ranks") {
  const Communicator comm;
  for (const Count n : {0u, 1u, 999u, 1000u, 1001u, 12345u}) {
    INFO(n << " rows");
    const HostColumns all{to_points(clustered(n, 6, false, false).x), {}};
    const Mine mine = rows_of(comm, n);
    const DomainSample sample = DomainSample::of(n, 1000);
    CHECK((n > 1000 || sample.stride == 1));
    Workspace<Kokkos::HostSpace> workspace;
    const auto taken =
        sample_rows(Kokkos::Serial{}, sample, part_of<Kokkos::HostSpace>(all, mine).position,
                    mine.begin, workspace);
    const auto ids = comm.allgatherv(std::span<const GlobalId>(taken.id.data(), taken.id.size()));
    CHECK(ids.size() <= std::min<Count>(n, 1000));
    CHECK(ids.size() >= n / sample.stride);
    int wrong = 0;
    for (std::size_t s = 0; s < ids.size(); ++s)
      wrong += ids[s] / sample.stride != s || ids[s] >= n;
    for (Count i = 0; i < taken.id.extent(0); ++i)
      for (int a = 0; a < 3; ++a) wrong += taken.position(i, a) != all.position(taken.id(i), a);
    CHECK(wrong == 0);
  }
}

}  // namespace
}  // namespace copse::test
