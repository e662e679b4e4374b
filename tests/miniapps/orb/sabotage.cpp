#include "sabotage.hpp"

#include <copse/backend/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace copse::test {

using namespace orb;

namespace {

constexpr std::array<SabotageInfo, 14> table{{
    {Sabotage::swap, "swap", orb_check::side_of_cut},
    {Sabotage::order, "order", orb_check::input_order_kept},
    {Sabotage::duplicate, "duplicate", orb_check::every_particle_once},
    {Sabotage::lose, "lose", orb_check::coordinate_checksum},
    {Sabotage::coordinate, "coordinate", orb_check::coordinates_moved_along},
    {Sabotage::cut, "cut", orb_check::side_of_cut},
    {Sabotage::rank, "rank", orb_check::counts_by_rule},
    {Sabotage::range, "range", orb_check::side_of_cut},
    {Sabotage::gap, "gap", orb_check::ranges_tile},
    {Sabotage::leaves, "leaves", orb_check::leaf_counts},
    {Sabotage::heap, "heap", orb_check::heap_conditions},
    {Sabotage::axis, "axis", orb_check::longest_axis_cut},
    {Sabotage::box, "box", orb_check::boxes_match},
    {Sabotage::shrink, "shrink", orb_check::inside_leaf_box},
}};

constexpr Real unbounded = std::numeric_limits<Real>::infinity();

/// The output of the kernels, and the corruptions.
struct Victim {
  Points<3, Kokkos::HostSpace> positions;
  Kokkos::View<LocalIndex*, Kokkos::HostSpace> permutation;
  OrbTree<Kokkos::HostSpace> tree;
  std::string_view sabotage;

  Count particles() const { return positions.extent(0); }
  bool knows_rows() const { return permutation.extent(0) > 0; }
  OrbCell& cell(std::size_t id) const { return tree.cells(id); }
  Count rows(std::size_t id) const { return cell(id).end - cell(id).begin; }

  void need(bool possible, const char* what) const {
    if (!possible)
      throw InputError("COPSE_SABOTAGE " + std::string(sabotage) + " needs " + what +
                       ", which this tree does not have");
  }

  /// The last cell with `wanted(id)`.
  template <class Wanted>
  std::size_t find(const Wanted& wanted, const char* what) const {
    std::size_t id = tree.cells.extent(0);
    while (id > 1)
      if (cell(--id).leaves > 0 && wanted(id)) return id;
    need(false, what);
    return 0;
  }
  std::size_t find_pair_of_leaves() const {
    return find(
        [&](std::size_t id) {
          return cell(id).leaves == 2 && rows(2 * id) > 0 && rows(2 * id + 1) > 0;
        },
        "two sibling leaves with particles");
  }

  void exchange(Count a, Count b) const {
    for (int axis = 0; axis < 3; ++axis) std::swap(positions(a, axis), positions(b, axis));
    if (knows_rows()) std::swap(permutation(a), permutation(b));
  }

