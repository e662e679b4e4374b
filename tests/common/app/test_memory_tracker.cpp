#include <copse/app/memory_tracker.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <stdexcept>

using namespace copse::app;
namespace tools = Kokkos::Tools::Experimental;

namespace {

constexpr std::size_t megabyte = 1'000'000;
std::uint64_t earlier_bytes = 0;

template <class Space>
using Bytes = Kokkos::View<char*, typename Space::memory_space>;

template <class Space>
MemoryUse use_of(const MemoryTracker& tracker) {
  return copse::runs_on_host<Space> ? tracker.host() : tracker.device();
}

}  // namespace

// Oracle: the requested extents.
TEST_CASE("a View of one megabyte counts during its lifetime and in the peak, on each backend") {
  copse::for_each_backend([]<class Space>(Space) {
    MemoryTracker tracker;
    {
      const Bytes<Space> one("copse::test::one", megabyte);
      CHECK(use_of<Space>(tracker).current_bytes == megabyte);
      {
        const Bytes<Space> two("copse::test::two", 2 * megabyte);
        CHECK(use_of<Space>(tracker).current_bytes == 3 * megabyte);
      }
      CHECK(use_of<Space>(tracker).current_bytes == megabyte);
    }
    CHECK(use_of<Space>(tracker).current_bytes == 0);
    CHECK(use_of<Space>(tracker).peak_bytes == 3 * megabyte);
    CHECK(tracker.by_space().at(Space::memory_space::name()).peak_bytes == 3 * megabyte);
  });
}

TEST_CASE("freeing a View made before the tracker changes nothing") {
  Bytes<Kokkos::DefaultHostExecutionSpace> old("copse::test::old", megabyte);
  const MemoryTracker tracker;
  old = {};
  CHECK(tracker.host().current_bytes == 0);
  CHECK(tracker.host().peak_bytes == 0);
}

TEST_CASE("host memory is not counted as device memory") {
  const MemoryTracker tracker;
  const Bytes<Kokkos::DefaultHostExecutionSpace> one("copse::test::one", megabyte);
  CHECK(tracker.device().peak_bytes == 0);
}

TEST_CASE("allocation callbacks of an earlier tool are still called and restored") {
  const tools::EventSet before = tools::get_callbacks();
  tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle, const char*, const void*,
                                       std::uint64_t bytes) { earlier_bytes += bytes; });
  {
    const MemoryTracker tracker;
    const Bytes<Kokkos::DefaultHostExecutionSpace> one("copse::test::one", megabyte);
    CHECK(tracker.host().current_bytes == megabyte);
  }
  CHECK(earlier_bytes == megabyte);
  const Bytes<Kokkos::DefaultHostExecutionSpace> two("copse::test::two", megabyte);
  CHECK(earlier_bytes == 2 * megabyte);
  tools::set_callbacks(before);
}

TEST_CASE("a second tracker is refused while the first exists") {
  const MemoryTracker tracker;
  CHECK_THROWS_AS(MemoryTracker(), std::logic_error);
}
