/// \file
/// Checks that every cut follows the rule, from the keys on its two sides: the largest left key,
/// the smallest right key, and the number or weight of the particles tied at the cut.

#include "checks.hpp"
#include "verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse::orb {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();

/// The keys of one child along its parent's cut axis.
struct KeyRange {
  Real smallest = infinity;
  Real largest = -infinity;
  Count strays = 0;  ///< particles on the wrong side of the cut
  Count first_stray = 0;
};

KeyRange key_range(const RowsToVerify& rows, const ExpectedHeap& heap, const Chunk& chunk) {
  const OrbCell& parent = heap.cells(chunk.cell / 2);
  KeyRange range;
  for (Count i = chunk.begin; i < chunk.end; ++i) {
    const Real key = rows.partitioned(i, parent.cut_axis);
    range.smallest = std::min(range.smallest, key);
    range.largest = std::max(range.largest, key);
    const bool right_side = is_left(chunk.cell) ? key <= parent.cut : key > parent.cut;
    if (!right_side && range.strays++ == 0) range.first_stray = i;
  }
  return range;
}

std::uint64_t rows_of(const OrbCell& cell) {
  return cell.end - cell.begin;
}

/// Particles that should go left, ignoring ties. The product fits: n <= 2^32 and d < 2^32.
Count left_rank(Count n, std::uint64_t d_left, std::uint64_t d, LeafRule rule) {
  const Count product = n * d_left;
  const bool round_up = rule == LeafRule::halves && product % d != 0;
  return product / d + (round_up ? 1 : 0);
}

/// An inner cell and its expected cut.
struct CutCase {
  Count wanted = 0;  ///< k, the left count without ties
  Count left = 0;    ///< the left count found
  Count right = 0;
  Real largest_left = -infinity;
  Real smallest_right = infinity;
  Real lower = Real{0};  ///< faces of the cell along the cut axis
  Real upper = Real{0};
};

bool left_count_follows_rule(const CutCase& c, Count tied, Count alpha) {
  if (c.left + c.right == 0) return true;
  // If the left side is empty, the cut must fit between the lower face and the smallest key.
  if (c.left == 0 && !(c.smallest_right > c.lower)) return false;
  if (std::max(c.left, c.wanted) - std::min(c.left, c.wanted) <= alpha) return true;
  if (c.left > c.wanted) {
    // The tie is the last on the left; without it the left side would have `without`.
    const Count without = c.left - tied;
    const bool unavoidable = without == 0 && c.largest_left <= c.lower;
    if (c.wanted == 0) return unavoidable;
    return without < c.wanted && (unavoidable || c.left - c.wanted < c.wanted - without);
  }
  // The tie is the first on the right; with it the left side would have `with`.
  const Count with = c.left + tied;
  return c.wanted < with && c.wanted - c.left <= with - c.wanted;
}

bool cut_follows_rule(const CutCase& c, Real cut) {
  if (c.left + c.right == 0) {
    const auto middle =
        static_cast<Real>((static_cast<double>(c.lower) + static_cast<double>(c.upper)) / 2);
    return std::nextafter(middle, -infinity) <= cut && cut <= std::nextafter(middle, infinity);
  }
  const bool above = c.left > 0 ? c.largest_left <= cut : c.lower <= cut;
  const bool below = c.right > 0 ? cut < c.smallest_right : cut <= c.upper;
  return above && below;
}

/// The number of particles of each inner cell tied at the key next to the cut, on the side that has
/// more than the rule says; 0 if the counts are as wanted.
std::vector<Count> count_tied(const RowsToVerify& rows, const ExpectedHeap& heap,
                              const std::vector<CutCase>& cases) {
  std::vector<Chunk> chunks;
  for (std::uint32_t id = 1; id < cases.size(); ++id) {
    const CutCase& c = cases[id];
    if (!heap.is_inner(id) || c.left == c.wanted) continue;
    const std::uint32_t child = c.left > c.wanted ? 2 * id : 2 * id + 1;
    append_chunks(chunks, child, heap.cells(child).begin, heap.cells(child).end);
  }
  const auto results = visit_chunks<Count>("copse::verify::ties", chunks, [&](const Chunk& chunk) {
    const CutCase& c = cases[chunk.cell / 2];
    const Real key = is_left(chunk.cell) ? c.largest_left : c.smallest_right;
    const int axis = heap.cells(chunk.cell / 2).cut_axis;
    Count tied = 0;
    for (Count i = chunk.begin; i < chunk.end; ++i) tied += rows.partitioned(i, axis) == key;
    return tied;
  });
  std::vector<Count> tied(cases.size(), 0);
  for (std::size_t c = 0; c < chunks.size(); ++c) tied[chunks[c].cell / 2] += results[c];
  return tied;
}

}  // namespace

