// Oracle: rates made up so that each belongs to one level only.
#include <catch2/catch_test_macros.hpp>

#include <ceilings/ceiling.hpp>

namespace copse::roofline {
namespace {

double best(const MemoryLevel& level, const std::string& stream) {
  for (const SetRate& rate : level.best)
    if (rate.stream == stream) return rate.bytes_per_second;
  return 0.0;
}

TEST_CASE(
    "The rate of a cache level is the best over the working sets that fit it but not the level "
    "before") {
  std::vector<MemoryLevel> levels{{"L1", 1000, 1000}, {"L2", 10000, 10000}, {"memory"}};
  assign_rates(levels, {{"read", 500, true, 90},
                        {"read", 700, true, 100},
                        {"read", 900, true, 999},  // most of L1, but neither it nor L2
                        {"read", 2000, true, 50},
                        {"copy", 2000, true, 40},
                        {"read", 20000, true, 888},  // beyond L2, not yet memory
                        {"read", 30000, true, 10}});
  CHECK(best(levels[0], "read") == 100);
  CHECK(best(levels[1], "read") == 50);
  CHECK(best(levels[1], "copy") == 40);
  CHECK(best(levels[2], "read") == 10);
  CHECK(best(levels[2], "copy") == 0);
}

TEST_CASE(
    "On a device resident sets measure the first cache, and sets passed between blocks the "
    "others") {
  std::vector<MemoryLevel> levels{
      {"L1", 1000, 10, true}, {"L2", 10000, 10000, false}, {"memory", 0, 0, false}};
  assign_rates(levels, {{"read", 500, false, 50},
                        {"read", 500, true, 100},
                        {"random", 500, true, 70},  // from all teams: no one's cache holds it
                        {"read", 5000, true, 60},
                        {"read", 40000, true, 30},
                        {"read", 100000, false, 25},  // the cache still helps
                        {"read", 200000, false, 20}});
  CHECK(best(levels[0], "read") == 100);
  CHECK(best(levels[0], "random") == 0);
  CHECK(best(levels[1], "read") == 50);
  CHECK(best(levels[1], "random") == 70);
  CHECK(best(levels[2], "read") == 20);
}

TEST_CASE("Caches of one thread each share a stream's set, but not a gather's") {
  std::vector<MemoryLevel> levels{{"L1", 4000, 1000}, {"memory"}};
  assign_rates(levels, {{"read", 2000, true, 50}, {"tree", 2000, true, 40}});
  CHECK(best(levels[0], "read") == 50);
  CHECK(best(levels[0], "tree") == 0);
}

TEST_CASE("Working sets of every backend grow to the requested maximum") {
  for_each_backend([](const auto& space) {
    Effort effort;
    effort.largest_set = Count{1} << 26;
    const auto sets = working_sets(space, effort);
    REQUIRE(sets.size() > 2);
    CHECK(sets.back() >= effort.largest_set);
    for (std::size_t i = 1; i < sets.size(); ++i) CHECK(sets[i] > sets[i - 1]);
  });
}

}  // namespace
}  // namespace copse::roofline
