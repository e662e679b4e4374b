#pragma once
/// \file
/// The corrected runtime model of ORB: what each variant must move, and how long that takes at a
/// machine's bandwidths.
///
/// Every kernel of ORB does a few operations per loaded key, far below any machine's balance, so a
/// variant costs its bytes over the bandwidth of the memory or link they cross. Differences from
/// the papers (docs/orb-model.md): a count reads one of three coordinates, the partition is
/// counted, and only what crosses a link is charged to it.

#include "machines.hpp"
#include <copse/backend/types.hpp>
#include <copse/domains/distributed_orb.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse::orb::model {

/// Bytes per particle, in one place.
namespace bytes {
inline constexpr double key = sizeof(Real);                      ///< a coordinate
inline constexpr double position = 3 * key;                      ///< all of them
inline constexpr double index = sizeof(LocalIndex);              ///< carried along
inline constexpr double row = position + index;                  ///< what a partition moves
inline constexpr double sent_row = position + sizeof(GlobalId);  ///< what goes to another rank
/// Exact selection: one sweep of the keys and what it keeps of them.
inline constexpr double select = 1.1 * key;
/// Stable partition: count the left of each tile, then read the key again and move the row.
inline constexpr double partition_count = key;
constexpr double partition_move(double moved_row) {
  return key + 2 * moved_row;
}
/// Fused levels (miniapps/orb/fused/fused_bisection.hpp): a sweep reads all coordinates for up to
/// three levels and lists a tenth of the rows. A round of up to six levels moves every row once, by
/// the number of its leaf, which the last sweep writes. A move reads and writes the row, as a
/// subtree in a host's cache does once (common/copse/tree/depth_first.hpp).
inline constexpr double fused_sweep = position;
inline constexpr double fused_list = 0.1 * row;
inline constexpr double fused_leaf = 2;
/// A level cut where the rows are (common/copse/domains/detail/walked_histogram.hpp): each
/// histogram reads the coordinates on a row's way down, each once. (Where there are many rows, the
/// last histogram also gives the keys beside the cut.)
constexpr double walked_pass(int level) {
  return key * (level < 3 ? level + 1 : 3);
}
/// The moves to cells after that: points and ids, each to the place that a byte names.
inline constexpr double walked_move = 1 + 2 + 2 * position + 2 * sizeof(GlobalId);
}  // namespace bytes

/// Where particles live and where work is done.
enum class Placement { host, count_on_device, device };
/// How cuts are found, and whether levels share a movement of the rows.
enum class Search { bisection, histogram, select, depth_first, fused };

struct Variant {
  Placement placement = Placement::host;
  Search search = Search::select;
  Count threads = 1;     ///< of a depth-first build, which wants subtrees for each
  Count round_rows = 0;  ///< that cells need for a fused round; 0: as many as pay on a device
  bool positions_only = false;  ///< no index moves along (of searches that select)

  std::string name() const;  ///< "device select"
  bool operator==(const Variant&) const = default;
};

/// Every variant, slowest searches first. Counting on the device is modelled with bisection, which
/// is how the thesis did it; only hosts build depth first.
std::vector<Variant> variants();

/// Bytes per particle of one whole build of one rank.
struct Traffic {
  double host_read = 0;   ///< sweeps that only read
  double host_moved = 0;  ///< read and written in sweeps that do both
  double device_read = 0;
  double device_moved = 0;
  double to_device = 0;  ///< over the link between host and device

  double in_memory() const { return total() - to_device; }
  double total() const { return host_read + host_moved + device_read + device_moved + to_device; }
};

/// Histogram rounds that a level of 2^level cells needs to fix all bits of a key: 11 bits at a
/// time, fewer, but at least 4, where cells times bins would pass 2^22.
int histogram_rounds(int level);

/// What a variant moves for a tree of `leaves` leaves over n particles of a rank when a bisection
/// takes `steps` steps. n matters to the fused variant, which cuts small cells level by level, and
/// without rounds of its own everything of fewer than 2^26 particles, and to the depth-first one,
/// which does that with large cells.
Traffic traffic(const Variant& variant, Count n, std::uint32_t leaves, double steps);

/// What a rank moves of its n particles. Levels whose cells lie on several ranks are cut by
/// histograms, level by level, and move rows with a 64-bit id: all levels in local reshuffling,
/// ceil(log2 P) in global. Reshuffling once, these levels only read, and rows move after the last;
/// so do all levels where P or d is no power of two. The others are the variant's.
Traffic rank_traffic(const Variant& variant, Count n, std::uint32_t leaves, double steps, int ranks,
                     Reshuffle reshuffle);

/// Particles sent per particle when P ranks build a tree of independent, equally spread particles.
///
/// local and once: one exchange, which leaves 1 / P where it is. global: after each cut of a cell
/// that spans ranks, particles keep their order and move to contiguous chunks of their side's
/// ranks, in proportion to the side's leaves that a rank owns; where P divides d as a power of two,
/// that is 1 - 1/P + 1 - 2/P + ... O(P log P).
double rows_sent(Reshuffle reshuffle, int ranks, std::uint32_t leaves);

/// Seconds of a build of `particles` particles spread evenly over `ranks` ranks, each with a
/// `machine` of its own: the slowest path is the sum of all, nothing overlaps. Network time is left
/// out where the machine's network is not known. Negative if the machine lacks the device.
double predict_seconds(const Machine& machine, const Variant& variant, Count particles,
                       std::uint32_t leaves, double steps, int ranks = 1,
                       Reshuffle reshuffle = Reshuffle::global);

}  // namespace copse::orb::model