void check_cuts(const RowsToVerify& rows, const ExpectedHeap& heap, LeafRule rule, Count alpha,
                Verdict& verdict) {
  Finding sides, counts, cuts;
  std::vector<CutCase> cases(heap.slots() / 2);
  std::vector<Chunk> chunks;
  for (std::uint32_t id = 1; id < cases.size(); ++id) {
    if (!heap.is_inner(id)) continue;
    const OrbCell& cell = heap.cells(id);
    if (cell.cut_axis < 0 || cell.cut_axis > 2) {
      sides.add(1, "cell {} has no cut axis", id);
      continue;
    }
    cases[id].lower = cell.lower[cell.cut_axis];
    cases[id].upper = cell.upper[cell.cut_axis];
    cases[id].left = rows_of(heap.cells(2 * id));
    cases[id].right = rows_of(heap.cells(2 * id + 1));
    cases[id].wanted = left_rank(rows_of(cell), heap.leaves[2 * id], heap.leaves[id], rule);
    for (std::uint32_t child : {2 * id, 2 * id + 1})
      append_chunks(chunks, child, heap.cells(child).begin, heap.cells(child).end);
  }

  const auto ranges =
      visit_chunks<KeyRange>("copse::verify::cuts", chunks,
                             [&](const Chunk& chunk) { return key_range(rows, heap, chunk); });
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::uint32_t child = chunks[i].cell;
    const KeyRange& range = ranges[i];
    CutCase& c = cases[child / 2];
    if (is_left(child)) {
      c.largest_left = std::max(c.largest_left, range.largest);
    } else {
      c.smallest_right = std::min(c.smallest_right, range.smallest);
    }
    sides.add(range.strays, "row {} in cell {} is on the wrong side of the cut of cell {} at {}",
              range.first_stray, child, child / 2, heap.cells(child / 2).cut);
  }

  const std::vector<Count> tied = count_tied(rows, heap, cases);
  for (std::uint32_t id = 1; id < cases.size(); ++id) {
    if (!heap.is_inner(id)) continue;
    const CutCase& c = cases[id];
    counts.add(!left_count_follows_rule(c, tied[id], alpha),
               "cell {} sends {} of {} particles left where the rule wants {}, and ties ({} at the "
               "cut) do not explain it",
               id, c.left, c.left + c.right, c.wanted, tied[id]);
    cuts.add(!cut_follows_rule(c, heap.cells(id).cut),
             "cell {} [{}, {}] is cut at {} between {} particles up to {} and {} from {}", id,
             c.lower, c.upper, heap.cells(id).cut, c.left, c.largest_left, c.right,
             c.smallest_right);
  }
  verdict.conclude(orb_check::side_of_cut, sides);
  if (!rows.by_weight()) verdict.conclude(orb_check::counts_by_rule, counts);
  verdict.conclude(orb_check::cut_between_keys, cuts);
}

namespace {

/// The weight on one side of a cut, and of the particles nearest to the cut.
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
  // If the left side is empty, the cut must fit between the lower face and the smallest key.
  if (left.particles == 0 && !(right.edge > lower)) return false;
  if (left.weight == wanted) return true;
  if (left.weight > wanted) {
    const Count without = left.weight - left.edge_weight;
    if (without >= wanted && !(without == 0 && wanted == 0))
      return false;  // enough even without the tie
    const bool unavoidable = without == 0 && left.edge <= lower;
    if (unavoidable) return true;
    if (wanted == 0) return false;
    if (left.edge_particles == 1) return rule == LeafRule::halves;
    return left.weight - wanted < wanted - without;
  }
  const Count with = left.weight + right.edge_weight;
  if (with <= wanted) return false;  // the tie would have fitted
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

}  // namespace copse::orb
