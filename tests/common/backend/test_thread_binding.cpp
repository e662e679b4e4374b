// Oracle: shares written out by hand for small machines; what the system says about a thread after
// it was restricted. That a Runtime binds its threads is in test_runtime.cpp.
#include <copse/backend/thread_binding.hpp>

#include <catch2/catch_test_macros.hpp>

#include <thread>

namespace copse {
namespace {

/// Two packages of two cores with two hardware threads each, numbered as Linux does on many
/// machines: first one hardware thread of every core.
const std::vector<Cpu> eight = {{0, 0, 0}, {1, 0, 1}, {2, 1, 2}, {3, 1, 3},
                                {4, 0, 0}, {5, 0, 1}, {6, 1, 2}, {7, 1, 3}};

TEST_CASE("As many threads as cores: each has one core with its hardware threads") {
  CHECK(share_cpus(eight, 4) == std::vector<CpuSet>{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
}

TEST_CASE("As many threads as hardware threads: each has one, neighbours share a core") {
  CHECK(share_cpus(eight, 8) == std::vector<CpuSet>{{0}, {4}, {1}, {5}, {2}, {6}, {3}, {7}});
}

TEST_CASE("Fewer threads than cores: each has neighbouring cores") {
  CHECK(share_cpus(eight, 1) == std::vector<CpuSet>{{0, 1, 2, 3, 4, 5, 6, 7}});
  CHECK(share_cpus(eight, 2) == std::vector<CpuSet>{{0, 1, 4, 5}, {2, 3, 6, 7}});
  CHECK(share_cpus(eight, 3) == std::vector<CpuSet>{{0, 4}, {1, 5}, {2, 3, 6, 7}});
}

TEST_CASE("More threads than cores, fewer than hardware threads: no hardware thread has two") {
  CHECK(share_cpus(eight, 5) == std::vector<CpuSet>{{0}, {1, 4}, {5}, {2, 6}, {3, 7}});
}

TEST_CASE("More threads than hardware threads: no shares") {
  CHECK(share_cpus(eight, 9).empty());
  CHECK(share_cpus({}, 1).empty());
}

TEST_CASE("CPUs that are withheld belong to no share") {
  CHECK(share_cpus({{1, 0, 1}, {3, 1, 3}, {7, 1, 3}}, 2) == std::vector<CpuSet>{{1}, {3, 7}});
}

TEST_CASE("A thread that is restricted may use those CPUs, and other threads all of theirs") {
  const CpuSet all = allowed_cpus();
  if (all.empty()) SKIP("the system does not say which CPUs a thread may use");
  CpuSet restricted;
  std::thread other([&] {
    restrict_to({all.back()});
    restricted = allowed_cpus();
  });
  other.join();
  CHECK(restricted == CpuSet{all.back()});
  CHECK(allowed_cpus() == all);
}

}  // namespace
}  // namespace copse
