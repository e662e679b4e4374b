// Run with 1 to 5 ranks. Oracle: the recursive sort of all particles, computed on every rank.
#include <copse/backend/backends.hpp>
#include <copse/backend/mpi/rank_slice.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/domains/leaf_ownership.hpp>
#include <copse/particles/compressed_positions.hpp>

#include <catch2/catch_test_macros.hpp>

#include <miniapps/orb/orb_inputs.hpp>
#include <miniapps/orb/reference_weighted_orb.hpp>
#include <numeric>
#include <type_traits>
#include <utility>

namespace copse::test {
namespace {

/// Initial number of particles per rank.
struct Share {
  const char* name;
  Count (*begin)(Count n, int rank, int ranks);
};

const Share shares[] = {
    {"even", [](Count n, int r, int p) { return rank_slice(n, r, p).first; }},
    {"all on the last rank", [](Count n, int r, int p) { return r == p ? n : 0; }},
    {"three quarters on rank 0",
     [](Count n, int r, int p) {
       const Count others = n - n * 3 / 4;
       return r == 0 ? 0 : n * 3 / 4 + others * (r - 1) / (p - 1);
     }},
};

Count share_begin(const Share& share, Count n, int rank, int ranks) {
  return rank == ranks ? n : share.begin(n, rank, ranks);
}

struct Case {
  HostParticles particles;
  std::vector<std::uint32_t> weights;  ///< empty: by count
  std::uint32_t leaves;
  LeafRule rule;
  FixedPoint grid = {};  ///< of positions in messages
};

/// Number of this rank's cells, particles and ids that differ from the expected ones.
template <class Space>
int differences(const Communicator& comm, const Space& space, const Case& what,
                const ReferenceOrb& expected, const Share& share, Reshuffle reshuffle) {
  using Memory = typename Space::memory_space;
  const Count n = what.particles.size();
  const Count begin = share_begin(share, n, comm.rank(), comm.size());
  const Count mine = share_begin(share, n, comm.rank() + 1, comm.size()) - begin;
  DistributedPoints<Kokkos::HostSpace> host;
  host.position = Points<3, Kokkos::HostSpace>("copse::test::position", mine);
  host.id = Kokkos::View<GlobalId*, Kokkos::HostSpace>("copse::test::id", mine);
  host.weight = Kokkos::View<std::uint32_t*, Kokkos::HostSpace>("copse::test::weight",
                                                                what.weights.empty() ? 0 : mine);
  for (Count i = 0; i < mine; ++i) {
    host.id(i) = begin + i;
    for (int a = 0; a < 3; ++a) host.position(i, a) = what.particles.position(begin + i, a);
    if (!what.weights.empty()) host.weight(i) = what.weights[begin + i];
  }
  const auto on = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Memory{}, view);
  };
  const DistributedPoints<Memory> points{on(host.position), on(host.id), on(host.weight)};
  const OrbOptions options{.leaves = what.leaves, .rule = what.rule, .box = what.particles.box};

  DistributedOrbBuilder<Space> builder(comm, space);
  int differing = 0;
  // Twice: the second build reuses the arrays of the first.
  for (int repeat = 0; repeat < 2; ++repeat) {
    const auto found = builder.build(points, options, reshuffle, !what.weights.empty(), what.grid);
    const auto off = [](const auto& view) {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
    };
    const auto cells = off(found.tree.cells);
    differing += cells.extent(0) != expected.tree.cells.extent(0);
    for (std::size_t i = 1; i < cells.extent(0) && differing == 0; ++i) {
      const OrbCell &a = cells(i), &b = expected.tree.cells(i);
      differing += a.begin != b.begin || a.end != b.end || a.leaves != b.leaves || a.cut != b.cut ||
                   a.cut_axis != b.cut_axis || a.lower[0] != b.lower[0] ||
                   a.lower[1] != b.lower[1] || a.lower[2] != b.lower[2] ||
                   a.upper[0] != b.upper[0] || a.upper[1] != b.upper[1] || a.upper[2] != b.upper[2];
    }
    const auto position = off(found.points.position);
    const auto id = off(found.points.id);
    const auto weight = off(found.points.weight);
    const Count here = position.extent(0);
    differing += comm.allreduce(here, Reduction::sum) != n;
    if (found.first_row + here > n) return differing + 1;
    for (Count i = 0; i < here; ++i) {
      const Count row = found.first_row + i;
      differing += id(i) != expected.permutation(row);
      for (int a = 0; a < 3; ++a) differing += position(i, a) != expected.position(row, a);
      if (!what.weights.empty()) differing += weight(i) != what.weights[expected.permutation(row)];
    }
    // Every leaf is entirely on its owner.
    const LeafOwnership ownership{what.leaves, comm.size()};
    std::uint32_t leaf = 0;
    for (std::size_t stack[64] = {1}, top = 1; top > 0;) {
      const std::size_t slot = stack[--top];
      if (cells(slot).leaves > 1) {
        stack[top++] = 2 * slot + 1;
        stack[top++] = 2 * slot;
        continue;
      }
      if (ownership.owner(leaf++) == comm.rank())
        differing +=
            cells(slot).begin < found.first_row || cells(slot).end > found.first_row + here;
    }
  }
  return comm.allreduce(differing, Reduction::sum);
}

