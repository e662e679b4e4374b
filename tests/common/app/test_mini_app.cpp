// The behaviour of a mini-app as a user sees it: exit code, stdout, stderr and files.
#include "command_result.hpp"
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

using namespace copse::app;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Matches;
using Catch::Matchers::StartsWith;
using copse::test::ScratchFolder;
using copse::test::text_of;
using nlohmann::json;
using Names = std::vector<std::string>;

namespace {

CommandResult probe(const std::string& options) {
  return run_command(std::string(COPSE_PROBE_APP) + " " + options);
}

}  // namespace

TEST_CASE("help, version and list succeed and write to stdout only") {
  for (const char* option : {"--help", "-h", "--version", "--list", "--help --input /nowhere"}) {
    CAPTURE(option);
    const CommandResult r = probe(option);
    CHECK(r.code == 0);
    CHECK_FALSE(r.out.empty());
    CHECK(r.err.empty());
  }
}

TEST_CASE("bad input ends with code 2 and one sentence") {
  const auto [options, sentence] = GENERATE(table<std::string, std::string>({
      {"--leafs 3", "probe: error: unknown option '--leafs'"},
      {"--kokkos-leafs=3", "unknown option '--kokkos-leafs=3'"},
      {"--particles -1", "--particles '-1' is negative"},
      {"--particles 2^45", "--particles"},
      {"--backend abacus", "--backend 'abacus'"},
      {"--generate donut", "--generate 'donut'"},
      {"--input /nowhere/file", "/nowhere/file"},
      {"--input /", "/"},
      {"--input /dev/null", "/dev/null"},
      {"--json /nowhere/report.json", "probe: error: --json: "},
      {"--json /", "probe: error: --json: "},
      {"--output out.h5", "--output is not for probe"},
      {"--fail input", "probe: error: the probe was asked to fail"},
  }));
  CAPTURE(options);
  const CommandResult r = probe("--repeat 1 " + options);
  CHECK(r.code == 2);
  CHECK_THAT(r.err, ContainsSubstring(sentence));
  CHECK(occurrences(r.err, "probe: error: ") == 1);
  CHECK(occurrences(r.err, "ERROR") == 0);
  CHECK_THAT(r.out, !ContainsSubstring("FOM"));
}

TEST_CASE("bad input is one line, also if nobody has set OMP_PROC_BIND") {
  for (const char* options : {"--fail input", "--particles -1"}) {
    const CommandResult r =
        run_command("env -u OMP_PROC_BIND " COPSE_PROBE_APP " --repeat 1 " + std::string(options));
    CHECK(r.code == 2);
    CHECK_THAT(r.err, StartsWith("probe: error: "));
    CHECK(occurrences(r.err, "\n") == 1);
  }
}

TEST_CASE("anything unexpected ends with code 3 and one line") {
  const auto [how, sentence] = GENERATE(table<std::string, std::string>({
      {"unexpected", "probe: error: unexpected: the probe broke\n"},
      {"memory", "probe: error: out of memory\n"},
      {"unknown", "probe: error: unexpected: an exception of unknown type\n"},
  }));
  const CommandResult r = probe("--particles 1000 --fail " + how);
  CHECK(r.code == 3);
  CHECK_THAT(r.err, ContainsSubstring(sentence) && !ContainsSubstring("details"));
}

TEST_CASE("a run prints its table and finally its figure of merit, on every backend") {
  for (const auto& backend : copse::backend_names()) {
    const CommandResult r = probe("--particles 1e4 --repeat 2 --verify --backend " + backend);
    CAPTURE(backend, r.err);
    CHECK(r.code == 0);
    CHECK_THAT(r.out, ContainsSubstring("mean   passed") &&
                          Matches("(.|\n)*\nFOM particles_per_second [0-9.e+]+ 1/s\n"));
  }
}

TEST_CASE("quiet prints only the figure of merit") {
  const CommandResult r = probe("--particles 1e4 --repeat 1 --verify --quiet");
  CHECK_THAT(r.out, StartsWith("FOM "));
  CHECK(occurrences(r.out, "\n") == 1);
}

