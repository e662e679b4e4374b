/// \file
/// Whether every cut shares the weight as the rule of histogram_cuts.hpp says, judged by sums over
/// its two sides and by the particles that share the keys next to the cut.

#include "verify.hpp"
#include "verify_chunks.hpp"
#include "verify_rows.hpp"

#include <limits>

namespace copse {
namespace {

/// The weight on one side of a cut, and of those of its particles that are nearest to the cut.
struct Side {
  Count weight = 0;
  Count particles = 0;
  Real edge = Real{0};  ///< largest key on the left, smallest on the right
  Count edge_weight = 0;
  Count edge_particles = 0;

  void add(const Side& other, bool left) {
    weight += other.weight;
    if (other.particles == 0) return;
    const bool nearer = left ? other.edge > edge : other.edge < edge;
    if (particles == 0 || nearer) {
      edge = other.edge;
      edge_weight = edge_particles = 0;
    }
    if (other.edge == edge) {
      edge_weight += other.edge_weight;
      edge_particles += other.edge_particles;
    }
    particles += other.particles;
  }
};

/// floor or ceil of W d' / d without overflow.
Count wanted_weight(Count total, std::uint64_t d_left, std::uint64_t d, LeafRule rule) {
  const Count whole = total / d * d_left;
  const Count rest = total % d * d_left;
  return whole + rest / d + (rule == LeafRule::halves && rest % d != 0 ? 1 : 0);
}

bool weights_follow_rule(const Side& left, const Side& right, Count wanted, Real lower,
                         LeafRule rule) {
  if (left.particles + right.particles == 0) return true;
  // With nothing on the left the cut must fit between the lower face and the smallest key.
  if (left.particles == 0 && !(right.edge > lower)) return false;
  if (left.weight == wanted) return true;
  if (left.weight > wanted) {
    const Count without = left.weight - left.edge_weight;
    if (without >= wanted && !(without == 0 && wanted == 0)) return false;  // far too much
    const bool unavoidable = without == 0 && left.edge <= lower;
    if (unavoidable) return true;
    if (wanted == 0) return false;
    if (left.edge_particles == 1) return rule == LeafRule::halves;
    return left.weight - wanted < wanted - without;
  }
  const Count with = left.weight + right.edge_weight;
  if (with <= wanted) return false;  // there was room for more
  if (right.edge_particles == 1) return rule == LeafRule::complete;
  return wanted - left.weight <= with - wanted;
}

}  // namespace

void check_weights(const RowsToVerify& rows, const ExpectedHeap& heap, LeafRule rule,
                   Verdict& verdict) {
  std::vector<Chunk> chunks;
  for (std::uint32_t id = 2; id < heap.slots(); ++id)
    if (heap.is_cell(id) && heap.cells(id / 2).cut_axis >= 0 && heap.cells(id / 2).cut_axis < 3)
      append_chunks(chunks, id, heap.cells(id).begin, heap.cells(id).end);
  const auto parts = visit_chunks<Side>("copse::verify::weights", chunks, [&](const Chunk& chunk) {
    const int axis = heap.cells(chunk.cell / 2).cut_axis;
    Side side;
    for (Count i = chunk.begin; i < chunk.end; ++i) {
      const Count row = rows.permutation(i);
      const Count weight = row < rows.weight.extent(0) ? rows.weight(row) : 0;
      side.add({weight, 1, rows.partitioned(i, axis), weight, 1}, is_left(chunk.cell));
    }
    return side;
  });
  std::vector<Side> sides(heap.slots());
  for (std::size_t c = 0; c < chunks.size(); ++c)
    sides[chunks[c].cell].add(parts[c], is_left(chunks[c].cell));

  Finding finding;
  for (std::uint32_t id = 1; id < heap.slots(); ++id) {
    if (!heap.is_inner(id)) continue;
    const OrbCell& cell = heap.cells(id);
    if (cell.cut_axis < 0 || cell.cut_axis > 2) {
      finding.add(1, "cell {} has no cut axis", id);
      continue;
    }
    const Side &left = sides[2 * id], &right = sides[2 * id + 1];
    const Count total = left.weight + right.weight;
    const Count wanted = wanted_weight(total, heap.leaves[2 * id], heap.leaves[id], rule);
    finding.add(
        !weights_follow_rule(left, right, wanted, cell.lower[cell.cut_axis], rule),
        "cell {} sends {} of weight {} left where the rule wants {}; next to the cut are {} "
        "on the left and {} on the right",
        id, left.weight, total, wanted, left.edge_weight, right.edge_weight);
  }
  verdict.conclude(orb_check::weights_by_rule, finding);
}

}  // namespace copse
