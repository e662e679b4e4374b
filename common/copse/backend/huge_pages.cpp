#include <copse/backend/huge_pages.hpp>

#include <Kokkos_Core.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace copse {
namespace tools = Kokkos::Tools::Experimental;

namespace {

/// Smaller arrays have few pages, and hardly contain an aligned large one.
constexpr std::uint64_t worth_asking = std::uint64_t{4} << 20;

}  // namespace

void advise_huge_pages(const void* pointer, std::uint64_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes < worth_asking) return;
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));  // whole ones only
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const std::uint64_t begin = (address + page - 1) / page * page;
  const std::uint64_t end = (address + bytes) / page * page;
  // A refusal changes nothing.
  static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#else
  static_cast<void>(pointer);
  static_cast<void>(bytes);
#endif
}

namespace {

/// The callback that was registered before.
Kokkos_Profiling_allocateDataFunction earlier_callback = nullptr;
bool active = false;

void allocate(Kokkos_Profiling_SpaceHandle space, const char* label, const void* pointer,
              std::uint64_t bytes) {
  if (earlier_callback) earlier_callback(space, label, pointer, bytes);
  if (std::string_view(space.name) == Kokkos::HostSpace::name()) advise_huge_pages(pointer, bytes);
}

}  // namespace

HugePages::HugePages() {
  if (active) throw std::logic_error("only one HugePages may exist at a time");
  active = true;
  earlier_callback = tools::get_callbacks().allocate_data;
  const char* const setting = std::getenv("COPSE_HUGE_PAGES");
  if (setting == nullptr || std::string_view(setting) != "off")
    tools::set_allocate_data_callback(allocate);
}

HugePages::~HugePages() {
  tools::set_allocate_data_callback(earlier_callback);
  active = false;
}

}  // namespace copse
