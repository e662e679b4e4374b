#include "traffic.hpp"

#include "../fused/fused_bisection.hpp"
#include <copse/domains/leaf_ownership.hpp>
#include <copse/tree/depth_first.hpp>
#include <copse/tree/orb_tree.hpp>

#include <algorithm>

namespace copse::orb::model {
namespace {

constexpr int top_histogram_bits = 11;
constexpr int most_bins_bits = 22;

/// Reads of keys by the cut searches, over all levels.
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
    case Search::depth_first:
    case Search::fused:
      break;
  }
  return 0;
}

/// Adds levels of selection and stable partition.
void add_levels(int levels, double row, double& read, double& moved) {
  read += levels * (bytes::select + bytes::partition_count);
  moved += levels * bytes::partition_move(row);
}

/// Adds the fused engine: rounds while cells are large, then level by level, then a team per
/// subtree.
void add_fused(Count n, int levels, const orb::fused::RoundLimits& limits, double row, double& read,
               double& moved) {
  const int by_rounds = std::min(levels, limits.levels);
  int done = 0;
  int certain = orb::fused::levels_per_sweep;  // of a cube
  while (done < by_rounds && (n >> done) >= limits.least_rows) {
    const int here =
        orb::fused::levels_of_next_round(n, by_rounds, done, certain, limits.least_rows);
    const int sweeps = orb::fused::sweeps_of_round(here, certain);
    certain = orb::fused::certain_after_round(here, certain);
    read += sweeps * bytes::fused_sweep;
    moved += sweeps * bytes::fused_list + bytes::fused_leaf + 2 * row;
    if (done == 0) moved -= row - bytes::position;  // the first round generates the row numbers
    done += here;
  }
  for (; done < depth_of_team_subtrees(n, levels); ++done) {
    read += histogram_rounds(done) * bytes::key + bytes::partition_count;
    moved += bytes::partition_move(row);
  }
  read += (levels - done) * bytes::team_select;
  moved += (levels - done) * 2 * row;
}

/// Adds the depth-first engine: levels until every thread has its subtrees and each fits a cache,
/// then an even number of levels.
void add_depth_first(Count n, int levels, Count threads, double row, double& read, double& moved) {
  const Count subtrees = detail::subtrees_per_thread * threads;
  int above = 0;
  while (above < levels && ((Count{1} << above) < subtrees || n >> above > detail::subtree_rows))
    ++above;
  above += (levels - above) % 2;
  add_levels(above, row, read, moved);
  if (above < levels) moved += 2 * row;
}

/// A share of the unit interval; represents the particles of a cell in their order.
struct Interval {
  double begin;
  double end;
};