TEST_CASE("a dry run with --verify has nothing to verify and no figure of merit") {
  const CommandResult r = probe("--particles 1e4 --dry-run --verify");
  CHECK(r.code == 0);
  CHECK_THAT(r.out, ContainsSubstring("dry run") && !ContainsSubstring("FOM"));
}

TEST_CASE("a failed verification ends with code 1, without a figure of merit anywhere") {
  const ScratchFolder folder;
  const CommandResult r = probe("--particles 1e4 --repeat 1 --verify --sabotage sum --json '" +
                                (folder / "report.json").string() + "'");
  CHECK(r.code == 1);
  CHECK_THAT(r.out, ContainsSubstring("FAILED") && !ContainsSubstring("FOM"));
  CHECK_THAT(r.err, ContainsSubstring("probe: error: verification failed: mean"));
  const json report = json::parse(text_of(folder / "report.json"));
  CHECK(report["verification"]["passed"] == false);
  CHECK(report["fom"] == json::array());
}

// Oracle: R samples for --repeat R, one launch per run, and four bytes per particle.
TEST_CASE("the report describes the run and its results") {
  const ScratchFolder folder;
  const CommandResult r = probe("--particles 1e4 --repeat 2 --seed 5 --backend serial --json '" +
                                (folder / "report.json").string() + "'");
  REQUIRE(r.code == 0);
  CHECK(folder.files() == Names{"report.json"});
  const json report = json::parse(text_of(folder / "report.json"));
  CHECK(report["app"] == "probe");
  CHECK(report["run"]["backend"] == "serial");
  CHECK(report["run"]["threads"] == 1);
  CHECK(report["run"]["disturbed"].is_boolean());
  for (const char* key : {"wall_seconds", "cpu_seconds", "waited_seconds"})
    CHECK(report["run"]["cpu"][key].get<double>() >= 0.0);
  CHECK(report["parameters"]["particles"] == 10'000);
  CHECK(report["input"]["particles"] == 10'000);
  CHECK(report["input"]["source"] == "uniform seed 5");
  CHECK(report["memory"]["peak_host_bytes"].get<double>() >= 3 * 4 * 10'000);
  CHECK(report["memory"]["peak_bytes_by_space"]["Host"] == report["memory"]["peak_host_bytes"]);
  CHECK(report["fom"][0]["name"] == "particles_per_second");
  CHECK(report["results"]["sum"].get<double>() > 4'000);
  bool seen = false;
  for (const json& phase : report["phases"]) {
    if (phase["name"] != "probe::sum") continue;
    seen = true;
    CHECK(phase["seconds"]["samples"].size() == 2);
    CHECK(phase["bytes"] == 40'000.0);
  }
  CHECK(seen);
  seen = false;
  for (const json& kernel : report["kernels"]) {
    if (kernel["name"] != "probe::sum_x") continue;
    seen = true;
    CHECK(kernel["launches"] == json{1, 1});
    CHECK(kernel["seconds"].is_null());
  }
  CHECK(seen);
}

TEST_CASE("kernel times are measured on request") {
  const ScratchFolder folder;
  const CommandResult r = probe("--particles 1e4 --repeat 2 --kernel-times --json '" +
                                (folder / "report.json").string() + "'");
  REQUIRE(r.code == 0);
  const json report = json::parse(text_of(folder / "report.json"));
  for (const json& kernel : report["kernels"])
    CHECK(kernel["seconds"]["samples"].size() == kernel["launches"].size());
}

TEST_CASE("a run that fails leaves no file behind") {
  const ScratchFolder folder;
  const CommandResult r =
      probe("--particles 1000 --fail input --json '" + (folder / "report.json").string() + "'");
  CHECK(r.code == 2);
  CHECK(folder.files().empty());
}

TEST_CASE("Kokkos' own options reach Kokkos") {
  const CommandResult r = probe("--particles 1000 --repeat 1 --kokkos-print-configuration");
  CHECK(r.code == 0);
  CHECK_THAT(r.out + r.err, ContainsSubstring("Kokkos Version"));
}
