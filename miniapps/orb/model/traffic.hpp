#pragma once
/// \file
/// The corrected runtime model of ORB: the bytes that each variant must move, and the time this
/// takes at a machine's bandwidths.
///
/// Every kernel of ORB does a few operations per loaded key, far below any machine's balance. A
/// variant therefore costs its bytes divided by the bandwidth of the memory or link. Differences
/// from the papers (docs/orb-model.md): a count reads one of three coordinates, the partition is
/// included, and a link is charged only for the bytes transferred over it.

#include "machines.hpp"
#include <copse/backend/types.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/particles/fixed_point.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse::orb::model {

/// Bytes per particle.
namespace bytes {
inline constexpr double key = sizeof(Real);                      ///< a coordinate
inline constexpr double position = 3 * key;                      ///< all three coordinates
inline constexpr double index = sizeof(LocalIndex);              ///< moved with the position
inline constexpr double row = position + index;                  ///< moved by a partition
inline constexpr double sent_row = position + sizeof(GlobalId);  ///< sent to another rank
/// A position with `bits` bits per coordinate; 0: not compressed.
constexpr double position_of(int bits) {
  return bits > 0 ? static_cast<double>(triple_bytes(bits)) : position;
}
/// Exact selection: one sweep of the keys plus the keys that it keeps.
inline constexpr double select = 1.1 * key;
/// Stable partition: counts the left particles of each tile, then reads the key again and moves the
/// row.
inline constexpr double partition_count = key;
constexpr double partition_move(double moved_row) {
  return key + 2 * moved_row;
}
/// Selection by a team: the keys are counted in bins, then those of one bin are kept. The team
/// moves rows without counting them first (common/copse/tree/detail/team_subtree.hpp).
inline constexpr double team_select = 2 * key;
/// Fused levels (miniapps/orb/fused/fused_bisection.hpp): a sweep reads all coordinates for up to
/// three levels and lists a tenth of the particles. A round of up to six levels moves every
/// particle once, by its leaf number, which the last sweep writes. A move reads and writes the row;
/// a subtree in a host's cache does this once (common/copse/tree/depth_first.hpp).
inline constexpr double fused_sweep = position;
inline constexpr double fused_list = 0.1 * row;
inline constexpr double fused_leaf = 2;
/// A level that a device cuts without moving particles
/// (common/copse/domains/detail/walked_histogram.hpp): each histogram reads the coordinates used on
/// a particle's way down the tree, each once. (With many particles, the last histogram also gives
/// the keys next to the cut.)
constexpr double walked_pass(int level) {
  return key * (level < 3 ? level + 1 : 3);
}
/// The move to cells after that: points and ids, each to the target given by one byte.
inline constexpr double walked_move = 1 + 2 + 2 * position + 2 * sizeof(GlobalId);
}  // namespace bytes

/// Where particles are stored and where work is done.
enum class Placement { host, count_on_device, device };
/// The cut search, and whether levels share a move of the rows.
enum class Search { bisection, histogram, select, depth_first, fused };

struct Variant {
  Placement placement = Placement::host;
  Search search = Search::select;
  Count threads = 1;     ///< of a depth-first build; each thread needs subtrees
  Count round_rows = 0;  ///< minimum rows per cell of a fused round; 0: the device's break-even
  bool positions_only = false;  ///< no index is moved (selecting searches only)
  int bits = 0;                 ///< of a coordinate that is sent; 0: not compressed
  Count batch = 0;  ///< particles of a streamed batch (histograms); 0: columns are sent whole

  std::string name() const;  ///< "device select"
  bool operator==(const Variant&) const = default;
};

/// All variants, slowest searches first. Counting on the device is modelled with bisection, as in
/// the thesis; only hosts build depth first.
std::vector<Variant> variants();

/// Bytes per particle of one build on one rank.
struct Traffic {
  double host_read = 0;   ///< sweeps that only read
  double host_moved = 0;  ///< read and written in sweeps that do both
  double device_read = 0;
  double device_moved = 0;
  double to_device = 0;  ///< over the link between host and device

  double in_memory() const { return total() - to_device; }
  double total() const { return host_read + host_moved + device_read + device_moved + to_device; }
};

/// Histograms needed to fix all bits of a key on a level of 2^level cells: 11 bits at a time, or
/// fewer (at least 4) where cells times bins would exceed 2^22.
int histogram_rounds(int level);

/// The bytes a variant moves for a tree of `leaves` leaves over n particles of a rank if a
/// bisection takes `steps` steps. n matters for the fused variant, which cuts small cells level by
/// level (without a given round size, all of a tree of fewer than 2^21 particles), and for the
/// depth-first variant, which cuts large cells level by level.
Traffic traffic(const Variant& variant, Count n, std::uint32_t leaves, double steps);

/// The bytes a rank moves for its n particles. Levels with cells shared by several ranks are cut by
/// histograms, level by level, and move rows with a 64-bit id: all levels in local reshuffling,
/// ceil(log2 P) levels in global. Each exchange of compressed positions compresses and decompresses
/// all of them: one exchange, or one per shared level in global reshuffling. When reshuffling once,
/// these levels only read, and rows move after the last one; this applies to all levels if P or d
/// is not a power of two. The other levels cost what the variant costs.
Traffic rank_traffic(const Variant& variant, Count n, std::uint32_t leaves, double steps, int ranks,
                     Reshuffle reshuffle);

/// Particles sent per particle when P ranks build a tree of independent, uniformly distributed
/// particles.
///
/// local and once: one exchange, in which 1 / P stay in place. global: after each cut of a cell
/// that spans ranks, particles keep their order and move to contiguous chunks of their side's
/// ranks, in proportion to the side's leaves that a rank owns; if P is a power of two that divides
/// d, that is 1 - 1/P + 1 - 2/P + ... O(P log P).
double rows_sent(Reshuffle reshuffle, int ranks, std::uint32_t leaves);

/// Seconds per particle to send a position from host memory to where the variant works, at
/// variant.bits: its bytes over the link, or a copy on a host; a compressed one is then read and
/// written uncompressed. Transfer and decompression are added.
double predict_send(const Machine& machine, const Variant& variant);

/// Seconds of a build of `particles` particles distributed evenly over `ranks` ranks, each with its
/// own `machine`. All times are added; nothing overlaps, except that a streamed build of b batches
/// sends one while it counts another: the longer of the two times, and a b-th of the shorter.
/// Network time is omitted if the machine's network is unknown. Negative if the machine lacks the
/// device.
double predict_seconds(const Machine& machine, const Variant& variant, Count particles,
                       std::uint32_t leaves, double steps, int ranks = 1,
                       Reshuffle reshuffle = Reshuffle::global);

}  // namespace copse::orb::model
