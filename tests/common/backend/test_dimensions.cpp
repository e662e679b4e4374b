// Oracle: the list COPSE_DIMENSIONS itself, as an initializer.
#include <copse/backend/dimensions.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>
#include <vector>

using namespace copse;

namespace {
const std::vector<int> listed{COPSE_DIMENSIONS};
}

TEST_CASE("the dimensions differ and lie between 1 and 8") {
  REQUIRE_FALSE(listed.empty());
  CHECK(std::set<int>(listed.begin(), listed.end()).size() == listed.size());
  for (const int dimension : listed) CHECK((dimension >= 1 && dimension <= 8));
}

TEST_CASE("a number dispatches to its dimension, once") {
  for (const int dimension : listed) {
    std::vector<int> called;
    dispatch_dimension(dimension,
                       [&]<int Dim>(std::integral_constant<int, Dim>) { called.push_back(Dim); });
    CHECK(called == std::vector<int>{dimension});
  }
}

TEST_CASE("a dimension that was not built is an input error that lists the available ones") {
  for (const int wrong : {0, 9, -3}) {
    bool called = false;
    std::string message;
    try {
      dispatch_dimension(wrong, [&](auto) { called = true; });
    } catch (const InputError& e) {
      message = e.what();
    }
    CHECK_FALSE(called);
    CHECK_THAT(message, Catch::Matchers::ContainsSubstring("in " + std::to_string(wrong) + " dim"));
    for (const int dimension : listed)
      CHECK_THAT(message, Catch::Matchers::ContainsSubstring(std::to_string(dimension)));
  }
}

TEST_CASE("the instantiation macros name every dimension, and every backend with each") {
  std::vector<int> expanded;
#define COPSE_APPEND_DIMENSION(DIM) expanded.push_back(DIM);
  COPSE_FOR_EACH_DIMENSION(COPSE_APPEND_DIMENSION)
#undef COPSE_APPEND_DIMENSION
  CHECK(expanded == listed);

  std::vector<std::string> pairs;
#define COPSE_APPEND_PAIR(SPACE, DIM) \
  pairs.push_back(std::string(backend_name<SPACE>()) + std::to_string(DIM));
  COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_APPEND_PAIR)
#undef COPSE_APPEND_PAIR
  std::vector<std::string> expected;
  for (const std::string& name : backend_names())
    for (const int dimension : listed) expected.push_back(name + std::to_string(dimension));
  CHECK(pairs == expected);
}
