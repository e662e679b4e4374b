#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <orb/variant.hpp>

namespace copse::test {

using namespace orb;
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

void check_refused(const Variant& variant, const std::string& backend, const std::string& because) {
  CHECK_THROWS_MATCHES(refuse_impossible(variant, backend), InputError,
                       MessageMatches(ContainsSubstring(because)));
}

TEST_CASE("Every variant has the name of its value") {
  for (const std::string& name : cut_names())
    CHECK(cut_names()[static_cast<std::size_t>(cut_named(name))] == name);
  for (const std::string& name : count_names())
    CHECK(count_names()[static_cast<std::size_t>(count_named(name))] == name);
  for (const std::string& name : placement_names())
    CHECK(placement_names()[static_cast<std::size_t>(placement_named(name))] == name);
  for (const std::string& name : partition_names())
    CHECK(partition_names()[static_cast<std::size_t>(partition_named(name))] == name);
  CHECK(cut_named("sampled-bisection") == CutMethod::sampled_bisection);
  CHECK(count_named("warp") == CountMethod::warp);
  CHECK(placement_named("count-on-device") == Placement::count_on_device);
  CHECK(partition_named("atomic") == PartitionMethod::atomic);
}

TEST_CASE("The list has a line for every variant") {
  std::string text;
  for (const std::string& line : list_variants()) text += line + "\n";
  for (const auto& names : {cut_names(), count_names(), placement_names(), partition_names()})
    for (const std::string& name : names) CHECK_THAT(text, ContainsSubstring("  " + name + " "));
}

TEST_CASE("Incompatible parts are refused in a sentence that names them") {
  check_refused({.cut = CutMethod::bisection}, "serial", "--placement best");
  check_refused({.partition = PartitionMethod::atomic}, "serial", "--placement best");
  check_refused({.placement = Placement::device, .partition = PartitionMethod::hoare}, "serial",
                "--partition hoare");
  check_refused({.alpha = 3}, "serial", "--alpha");
  check_refused({.cut = CutMethod::histogram, .placement = Placement::host, .max_steps = 3},
                "serial", "--cut histogram");
  for_each_backend([&]<class Space>(const Space&) {
    const std::string backend(backend_name<Space>());
    const Variant on_device{.cut = CutMethod::quickselect, .placement = Placement::device};
    if (runs_on_host<Space>) {
      CHECK_NOTHROW(refuse_impossible(on_device, backend));
    } else {
      check_refused(on_device, backend, "--cut quickselect");
    }
    CHECK_NOTHROW(
        refuse_impossible({.cut = CutMethod::quickselect, .placement = Placement::host}, backend));
    CHECK_NOTHROW(refuse_impossible({}, backend));
  });
}

}  // namespace
}  // namespace copse::test
