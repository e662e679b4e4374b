#include "variant.hpp"

#include <copse/app/choices.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace copse::orb {
namespace {

struct Entry {
  std::string_view name;
  std::string_view description;
};

constexpr std::array cuts{
    Entry{"bisection", "bisect the bounds of every cut until the left count is right"},
    Entry{"sampled-bisection", "the same, starting from the quantile of a sample of each cell"},
    Entry{"histogram", "digit by digit of the keys: three to eight counting rounds"},
    Entry{"quickselect", "std::nth_element on a copy of the keys of each cell (host only)"},
    Entry{"select", "exact sampled selection, about one read of the keys (the default)"}};
constexpr std::array counts{
    Entry{"per-cell", "one launch for each open cell"},
    Entry{"batched", "one launch for all cells over a table of blocks, reduced by teams"},
    Entry{"warp",
          "wide loads in flight, reduced in registers, one atomic per block (the default)"}};
constexpr std::array placements{
    Entry{"host", "everything on the host, whatever the backend"},
    Entry{"count-on-device", "particles on the host; each level sends one coordinate per particle"},
    Entry{"device", "everything on the backend, level by level"},
    Entry{"fused", "several levels each time particles move (implies select and scan)"},
    Entry{"best",
          "on a device fused, or level by level below 2^21 particles; on a host depth first (the "
          "default; implies scan and its own cuts)"}};
constexpr std::array partitions{Entry{"hoare", "swaps in place, one thread per cell (host only)"},
                                Entry{"scan", "stable and out of place (the default)"},
                                Entry{"atomic",
                                      "blocks claim their output ranges with atomics: the order in "
                                      "a leaf varies from run to run"}};

template <class Enum, std::size_t N>
Enum find(const std::array<Entry, N>& entries, std::string_view name) {
  const auto at =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  return static_cast<Enum>(at - entries.begin());
}

bool is_host_backend(std::string_view backend) {
  // Called before Kokkos is initialised, so no execution space may be constructed.
  return [&]<class... Spaces>(TypeList<Spaces...>) {
    return ((backend_name<Spaces>() == backend && runs_on_host<Spaces>) || ...);
  }(Backends{});
}

}  // namespace

std::vector<std::string> cut_names() {
  return app::names_of(cuts);
}
std::vector<std::string> count_names() {
  return app::names_of(counts);
}
std::vector<std::string> placement_names() {
  return app::names_of(placements);
}
std::vector<std::string> partition_names() {
  return app::names_of(partitions);
}

std::string name_of(CutMethod cut) {
  return std::string(cuts[static_cast<std::size_t>(cut)].name);
}
std::string name_of(Placement placement) {
  return std::string(placements[static_cast<std::size_t>(placement)].name);
}

CutMethod cut_named(std::string_view name) {
  return find<CutMethod>(cuts, name);
}
CountMethod count_named(std::string_view name) {
  return find<CountMethod>(counts, name);
}
Placement placement_named(std::string_view name) {
  return find<Placement>(placements, name);
}
PartitionMethod partition_named(std::string_view name) {
  return find<PartitionMethod>(partitions, name);
}

std::vector<std::string> list_variants() {
  std::vector<std::string> lines;
  for (const auto& list : {app::list_of("cut searches (--cut):", cuts),
                           app::list_of("counting in a bisection (--count):", counts),
                           app::list_of("placements (--placement):", placements),
                           app::list_of("partitions (--partition):", partitions)})
    lines.insert(lines.end(), list.begin(), list.end());
  return lines;
}

void refuse_impossible(const Variant& variant, std::string_view backend) {
  const auto name = [](const auto& entries, auto value) {
    return entries[static_cast<std::size_t>(value)].name;
  };
  if (variant.batch > 0 &&
      (variant.placement != Placement::count_on_device || variant.cut != CutMethod::histogram))
    throw InputError(
        fmt::format("--stream makes histograms of particles on the host: it needs --placement "
                    "count-on-device and --cut histogram, not {} and {}",
                    name(placements, variant.placement), name(cuts, variant.cut)));
  if (variant.uses_builder() &&
      (variant.cut != CutMethod::select || variant.partition != PartitionMethod::scan))
    throw InputError(
        fmt::format("--placement {} has its own cut and partition methods: --cut {} with "
                    "--partition {} needs another placement",
                    name(placements, variant.placement), name(cuts, variant.cut),
                    name(partitions, variant.partition)));
  if (variant.partition == PartitionMethod::hoare && variant.placement == Placement::device)
    throw InputError(
        "--partition hoare swaps in place on the host: give --placement host or count-on-device");
  if (variant.cut == CutMethod::quickselect && variant.placement != Placement::host &&
      !is_host_backend(backend))
    throw InputError(fmt::format(
        "--cut quickselect runs on the host only: give --placement host or a backend other than {}",
        backend));
  if (!variant.bisects() && (variant.alpha > 0 || variant.max_steps > 0))
    throw InputError(
        fmt::format("--alpha and --max-steps belong to the bisections: --cut {} is "
                    "always exact",
                    name(cuts, variant.cut)));
}

}  // namespace copse::orb