  void move_cut(std::size_t id, Real cut) const {
    const int axis = cell(id).cut_axis;
    cell(id).cut = cell(2 * id).upper[axis] = cell(2 * id + 1).lower[axis] = cut;
  }
};

void swap_across_a_cut(const Victim& v) {
  const std::size_t id = v.find_pair_of_leaves();
  v.exchange(v.cell(2 * id).begin, v.cell(2 * id + 1).begin);
}

void swap_in_a_leaf(const Victim& v) {
  const std::size_t id = v.find(
      [&](std::size_t i) { return v.cell(i).leaves == 1 && v.rows(i) > 1; }, "a leaf of two");
  v.need(v.knows_rows(), "a permutation");
  v.exchange(v.cell(id).begin, v.cell(id).begin + 1);
}

void duplicate_an_entry(const Victim& v) {
  v.need(v.particles() > 1, "two particles");
  v.need(v.knows_rows(), "a permutation");
  v.permutation(1) = v.permutation(0);
}

void lose_a_particle(const Victim& v) {
  v.need(v.particles() > 0, "two different particles");
  for (Count i = 1; i < v.particles(); ++i) {
    bool different = false;
    for (int axis = 0; axis < 3; ++axis)
      different = different || v.positions(i, axis) != v.positions(0, axis);
    if (!different) continue;
    for (int axis = 0; axis < 3; ++axis) v.positions(i, axis) = v.positions(0, axis);
    if (v.knows_rows()) v.permutation(i) = v.permutation(0);
    return;
  }
  v.need(false, "two different particles");
}

void move_a_coordinate(const Victim& v) {
  v.need(v.particles() > 0, "a particle");
  v.positions(0, 0) = std::nextafter(v.positions(0, 0), unbounded);
}

void move_a_cut(const Victim& v) {
  const std::size_t id = v.find_pair_of_leaves();
  Real largest = -unbounded;
  for (Count i = v.cell(2 * id).begin; i < v.cell(2 * id).end; ++i)
    largest = std::max(largest, v.positions(i, v.cell(id).cut_axis));
  v.move_cut(id, std::nextafter(largest, -unbounded));
}

void send_one_key_too_many_left(const Victim& v) {
  const std::size_t id = v.find_pair_of_leaves();
  const int axis = v.cell(id).cut_axis;
  Real cut = unbounded;
  for (Count i = v.cell(2 * id + 1).begin; i < v.cell(2 * id + 1).end; ++i)
    cut = std::min(cut, v.positions(i, axis));

  struct Row {
    LocalIndex from;
    std::array<Real, 3> x;
  };
  std::vector<Row> rows;
  for (Count i = v.cell(id).begin; i < v.cell(id).end; ++i)
    rows.push_back({v.knows_rows() ? v.permutation(i) : static_cast<LocalIndex>(i),
                    {v.positions(i, 0), v.positions(i, 1), v.positions(i, 2)}});
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.from < b.from; });
  const auto middle = std::stable_partition(rows.begin(), rows.end(),
                                            [&](const Row& r) { return r.x[axis] <= cut; });

  const Count begin = v.cell(id).begin;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (v.knows_rows()) v.permutation(begin + r) = rows[r].from;
    for (int a = 0; a < 3; ++a) v.positions(begin + r, a) = rows[r].x[a];
  }
  v.cell(2 * id).end = v.cell(2 * id + 1).begin = begin + (middle - rows.begin());
  v.move_cut(id, cut);
}

void shift_a_border(const Victim& v) {
  const std::size_t id = v.find_pair_of_leaves();
  ++v.cell(2 * id).end;
  ++v.cell(2 * id + 1).begin;
}

void shrink_a_leaf(const Victim& v) {
  const std::size_t id =
      v.find([&](std::size_t i) { return v.cell(i).leaves == 1 && v.rows(i) > 0; }, "a particle");
  v.cell(id).upper[0] = std::nextafter(v.positions(v.cell(id).begin, 0), -unbounded);
}

void forget_a_row(const Victim& v) {
  const std::size_t id =
      v.find([&](std::size_t i) { return v.cell(i).leaves == 1 && v.rows(i) > 0; }, "a particle");
  --v.cell(id).end;
}

void grow_a_leaf(const Victim& v) {
  OrbCell& leaf = v.cell(v.find([&](std::size_t i) { return v.cell(i).leaves == 1; }, "a leaf"));
  leaf.upper[0] = std::nextafter(leaf.upper[0], unbounded);
}

}  // namespace

std::span<const SabotageInfo> sabotages() {
  return table;
}

Sabotage sabotage_named(std::string_view name) {
  std::string known;
  for (const SabotageInfo& info : table) {
    if (info.name == name) return info.sabotage;
    known += (known.empty() ? "" : ", ") + std::string(info.name);
  }
  throw InputError("COPSE_SABOTAGE: unknown corruption '" + std::string(name) + "', known are " +
                   known);
}

