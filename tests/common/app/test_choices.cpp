// Oracle: lines and names written by hand.
#include <copse/app/choices.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <array>

using namespace copse;

namespace {

struct Tree {
  const char* name;
  const char* description;
  int branches;
};
constexpr std::array trees{Tree{"kd-tree", "halves", 2}, Tree{"octree", "octants", 8}};

}  // namespace

TEST_CASE("A table of choices is listed, gives its names and finds an entry") {
  CHECK(app::names_of(trees) == std::vector<std::string>{"kd-tree", "octree"});
  CHECK(app::names_of(trees, {"all"}) == std::vector<std::string>{"kd-tree", "octree", "all"});
  CHECK(app::entry_named(trees, "tree", "octree").branches == 8);
  CHECK_THROWS_MATCHES(app::entry_named(trees, "tree", "oak"), InputError,
                       Catch::Matchers::Message("there is no tree 'oak'"));
  CHECK(app::list_of("trees (--tree):", trees) ==
        std::vector<std::string>{"trees (--tree):", "  kd-tree            halves",
                                 "  octree             octants"});
}