/// The device's backend, or one thread: threads of several ranks wait for each other on few cores.
using One = std::conditional_t<runs_on_host<Kokkos::DefaultExecutionSpace>, Kokkos::Serial,
                               Kokkos::DefaultExecutionSpace>;

void check(const Case& what) {
  const Communicator comm;
  const ReferenceOrb expected =
      what.weights.empty()
          ? reference_orb(what.particles.position, what.particles.box, what.leaves, what.rule)
          : reference_weighted_orb(what.particles.position, what.weights, what.particles.box,
                                   what.leaves, what.rule);
  for (const Share& share : shares)
    for (Reshuffle reshuffle : {Reshuffle::local, Reshuffle::global, Reshuffle::once}) {
      INFO(share.name << ", " << name_of(reshuffle));
      if (&share != &shares[0]) {  // one backend suffices
        CHECK(differences(comm, One{}, what, expected, share, reshuffle) == 0);
        continue;
      }
      for_each_backend([&]<class Space>(Space space) {
        INFO(backend_name<Space>());
        CHECK(differences(comm, space, what, expected, share, reshuffle) == 0);
      });
    }
}

std::vector<std::uint32_t> some_weights(Count n) {
  std::mt19937 bits(3);
  std::vector<std::uint32_t> weights(n);
  for (auto& w : weights) w = 1 + bits() % 1000 * (bits() % 7 == 0 ? 4000000 : 1);
  return weights;
}

TEST_CASE("Any ranks, leaves and particles give the tree of one rank, bit by bit") {
  for (Count n : {0, 3, 700})
    for (std::uint32_t leaves : {1u, 5u, 64u}) {
      const LeafRule rule = leaves == 5 ? LeafRule::halves : LeafRule::complete;
      INFO("n = " << n << ", " << leaves << " leaves, rule " << static_cast<int>(rule));
      check({named_input("random", n), {}, leaves, rule});
    }
}

TEST_CASE("Inputs with ties and clusters give the tree of one rank") {
  for (const std::string& name : input_names()) {
    INFO(name);
    check({named_input(name, 900), {}, 13, LeafRule::complete});
  }
}

TEST_CASE("Trees by weight are those of one rank") {
  for (const char* name : {"random", "duplicates", "neighbours"})
    for (Count n : {2, 600})
      for (std::uint32_t leaves : {2u, 21u})
        for (LeafRule rule : {LeafRule::complete, LeafRule::halves}) {
          INFO(name << ", n = " << n << ", " << leaves << " leaves");
          check({named_input(name, n), some_weights(n), leaves, rule});
        }
}

/// The input rounded to fixed point of its box, sent in that form.
Case compressed(const std::string& name, Count n, std::uint32_t leaves, int bits) {
  Case what{named_input(name, n), {}, leaves, LeafRule::complete};
  what.grid = fixed_point(what.particles.box, bits);
  round_positions(Kokkos::Serial{}, what.grid, what.particles.position);
  return what;
}

TEST_CASE("Positions sent in fixed point arrive bit by bit") {
  for (int bits : {32, 21, 16}) {
    INFO(bits << " bits");
    for (const char* name : {"random", "clustered", "denormals", "duplicates"}) {
      INFO(name);
      check(compressed(name, 700, 13, bits));
    }
    check(compressed("random", 5000, 64, bits));  // cells end at borders of ranks
    Case weighted = compressed("random", 600, 21, bits);
    weighted.weights = some_weights(600);
    check(weighted);
  }
}

