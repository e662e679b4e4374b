#include "traffic.hpp"

#include <copse/tree/orb_tree.hpp>

#include <algorithm>
#include <bit>

namespace copse::orb_model {
namespace {

constexpr int top_histogram_bits = 11;
constexpr int most_bins_bits = 22;

/// Reads of keys while cuts are searched, over all levels.
double search_bytes(Search search, int levels, double steps) {
  switch (search) {
    case Search::bisection:
      return levels * steps * bytes::key;
    case Search::select:
      return levels * bytes::select;
    case Search::histogram: {
      double sum = 0;
      for (int level = 0; level < levels; ++level) sum += histogram_rounds(level) * bytes::key;
      return sum;
    }
    case Search::fused:
      break;
  }
  return 0;
}

int fused_rounds(int levels) {
  return (levels + bytes::fused_levels - 1) / bytes::fused_levels;
}

/// Of particles spread evenly over `group` ranks: the share that stays where it is when they spread
/// over its first (by symmetry, last) `side` ranks in the same order.
double share_staying(int side, int group) {
  double share = 0;
  for (int r = 0; r < side; ++r)
    share += std::max(0.0, (r + 1.0) / group - static_cast<double>(r) / side);
  return share;
}

}  // namespace

std::string Variant::name() const {
  const auto where = [this] {
    switch (placement) {
      case Placement::host:
        return "host ";
      case Placement::count_on_device:
        return "count on device, ";
      case Placement::device:
        break;
    }
    return "device ";
  }();
  const auto how = [this] {
    switch (search) {
      case Search::bisection:
        return "bisection";
      case Search::histogram:
        return "histogram";
      case Search::select:
        return "select";
      case Search::fused:
        break;
    }
    return "fused";
  }();
  return std::string(where) + how;
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  constexpr std::array searches{Search::bisection, Search::histogram, Search::select,
                                Search::fused};
  for (Search search : searches) all.push_back({Placement::host, search});
  all.push_back({Placement::count_on_device, Search::bisection});
  for (Search search : searches) all.push_back({Placement::device, search});
  return all;
}

int histogram_rounds(int level) {
  constexpr int key_bits = 8 * sizeof(Real);
  const int bits = std::clamp(most_bins_bits - level, 4, top_histogram_bits);
  return (key_bits + bits - 1) / bits;
}

Traffic traffic(const Variant& variant, std::uint32_t leaves, double steps) {
  const int levels = orb_depth(leaves);
  Traffic t;
  double read = search_bytes(variant.search, levels, steps) + levels * bytes::partition_count;
  double moved = levels * bytes::partition_move;
  if (variant.search == Search::fused) {
    read = fused_rounds(levels) * bytes::fused_sweeps;
    moved = fused_rounds(levels) * (bytes::fused_lists + bytes::fused_move);
  }
  switch (variant.placement) {
    case Placement::host:
      t.host_read = read;
      t.host_moved = moved;
      break;
    case Placement::count_on_device:
      // Each level gathers every cell's axis into one column, which then crosses the link.
      t.device_read = search_bytes(variant.search, levels, steps);
      t.host_read = levels * bytes::partition_count;
      t.host_moved = moved + levels * 2 * bytes::key;
      t.to_device = levels * bytes::key;
      break;
    case Placement::device:
      t.device_read = read;
      t.device_moved = moved;
      t.to_device = bytes::position;
      break;
  }
  return t;
}

double rows_sent(Reshuffle reshuffle, int ranks) {
  if (ranks <= 1) return 0;
  if (reshuffle == Reshuffle::local) return 1.0 - 1.0 / ranks;
  const int left = (ranks + 1) / 2;
  const int right = ranks - left;
  const double staying = (left * share_staying(left, ranks) + right * share_staying(right, ranks)) /
                         static_cast<double>(ranks);
  return 1.0 - staying +
         (left * rows_sent(reshuffle, left) + right * rows_sent(reshuffle, right)) / ranks;
}

double predict_seconds(const Machine& machine, const Variant& variant, Count particles,
                       std::uint32_t leaves, double steps, int ranks, Reshuffle reshuffle) {
  if (variant.placement != Placement::host && !machine.has_device()) return -1;
  const Traffic t = traffic(variant, leaves, steps);
  double per_particle = t.host_read / machine.host_read + t.host_moved / machine.host_copy;
  if (variant.placement != Placement::host)
    per_particle += t.device_read / machine.device_read + t.device_moved / machine.device_copy +
                    t.to_device / machine.host_to_device;
  if (machine.network > 0)
    per_particle += rows_sent(reshuffle, ranks) * bytes::sent_row / machine.network;
  return per_particle * static_cast<double>(particles) / ranks;
}

}  // namespace copse::orb_model