double overlap(const Interval& a, const Interval& b) {
  return std::max(0.0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

/// Global reshuffling of d leaves over P ranks, where rank r owns the leaves j with floor(j P / d)
/// = r. A cell's particles are distributed over its ranks in order, in proportion to the cell's
/// leaves that each rank owns.
class GlobalReshuffle {
 public:
  GlobalReshuffle(int ranks, std::uint32_t leaves)
      : ranks_(static_cast<Count>(ranks)), leaves_(leaves) {}

  /// Number of times a particle is sent while the tree is built, on average.
  double rows_sent() const { return sent_below(0, leaves_) / static_cast<double>(leaves_); }

 private:
  int owner(Count leaf) const { return static_cast<int>(leaf * ranks_ / leaves_); }
  Count first_leaf(Count rank) const { return (rank * leaves_ + ranks_ - 1) / ranks_; }

  /// The part of cell [begin, end) in leaves that is on a rank. Initially all ranks have equal
  /// shares.
  Interval on_rank(int rank, Count begin, Count end) const {
    if (begin == 0 && end == leaves_)
      return {static_cast<double>(rank) / static_cast<double>(ranks_),
              (rank + 1.0) / static_cast<double>(ranks_)};
    return owned(rank, begin, end);
  }
  Interval owned(int rank, Count begin, Count end) const {
    const auto position = [&](Count leaf) {
      return (static_cast<double>(std::clamp(leaf, begin, end)) - static_cast<double>(begin)) /
             static_cast<double>(end - begin);
    };
    return {position(first_leaf(rank)), position(first_leaf(Count{1} + rank))};
  }

  /// Particles sent by the cuts of a cell and its descendants, in units of a leaf's particles.
  double sent_below(Count begin, Count end) const {
    const bool root = begin == 0 && end == leaves_;
    const int first = root ? 0 : owner(begin);
    const int last = root ? static_cast<int>(ranks_) - 1 : owner(end - 1);
    if (first == last) return 0;
    if (end - begin < 2) return 1.0 - 1.0 / static_cast<double>(ranks_);  // all to the owner
    const Count middle =
        begin + left_leaves(static_cast<std::uint32_t>(end - begin), LeafRule::complete);
    const auto staying = [&](Count from, Count to) {
      double share = 0;
      for (int rank = first; rank <= last; ++rank)
        share += overlap(on_rank(rank, begin, end), owned(rank, from, to));
      return share * static_cast<double>(to - from);
    };
    return static_cast<double>(end - begin) - staying(begin, middle) - staying(middle, end) +
           sent_below(begin, middle) + sent_below(middle, end);
  }

  Count ranks_;
  Count leaves_;
};

/// Levels whose cells are shared by several ranks.
int shared_levels(std::uint32_t leaves, int ranks, Reshuffle reshuffle) {
  const bool even = LeafOwnership{leaves, ranks}.is_a_cell_each();
  if (reshuffle == Reshuffle::local || (reshuffle == Reshuffle::once && !even))
    return orb_depth(leaves);
  return std::min(orb_depth(leaves), orb_depth(static_cast<std::uint32_t>(ranks)));
}

/// Histograms of a level that is cut without moving particles.
int walked_rounds(int level) {
  constexpr int key_bits = 8 * sizeof(Real);
  const int bits = unmoved_digit_bits(Count{1} << level, key_bits);
  return (key_bits + bits - 1) / bits;
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
      case Search::depth_first:
        return "depth first";
      case Search::fused:
        break;
    }
    return "fused";
  }();
  return std::string(where) + how + (batch > 0 ? ", streamed" : "") +
         (bits > 0 ? ", " + std::to_string(bits) + " bits" : "");
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  constexpr std::array searches{Search::bisection, Search::histogram, Search::select,
                                Search::fused};
  for (Search search : searches) all.push_back({Placement::host, search});
  all.insert(all.end() - 1, {Placement::host, Search::depth_first});
  all.push_back({Placement::count_on_device, Search::bisection});
  for (Search search : searches) all.push_back({Placement::device, search});
  return all;
}

int histogram_rounds(int level) {
  constexpr int key_bits = 8 * sizeof(Real);
  const int bits = std::clamp(most_bins_bits - level, 4, top_histogram_bits);
  return (key_bits + bits - 1) / bits;
}

