/// \file
/// A Kokkos tool (https://github.com/kokkos/kokkos-tools) that counts what a program reports by
/// kind and label: kernels, regions and allocations. KOKKOS_TOOLS_LIBS loads it. On finalisation it
/// writes lines "kind count label" to the file that COPSE_TOOL_OUTPUT names.

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

std::map<std::pair<std::string, std::string>, std::uint64_t> counts;
std::uint64_t begun = 0, ended = 0, open_regions = 0;

void begin_kernel(const char* kind, const char* label, std::uint64_t* id) {
  ++counts[{kind, label}];
  *id = begun++;
}

}  // namespace

// The interface: C functions of these names, called from the host's main thread.
extern "C" {

struct SpaceHandle {
  char name[64];
};

void kokkosp_begin_parallel_for(const char* label, std::uint32_t, std::uint64_t* id) {
  begin_kernel("for", label, id);
}
void kokkosp_begin_parallel_reduce(const char* label, std::uint32_t, std::uint64_t* id) {
  begin_kernel("reduce", label, id);
}
void kokkosp_begin_parallel_scan(const char* label, std::uint32_t, std::uint64_t* id) {
  begin_kernel("scan", label, id);
}
void kokkosp_end_parallel_for(std::uint64_t) {
  ++ended;
}
void kokkosp_end_parallel_reduce(std::uint64_t) {
  ++ended;
}
void kokkosp_end_parallel_scan(std::uint64_t) {
  ++ended;
}
void kokkosp_push_profile_region(const char* label) {
  ++counts[{"region", label}];
  ++open_regions;
}
void kokkosp_pop_profile_region() {
  --open_regions;
}
void kokkosp_allocate_data(SpaceHandle, const char* label, const void*, std::uint64_t) {
  ++counts[{"allocate", label}];
}
void kokkosp_finalize_library() {
  const char* const path = std::getenv("COPSE_TOOL_OUTPUT");
  if (path == nullptr) return;
  std::ofstream out(path);
  for (const auto& [what, count] : counts)
    out << what.first << ' ' << count << ' ' << what.second << '\n';
  out << "unfinished " << begun - ended + open_regions << " kernels and regions\n";
}
}
