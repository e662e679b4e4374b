#include "parsing_app.hpp"
#include <copse/app/report.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <stdexcept>

using namespace copse::app;
using nlohmann::json;

namespace {

struct Run {
  KernelTimer timer;
  MemoryTracker memory;
  Verification verification;
  Report report{"parsing", parse({"--leaves", "2^3", "--verify", "--seed", "7"}), MPI_COMM_SELF};

  json assemble(bool verify = true) { return report.assemble(timer, memory, verification, verify); }
};

}  // namespace

// Oracle: the schema, written out key by key.
TEST_CASE("every key of schema version 1 is there and has its type, in an empty run too") {
  Run run;
  const json r = run.assemble(false);
  CHECK(r["schema"] == 1);
  CHECK(r["app"] == "parsing");
  CHECK(r["version"].is_string());
  CHECK(r["git"]["commit"].is_string());
  CHECK(r["git"]["dirty"].is_boolean());
  for (const char* key : {"host", "cpu"}) CHECK(r["machine"][key].is_string());
  for (const char* key : {"cores", "memory_bytes"}) CHECK(r["machine"][key].get<double>() > 0);
  CHECK((r["machine"]["gpu"].is_null() || r["machine"]["gpu"]["name"].is_string()));
  for (const char* key : {"compiler", "flags", "kokkos", "mpi"}) CHECK(r["build"][key].is_string());
  CHECK(r["build"]["backends"][0] == "serial");
  CHECK(r["run"]["backend"].is_string());
  CHECK(r["run"]["ranks"] == 1);
  CHECK(r["run"]["threads"].get<int>() >= 1);
  CHECK(r["run"]["gpu_aware_mpi"].is_boolean());
  CHECK(r["run"]["device_messages"].is_null());
  for (const char* key : {"disturbed", "cpu"}) CHECK(r["run"][key].is_null());
  CHECK_THAT(r["run"]["started"].get<std::string>(),
             Catch::Matchers::Matches(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"));
  CHECK(r["parameters"].is_object());
  CHECK(r["input"].is_null());
  CHECK(r["verification"] ==
        json{{"requested", false}, {"passed", nullptr}, {"checks", json::array()}});
  for (const char* key : {"phases", "kernels", "fom"}) CHECK(r[key] == json::array());
  CHECK(r["memory"]["peak_device_bytes"] == 0);
  CHECK(r["memory"]["peak_host_bytes"] == 0);
  CHECK(r["memory"]["peak_bytes_by_space"] == json::object());
  CHECK(r["results"] == json::object());
}

TEST_CASE("parameters have their natural JSON types") {
  Run run;
  run.report.set_parameter({"packet", "32", Parameter::Kind::number});
  const json p = run.assemble()["parameters"];
  CHECK(p["leaves"] == 8);
  CHECK(p["seed"] == 7);
  CHECK(p["angle"] == 0.5);
  CHECK(p["verify"] == true);
  CHECK(p["quiet"] == false);
  CHECK(p["algorithm"] == "histogram");
  CHECK(p["input"].is_null());
  CHECK(p["packet"] == 32);
}

TEST_CASE("the input is recorded with its box and a checksum of 16 hexadecimal digits") {
  Run run;
  run.report.set_input({5, copse::unit_box<3>(true), "uniform seed 7", 0xabcull});
  const json input = run.assemble()["input"];
  CHECK(input["particles"] == 5);
  CHECK(input["box"]["lower"] == json{0.0, 0.0, 0.0});
  CHECK(input["box"]["upper"] == json{1.0, 1.0, 1.0});
  CHECK(input["box"]["periodic"] == json{true, true, true});
  CHECK(input["source"] == "uniform seed 7");
  CHECK(input["checksum"] == "0000000000000abc");
}

TEST_CASE("a phase has its samples, their order statistics, and the work set for it") {
  Run run;
  for (int i = 0; i < 3; ++i) {
    {
      const Kokkos::Profiling::ScopedRegion modelled("copse::test::modelled");
      const Kokkos::Profiling::ScopedRegion plain("copse::test::plain");
    }
    run.timer.close_sample();
  }
  run.report.set_work("copse::test::modelled", 1e12, 3e11);
  const json phases = run.assemble()["phases"];
  REQUIRE(phases.size() == 2);
  for (const json& phase : phases) {
    const auto& seconds = phase["seconds"];
    REQUIRE(seconds["samples"].size() == 3);
    CHECK(seconds["min"].get<double>() <= seconds["median"].get<double>());
    CHECK(seconds["median"].get<double>() <= seconds["max"].get<double>());
    const bool modelled = phase["name"] == "copse::test::modelled";
    CHECK(phase["bytes"] == (modelled ? json(1e12) : json()));
    CHECK(phase["flops"] == (modelled ? json(3e11) : json()));
  }
}

TEST_CASE("figures of merit keep their value and unit, and are gone when a check failed") {
  Run run;
  run.report.add_figure_of_merit("particles_per_second", 1e300, "1/s");
  run.verification.check("counts", 0.0);
  const json good = run.assemble();
  CHECK(good["fom"] ==
        json::array({{{"name", "particles_per_second"}, {"value", 1e300}, {"unit", "1/s"}}}));
  CHECK(good["verification"]["passed"] == true);

  run.verification.check("boxes", 2.0, 1.0);
  const json bad = run.assemble();
  CHECK(bad["fom"] == json::array());
  CHECK(bad["verification"]["passed"] == false);
  CHECK(bad["verification"]["checks"][1] ==
        json{{"name", "boxes"}, {"passed", false}, {"value", 2.0}, {"tolerance", 1.0}});
}

TEST_CASE("a figure of merit that is infinite or NaN or has no unit is refused") {
  Run run;
  CHECK_THROWS_AS(
      run.report.add_figure_of_merit("rate", std::numeric_limits<double>::infinity(), "1/s"),
      std::invalid_argument);
  CHECK_THROWS_AS(
      run.report.add_figure_of_merit("rate", std::numeric_limits<double>::quiet_NaN(), "1/s"),
      std::invalid_argument);
  CHECK_THROWS_AS(run.report.add_figure_of_merit("a rate", 1.0, "1/s"), std::invalid_argument);
  CHECK_THROWS_AS(run.report.add_figure_of_merit("rate", 1.0, ""), std::invalid_argument);
  CHECK(run.report.figures_of_merit().empty());
}

TEST_CASE("a figure of merit prints as one line of four words") {
  CHECK(format_figure_of_merit({"copy_passes", 12.5, "1"}) == "FOM copy_passes 12.5 1");
  CHECK(format_figure_of_merit({"rate", 1.25e11, "1/s"}) == "FOM rate 1.25e+11 1/s");
}