Traffic traffic(const Variant& variant, Count n, std::uint32_t leaves, double steps) {
  const int levels = orb_depth(leaves);
  Traffic t;
  const double row = variant.positions_only ? bytes::position : bytes::row;
  double read = 0;
  double moved = 0;
  if (variant.search == Search::fused) {
    add_fused(n, levels,
              variant.round_rows > 0 ? orb::fused::RoundLimits{variant.round_rows}
                                     : orb::fused::worthwhile_rounds(n, levels),
              row, read, moved);
  } else if (variant.search == Search::depth_first) {
    add_depth_first(n, levels, variant.threads, row, read, moved);
  } else {
    read = search_bytes(variant.search, levels, steps) + levels * bytes::partition_count;
    moved = levels * bytes::partition_move(row);
  }
  if (variant.batch > 0) {
    // Every histogram of a level streams the level's column, which the host makes.
    const double key = bytes::position_of(variant.bits) / 3;
    const double streamed = search_bytes(Search::histogram, levels, steps) * (key / bytes::key);
    const bool on_host = variant.placement == Placement::host;
    t.host_read = levels * bytes::partition_count + (on_host ? streamed : 0);
    t.host_moved = moved + levels * (bytes::key + key) + (on_host ? 2 * streamed : 0);
    if (!on_host) t.device_read = t.to_device = streamed;
    return t;
  }
  switch (variant.placement) {
    case Placement::host:
      t.host_read = read;
      t.host_moved = moved;
      break;
    case Placement::count_on_device:
      // Each level gathers every cell's axis into one column, which is then transferred over the
      // link.
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

Traffic rank_traffic(const Variant& variant, Count n, std::uint32_t leaves, double steps, int ranks,
                     Reshuffle reshuffle) {
  const int levels = orb_depth(leaves);
  const int shared = shared_levels(leaves, ranks, reshuffle);
  Traffic t = traffic(variant, n, std::uint32_t{1} << (levels - shared), steps);
  const bool on_device = variant.placement == Placement::device;
  if (variant.bits > 0)
    (on_device ? t.device_moved : t.host_moved) +=
        (reshuffle == Reshuffle::global ? shared : 1) * 2 *
        (bytes::position + bytes::position_of(variant.bits));
  if (reshuffle == Reshuffle::once && on_device) {
    if (shared == 0) return t;
    for (int level = 0; level < shared; ++level)
      t.device_read += walked_rounds(level) * bytes::walked_pass(level);
    t.device_read += bytes::walked_pass(shared - 1);  // the cell of each particle
    t.device_moved += bytes::walked_move;
    return t;
  }
  (on_device ? t.device_read : t.host_read) +=
      search_bytes(Search::histogram, shared, steps) + shared * bytes::partition_count;
  (on_device ? t.device_moved : t.host_moved) += shared * (bytes::key + 2 * bytes::sent_row);
  return t;
}

double rows_sent(Reshuffle reshuffle, int ranks, std::uint32_t leaves) {
  if (reshuffle != Reshuffle::global) return 1.0 - 1.0 / ranks;
  return GlobalReshuffle(ranks, leaves).rows_sent();
}

double predict_send(const Machine& machine, const Variant& variant) {
  const double sent = bytes::position_of(variant.bits);
  const double decompressed = variant.bits > 0 ? sent + bytes::position : 0;
  if (variant.placement == Placement::host) return (2 * sent + decompressed) / machine.host_copy;
  return sent / machine.host_to_device + decompressed / machine.device_copy;
}

double predict_seconds(const Machine& machine, const Variant& variant, Count particles,
                       std::uint32_t leaves, double steps, int ranks, Reshuffle reshuffle) {
  if (variant.placement != Placement::host && !machine.has_device()) return -1;
  const Traffic t =
      rank_traffic(variant, particles / static_cast<Count>(ranks), leaves, steps, ranks, reshuffle);
  double per_particle = t.host_read / machine.host_read + t.host_moved / machine.host_copy;
  if (variant.placement != Placement::host) {
    const double read = t.device_read / machine.device_read;
    const double link = t.to_device / machine.host_to_device;
    per_particle += read + link + t.device_moved / machine.device_copy;
    if (variant.batch > 0) {
      const Count batches = std::max<Count>(1, (particles + variant.batch - 1) / variant.batch);
      per_particle -= std::min(read, link) * (1 - 1.0 / static_cast<double>(batches));
    }
  }
  if (machine.network > 0)
    per_particle += rows_sent(reshuffle, ranks, leaves) *
                    (bytes::sent_row - bytes::position + bytes::position_of(variant.bits)) /
                    machine.network;
  return per_particle * static_cast<double>(particles) / ranks;
}

}  // namespace copse::orb::model