void apply_sabotage(Sabotage sabotage, const Points<3, Kokkos::HostSpace>& positions,
                    const Kokkos::View<LocalIndex*, Kokkos::HostSpace>& permutation,
                    const OrbTree<Kokkos::HostSpace>& tree) {
  const Victim v{positions, permutation, tree, table[static_cast<std::size_t>(sabotage)].name};
  switch (sabotage) {
    case Sabotage::swap:
      return swap_across_a_cut(v);
    case Sabotage::order:
      return swap_in_a_leaf(v);
    case Sabotage::duplicate:
      return duplicate_an_entry(v);
    case Sabotage::lose:
      return lose_a_particle(v);
    case Sabotage::coordinate:
      return move_a_coordinate(v);
    case Sabotage::cut:
      return move_a_cut(v);
    case Sabotage::rank:
      return send_one_key_too_many_left(v);
    case Sabotage::range:
      return shift_a_border(v);
    case Sabotage::gap:
      return forget_a_row(v);
    case Sabotage::leaves:
      ++v.cell(1).leaves;
      return;
    case Sabotage::heap:
      v.cell(v.find([](std::size_t) { return true; }, "a cell")).leaves = 0;
      return;
    case Sabotage::axis:
      v.cell(1).cut_axis = (v.cell(1).cut_axis + 1) % 3;
      return;
    case Sabotage::box:
      return grow_a_leaf(v);
    case Sabotage::shrink:
      return shrink_a_leaf(v);
  }
}

namespace {

constexpr std::array<std::string_view, 6> of_ranks{"rank-swap",       "rank-order", "rank-lose",
                                                   "rank-coordinate", "rank-cell",  "rank-owner"};

void exchange(const RankParticles& p, Count a, Count b) {
  for (int axis = 0; axis < 3; ++axis)
    std::swap(p.points.position(a, axis), p.points.position(b, axis));
  std::swap(p.points.id(a), p.points.id(b));
  if (p.points.weight.extent(0) > 0) std::swap(p.points.weight(a), p.points.weight(b));
}

/// The first row of a leaf with at least two particles, all on this rank; the number of particles
/// if there is none.
Count row_of_pair(const RankParticles& p, const OrbTree<Kokkos::HostSpace>& tree) {
  for (std::size_t id = 1; id < tree.cells.extent(0); ++id) {
    const OrbCell& leaf = tree.cells(id);
    if (leaf.leaves == 1 && leaf.end - leaf.begin > 1 && leaf.begin >= p.first_row &&
        leaf.end <= p.first_row + p.size())
      return leaf.begin - p.first_row;
  }
  return p.size();
}

void spoil(std::string_view name, RankParticles& p, const OrbTree<Kokkos::HostSpace>& tree) {
  const Count pair = row_of_pair(p, tree);
  const Count last = p.size() - 1;
  if (name == "rank-swap") exchange(p, 0, last);
  if (name == "rank-order") exchange(p, pair, pair + 1);
  if (name == "rank-lose") {
    p.points.id(pair) = p.points.id(pair + 1);
    for (int a = 0; a < 3; ++a) p.points.position(pair, a) = p.points.position(pair + 1, a);
  }
  if (name == "rank-coordinate")
    p.points.position(0, 0) =
        std::nextafter(p.points.position(0, 0), std::numeric_limits<Real>::infinity());
  if (name == "rank-cell")
    tree.cells(1).cut = std::nextafter(tree.cells(1).cut, std::numeric_limits<Real>::infinity());
  if (name == "rank-owner") ++p.first_row;
}

}  // namespace

void sabotage_distributed(const Communicator& comm, std::string_view name, RankParticles& result,
                          const OrbTree<Kokkos::HostSpace>& tree) {
  std::string known;
  bool is_known = false;
  for (const std::string_view sabotage : of_ranks) {
    is_known = is_known || sabotage == name;
    known += (known.empty() ? "" : ", ") + std::string(sabotage);
  }
  if (!is_known)
    throw InputError("COPSE_SABOTAGE " + std::string(name) +
                     " corrupts a build of one rank; for distributed builds there are " + known);
  const bool able = row_of_pair(result, tree) < result.size();
  const int victim = comm.allreduce(able ? comm.rank() : -1, Reduction::max);
  if (victim < 0)
    throw InputError("COPSE_SABOTAGE needs a leaf of two particles, which this tree does not have");
  if (victim == comm.rank()) spoil(name, result, tree);
}

}  // namespace copse::test
