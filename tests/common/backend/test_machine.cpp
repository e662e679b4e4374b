// Oracle: the C library's values for the same caches.
#include <copse/backend/machine.hpp>

#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

namespace copse {
namespace {

TEST_CASE("Caches have the sizes that the C library reports, and grow outwards") {
  const auto caches = describe_host_caches();
  if (caches.empty()) SKIP("the system does not report its caches");
  for (std::size_t i = 0; i < caches.size(); ++i) {
    INFO("L" << caches[i].level);
    CHECK(caches[i].threads >= 1);
    if (i > 0) {
      CHECK(caches[i].level > caches[i - 1].level);
      CHECK(caches[i].bytes > caches[i - 1].bytes);
    }
    const int name = caches[i].level == 1   ? _SC_LEVEL1_DCACHE_SIZE
                     : caches[i].level == 2 ? _SC_LEVEL2_CACHE_SIZE
                                            : 0;
    const long bytes = name == 0 ? 0 : sysconf(name);
    if (bytes > 0) CHECK(caches[i].bytes == static_cast<std::uint64_t>(bytes));
  }
}

}  // namespace
}  // namespace copse
