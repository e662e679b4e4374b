#pragma once
/// \file
/// Large pages for large host arrays.
///
/// A sweep over 10^9 bytes needs 244,000 address translations with 4 KiB pages, and on a virtual
/// machine each TLB miss walks two page tables. Pages of 2 MiB need 512 times fewer. Linux provides
/// them on request unless /sys/kernel/mm/transparent_hugepage/enabled is `never`.
///
/// `COPSE_HUGE_PAGES=off` in the environment disables the requests.

#include <cstdint>

namespace copse {

/// Requests large pages for [pointer, pointer + bytes), which must not have been touched yet. This
/// is a hint: on systems without support and for small arrays nothing happens.
void advise_huge_pages(const void* pointer, std::uint64_t bytes) noexcept;

/// During its lifetime, requests large pages for every View in host memory before the View is
/// filled. Kokkos must be running. Only one may exist at a time.
class HugePages {
 public:
  HugePages();
  ~HugePages();
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;
};

}  // namespace copse
