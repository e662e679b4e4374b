#include "parsing_app.hpp"
#include <copse/app/coordinate_checksum.hpp>
#include <copse/app/session.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/machine.hpp>
#include <copse/particles/generators.hpp>
#include <copse/particles/subsample.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

using namespace copse::app;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using copse::Count;
using copse::InputError;

namespace {

nlohmann::json report_of(Session& session) {
  return session.report().assemble(session.timer(), session.memory(), session.verification(),
                                   false);
}

}  // namespace

TEST_CASE("one warm-up and R timed runs make R samples, without the warm-up's") {
  Session session("parsing", parse({"--repeat", "4"}), MPI_COMM_WORLD);
  std::vector<int> indices;
  const Samples samples =
      session.measure("copse::test::measured", [&](int index) { indices.push_back(index); });
  CHECK(indices == std::vector<int>{-1, 0, 1, 2, 3});
  CHECK(samples.seconds.size() == 4);
  const auto phases = session.timer().phases();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].samples.seconds.size() == 4);
}

TEST_CASE("measuring the same label twice gives each call its own samples") {
  Session session("parsing", parse({"--repeat", "2"}), MPI_COMM_WORLD);
  session.measure("copse::test::measured", [](int) {});
  CHECK(session.measure("copse::test::measured", [](int) {}).seconds.size() == 2);
  CHECK(session.timer().phases()[0].samples.seconds.size() == 4);
}

// Oracle: sizes and first rows must tile [0, N) whatever the number of ranks.
TEST_CASE("generated particles are distributed completely, on every backend") {
  constexpr Count n = 10'007;
  copse::for_each_backend([&]<class Space>(Space space) {
    Session session("parsing",
                    parse({"--particles", std::to_string(n), "--backend",
                           std::string(copse::backend_name<Space>())}),
                    MPI_COMM_WORLD);
    const auto particles = session.load_particles(space, {.id = true});
    const Count size = particles.size();
    CHECK(session.total_particles() == n);
    CHECK(particles.id.extent(0) == size);

    std::vector<Count> sizes(static_cast<std::size_t>(session.ranks()));
    MPI_Allgather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    Count before = 0;
    for (int r = 0; r < session.rank(); ++r) before += sizes[static_cast<std::size_t>(r)];
    CHECK(session.first_row() == before);
    for (int r = session.rank(); r < session.ranks(); ++r)
      before += sizes[static_cast<std::size_t>(r)];
    CHECK(before == n);
  });
}

TEST_CASE("the checksum of the input is the same on every backend and any number of ranks") {
  std::set<std::string> seen;
  copse::for_each_backend([&]<class Space>(Space space) {
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
      Session session(
          "parsing",
          parse({"--particles", "5000", "--backend", std::string(copse::backend_name<Space>())}),
          comm);
      session.load_particles(space);
      // On the other ranks of a communicator the report is incomplete, but the input is not.
      const auto input = report_of(session)["input"];
      CHECK(input["particles"] == 5000);
      CHECK(input["source"] == "uniform seed 42");
      seen.insert(input["checksum"].get<std::string>());
    }
  });
  CHECK(seen.size() == 1);
}

// Oracle: the generator called directly.
TEST_CASE("the share of particles in haloes reaches the generator, on every backend and rank") {
  std::set<std::string> seen;
  copse::for_each_backend([&]<class Space>(Space space) {
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
      Session session("parsing",
                      parse({"--generate", "nfw", "--particles", "5000", "--halo-fraction", "0.9",
                             "--backend", std::string(copse::backend_name<Space>())}),
                      comm);
      const auto particles = session.load_particles(space);
      copse::GeneratorOptions options;
      options.kind = "nfw";
      options.particles = 5000;
      options.model.halo_fraction = 0.9;
      const auto expected = copse::generate(space, options, session.first_row(), particles.size());
      CHECK(coordinate_checksum(space, particles.position) ==
            coordinate_checksum(space, expected.position));
      const auto input = report_of(session)["input"];
      CHECK(input["source"] == "nfw seed 42 halo-fraction 0.9");
      seen.insert(input["checksum"].get<std::string>());
    }
  });
  CHECK(seen.size() == 1);
}

// Oracle: `subsample_count` of the whole set on one rank.
TEST_CASE("a sub-sample holds the same particles on every backend and any number of ranks") {
  copse::GeneratorOptions options;
  options.kind = "uniform";
  options.particles = 5000;
  const auto expected = copse::subsample_count(
      Kokkos::Serial(), copse::generate(Kokkos::Serial(), options, 0, 5000), 1234, 42);
  copse::for_each_backend([&]<class Space>(Space space) {
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
      Session session("parsing",
                      parse({"--particles", "5000", "--subsample", "1234", "--backend",
                             std::string(copse::backend_name<Space>())}),
                      comm);
      const auto particles =
          copse::copy_particles<Kokkos::HostSpace>(session.load_particles(space));
      CHECK(session.total_particles() == 1234);
      Count different = 0;
      for (Count i = 0; i < particles.size(); ++i)
        for (int a = 0; a < 3; ++a)
          different += particles.position(i, a) != expected.position(session.first_row() + i, a);
      CHECK(different == 0);
      Count total = particles.size();
      MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UINT64_T, MPI_SUM, comm);
      CHECK(total == 1234);
      const auto input = report_of(session)["input"];
      CHECK(input["particles"] == 1234);
      CHECK(input["source"] == "uniform seed 42 subsample 1234");
    }
  });
}

TEST_CASE("more particles than one rank can index are refused") {
  Session session("parsing", parse({"--particles", "2^47", "--backend", "serial"}), MPI_COMM_SELF);
  CHECK_THROWS_MATCHES(session.load_particles(Kokkos::Serial()), InputError,
                       MessageMatches(ContainsSubstring("--particles 140737488355328")));
}

// Oracle: a particle with position, velocity and id takes 6 numbers and 8 bytes, so 2^32 of them
// take 128 GiB in single and 224 GiB in double precision.
TEST_CASE("more particles than memory holds are refused") {
  if (copse::backend_memory_bytes("serial") > (1ull << 37)) SKIP("this machine has the memory");
  const std::string size = sizeof(copse::Real) == 4 ? "128.00 GiB" : "224.00 GiB";
  Session session("parsing", parse({"--particles", "2^32", "--backend", "serial"}), MPI_COMM_SELF);
  CHECK_THROWS_MATCHES(session.load_particles(Kokkos::Serial(), {.velocity = true, .id = true}),
                       InputError, MessageMatches(ContainsSubstring(size)));
}

TEST_CASE("a missing file is refused on every rank, by name") {
  Session session("parsing", parse({"--input", "/nowhere/snapshot"}), MPI_COMM_WORLD);
  CHECK_THROWS_MATCHES(session.load_particles(Kokkos::Serial()), InputError,
                       MessageMatches(ContainsSubstring("/nowhere/snapshot")));
}

TEST_CASE("a report that cannot be written is refused before the run, on every rank") {
  CHECK_THROWS(Session("parsing", parse({"--json", "/nowhere/report.json"}), MPI_COMM_WORLD));
}