TEST_CASE("Positions in fixed point take 12, 8 or 6 bytes of a message") {
  const Communicator comm;
  const auto [begin, end] = rank_slice(1000, comm.rank(), comm.size());
  DistributedPoints<Kokkos::HostSpace> points;
  points.position = Points<3, Kokkos::HostSpace>("copse::test::position", end - begin);
  points.id = Kokkos::View<GlobalId*, Kokkos::HostSpace>("copse::test::id", end - begin);
  DistributedOrbBuilder<Kokkos::Serial> builder(comm);
  constexpr Count id_bytes = sizeof(GlobalId);
  for (const auto& [bits, bytes] : {std::pair{32, 12}, std::pair{21, 8}, std::pair{16, 6}}) {
    const Case what = compressed("random", 1000, 8, bits);
    for (Count i = begin; i < end; ++i) {
      points.id(i - begin) = i;
      for (int a = 0; a < 3; ++a) points.position(i - begin, a) = what.particles.position(i, a);
    }
    for (Reshuffle reshuffle : {Reshuffle::local, Reshuffle::global, Reshuffle::once}) {
      INFO(bits << " bits, " << name_of(reshuffle));
      const auto sent = [&](const FixedPoint& grid) {
        builder.build(points, {.leaves = 8}, reshuffle, false, grid);
        return builder.cost().particle_bytes_sent;
      };
      const Count plain = sent({});
      const Count rows = plain / (3 * sizeof(Real) + id_bytes);
      CHECK(plain == rows * (3 * sizeof(Real) + id_bytes));
      CHECK(sent(what.grid) == rows * (static_cast<Count>(bytes) + id_bytes));
      // Several ranks send some particles; one rank keeps them and counts nothing.
      CHECK((comm.allreduce(rows, Reduction::sum) > 0) == (comm.size() > 1));
    }
  }
}

TEST_CASE("Inputs with many particles take every code path") {
  check({named_input("clustered", 60000), {}, 100, LeafRule::complete});
}

TEST_CASE("Rows that have not moved find more cells than one move can distinguish") {
  // Up to four cells per level are shared by the five ranks, on 17 levels: more than 64 in total.
  const Communicator comm;
  if (comm.size() != 5) SKIP("with five ranks only");
  const Case what{named_input("random", 300), {}, (1u << 16) + 1, LeafRule::complete};
  const auto expected =
      reference_orb(what.particles.position, what.particles.box, what.leaves, what.rule);
  CHECK(differences(comm, Kokkos::DefaultExecutionSpace{}, what, expected, shares[0],
                    Reshuffle::once) == 0);
}

TEST_CASE("Sent and reduced bytes are counted") {
  const Communicator comm;
  const auto particles = named_input("random", 1000);
  const auto [begin, end] = rank_slice(1000, comm.rank(), comm.size());
  DistributedPoints<Kokkos::HostSpace> points;
  points.position = Points<3, Kokkos::HostSpace>("copse::test::position", end - begin);
  points.id = Kokkos::View<GlobalId*, Kokkos::HostSpace>("copse::test::id", end - begin);
  for (Count i = begin; i < end; ++i) {
    points.id(i - begin) = i;
    for (int a = 0; a < 3; ++a) points.position(i - begin, a) = particles.position(i, a);
  }
  DistributedOrbBuilder<Kokkos::Serial> builder(comm);
  const auto found = builder.build(points, {.leaves = 8}, Reshuffle::local, false);
  const auto sent = builder.cost().particle_bytes_sent;
  // Oracle: all particles that did not stay on this rank were sent.
  Count stayed = 0;
  for (Count i = 0; i < found.points.id.extent(0); ++i)
    stayed += begin <= found.points.id(i) && found.points.id(i) < end;
  const Count row_bytes = 3 * sizeof(Real) + sizeof(GlobalId);
  CHECK(sent == (end - begin - stayed) * row_bytes);
  CHECK(builder.cost().exchanges == 1);
  CHECK(builder.cost().rounds_per_level.size() == 3);
  const auto once = builder.build(points, {.leaves = 8}, Reshuffle::once, false);
  CHECK(once.points.id.extent(0) == found.points.id.extent(0));
  CHECK(builder.cost().particle_bytes_sent == (comm.size() == 1 ? 0 : sent));
  CHECK(builder.cost().exchanges == (comm.size() == 1 ? 0 : 1));
  builder.build(points, {.leaves = 8}, Reshuffle::global, false);
  if (comm.size() == 1) {
    CHECK(builder.cost().exchanges == 0);
    CHECK(builder.cost().particle_bytes_sent == 0);
    CHECK(builder.cost().bytes_reduced == 0);
  } else {
    CHECK(builder.cost().exchanges >= 1);
    CHECK(builder.cost().exchanges <= 4);
  }
}

}  // namespace
}  // namespace copse::test
