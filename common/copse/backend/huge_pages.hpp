#pragma once
/// \file
/// Large pages under large arrays of the host.
///
/// With pages of 4 KiB a sweep over 10^9 bytes looks up 244,000 of them, and on a virtual machine
/// each look-up that misses walks two tables. Pages of 2 MiB are 512 times fewer. Linux gives them
/// to who asks, where /sys/kernel/mm/transparent_hugepage/enabled says `madvise`, as most
/// distributions have it.
///
/// `COPSE_HUGE_PAGES=off` in the environment leaves pages as they are.

#include <cstdint>

namespace copse {

/// Asks for large pages in [pointer, pointer + bytes), which nobody has touched yet. A hint: where
/// the system knows no such thing, or the array is small, nothing happens.
void advise_huge_pages(const void* pointer, std::uint64_t bytes) noexcept;

/// While it lives, advises so for every View in host memory, before the View is filled. Kokkos must
/// run. One at a time.
class HugePages {
 public:
  HugePages();
  ~HugePages();
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;
};

}  // namespace copse
