// The end of a mini-app on several ranks when one or all of them fail.
#include "command_result.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

using namespace copse::app;
using Catch::Matchers::ContainsSubstring;
using copse::test::ScratchFolder;
using copse::test::text_of;
using nlohmann::json;

namespace {

/// A hanging job is killed; its code is then 124, that of timeout.
CommandResult probe(int ranks, const std::string& options) {
  return run_command("timeout 60 " COPSE_MPIEXEC " " COPSE_MPIEXEC_NUMPROC " " +
                     std::to_string(ranks) + " " COPSE_PROBE_APP " --particles 1e4 --repeat 1 " +
                     options);
}

}  // namespace

TEST_CASE("a job on two ranks succeeds and prints once") {
  const CommandResult r = probe(2, "--verify");
  CAPTURE(r.err);
  CHECK(r.code == 0);
  CHECK(occurrences(r.out, "FOM ") == 1);
  CHECK(occurrences(r.out, "passed") == 1);
}

TEST_CASE("help and bad options print once, not once per rank") {
  const CommandResult help = probe(2, "--help");
  CHECK(help.code == 0);
  CHECK(occurrences(help.out, "--json") == 1);
  const CommandResult bad = probe(2, "--leafs 3");
  CHECK(bad.code == 2);
  CHECK(occurrences(bad.err, "unknown option") == 1);
}

TEST_CASE("an error on all ranks is printed once and ends with code 2") {
  const CommandResult r = probe(2, "--fail input");
  CHECK(r.code == 2);
  CHECK(occurrences(r.err, "probe: error: the probe was asked to fail") == 1);
}

TEST_CASE(
    "an error on one rank ends all ranks with its code, whether or not they wait in a barrier") {
  const auto rank = GENERATE(0, 1);
  const auto barrier = GENERATE("", "--barrier ");
  const auto [how, code] = GENERATE(table<std::string, int>({{"input", 2}, {"unexpected", 3}}));
  CAPTURE(rank, barrier, how);
  const CommandResult r =
      probe(2, std::string(barrier) + "--fail " + how + " --fail-rank " + std::to_string(rank));
  CHECK(r.code == code);
  CHECK(occurrences(r.err, "probe: error: ") == 1);
  CHECK_THAT(r.out, !ContainsSubstring("FOM"));
}

TEST_CASE("a failed verification on two ranks ends with code 1 and one sentence") {
  const CommandResult r = probe(2, "--verify --sabotage sum");
  CHECK(r.code == 1);
  CHECK(occurrences(r.err, "verification failed") == 1);
  CHECK_THAT(r.out, !ContainsSubstring("FOM"));
}

// Oracle: the particle set does not depend on the ranks, so neither do its checksum and the work.
TEST_CASE("one and two ranks report the same input and the same work") {
  const ScratchFolder folder;
  std::vector<json> reports;
  for (const int ranks : {1, 2}) {
    const auto path = folder / ("report" + std::to_string(ranks) + ".json");
    REQUIRE(probe(ranks, "--json '" + path.string() + "'").code == 0);
    reports.push_back(json::parse(text_of(path)));
    CHECK(reports.back()["run"]["ranks"] == ranks);
  }
  CHECK(reports[0]["input"] == reports[1]["input"]);
  const auto work = [](const json& report) {
    for (const json& phase : report["phases"])
      if (phase["name"] == "probe::sum") return phase["bytes"];
    return json();
  };
  CHECK(work(reports[0]) == 40'000.0);
  CHECK(work(reports[1]) == 40'000.0);
}
