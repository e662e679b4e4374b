// Oracle: the operating system's report on the pages of a View (/proc/self/smaps).
#include <copse/backend/huge_pages.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace copse::test {
namespace {

using Bytes = Kokkos::View<std::uint8_t*, Kokkos::HostSpace>;

/// The flags of the mapping that holds an address: "rd wr mr mw me ac hg ".
std::string mapping_flags(const void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uint64_t begin = 0, end = 0;
    char dash = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-')
      here = begin <= address && address < end;
    if (here && line.starts_with("VmFlags:")) return line.substr(8) + " ";
  }
  return "";
}

bool advised(const Bytes& view) {
  return mapping_flags(view.data() + view.size() / 2).find(" hg ") != std::string::npos;
}

bool can_be_told() {
  const int here = 0;
  return std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled") &&
         !mapping_flags(&here).empty();
}

constexpr std::size_t large = std::size_t{64} << 20;

TEST_CASE("Large Views have large pages on request, and keep their contents") {
  if (!can_be_told()) SKIP("this system does not report the pages of an array");
  CHECK_FALSE(advised(Bytes("copse::test::before", large)));
  {
    const HugePages pages;
    const Bytes view("copse::test::advised", large + 12345);
    CHECK(advised(view));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < view.size(); i += 4097) {
      sum += view(i);
      view(i) = 3;
      sum += view(i);
    }
    CHECK(sum == 3 * ((view.size() + 4096) / 4097));
  }
  CHECK_FALSE(advised(Bytes("copse::test::after", large)));
}

TEST_CASE("The environment can disable the request") {
  if (!can_be_told()) SKIP("this system does not report the pages of an array");
  setenv("COPSE_HUGE_PAGES", "off", 1);
  {
    const HugePages pages;
    CHECK_FALSE(advised(Bytes("copse::test::not_advised", large)));
  }
  unsetenv("COPSE_HUGE_PAGES");
}

TEST_CASE("Advice on little or no memory does nothing") {
  advise_huge_pages(nullptr, 0);
  std::uint8_t few[100] = {};
  advise_huge_pages(few, sizeof(few));
  CHECK(few[99] == 0);
}

}  // namespace
}  // namespace copse::test
