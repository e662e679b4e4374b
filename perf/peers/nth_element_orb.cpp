/// \file
/// peer_nth_element: ORB by recursive std::nth_element, in parallel with OpenMP tasks.
///
/// The first approach of a C++ programmer: particles as structures of three coordinates and an
/// index, and in-place splitting of each cell's range. orb's policy decides the axis, the rank and
/// the side of ties, so the tree must equal orb's bitwise. Rows are not ordered within leaves; they
/// are sorted after the timed part, to compare the checksum of tree and order with orb's.

#include "leaf_sizes.hpp"
#include "orb_beside.hpp"
#include "rows.hpp"
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/team_select.hpp>
#include <copse/app/corruptible.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/orb_builder.hpp>
#include <copse/tree/orb_policy.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <orb/fingerprint.hpp>
#include <vector>

namespace copse::peers {
namespace {

/// A cell with fewer particles is cut by the thread that has it, without new tasks.
constexpr std::size_t task_size = 1 << 15;

using Tree = OrbTree<Kokkos::HostSpace>;

class Divider {
 public:
  Divider(std::vector<Row>& rows, const Tree& tree) : rows_(rows), cells_(tree.cells.data()) {}

  /// Cuts the cell in `slot` of the heap, and recursively its children.
  void divide(std::uint32_t slot) {
    OrbCell& cell = cells_[slot];
    if (!policy_.open(cell)) return;
    policy_.prepare(cell, slot);
    const Cut<Real> cut = split_rows(cell);
    make_children(policy_, cell, cut, cells_[2 * slot], cells_[2 * slot + 1]);
    if (cell.end - cell.begin < task_size) {
      divide(2 * slot);
      divide(2 * slot + 1);
      return;
    }
#pragma omp task firstprivate(slot)
    divide(2 * slot);
    divide(2 * slot + 1);
#pragma omp taskwait
  }

 private:
  /// Moves the rows of a cell to their sides; returns their numbers and the keys at the cut.
  Cut<Real> split_rows(const OrbCell& cell) {
    Cut<Real> cut{};
    if (cell.begin == cell.end) return cut;
    const int axis = cell.cut_axis;
    const auto less = [axis](const Row& a, const Row& b) { return a.x[axis] < b.x[axis]; };
    const auto first = rows_.begin() + cell.begin;
    const auto last = rows_.begin() + cell.end;
    const Count rank = policy_.rank(cell);
    auto middle = first + std::max<Count>(rank, 1);
    std::nth_element(first, middle - 1, last, less);
    const Real key = (middle - 1)->x[axis];
    const auto next = std::min_element(middle, last, less);
    if (rank > 0 && (next == last || key < next->x[axis])) {
      cut.left_max = key;
      if (next != last) cut.right_min = next->x[axis];
    } else {
      // All particles of a tie at the cut go to one side.
      const auto below =
          std::partition(first, middle, [=](const Row& r) { return r.x[axis] < key; });
      const auto above =
          std::partition(middle, last, [=](const Row& r) { return !(key < r.x[axis]); });
      const OrderedKey<Real> threshold = ordered_key(key);
      const Selected<OrderedKey<Real>> found{threshold, Count(below - first), Count(above - below)};
      middle = choose_threshold(policy_, cell, rank, found) == threshold ? above : below;
      if (middle != first) cut.left_max = std::max_element(first, middle, less)->x[axis];
      if (middle != last) cut.right_min = std::min_element(middle, last, less)->x[axis];
    }
    cut.left = static_cast<Count>(middle - first);
    cut.right = static_cast<Count>(last - middle);
    return cut;
  }

  std::vector<Row>& rows_;
  OrbCell* cells_;
  OrbPolicy policy_;
};

/// The slots of the leaves, left to right.
void list_leaves(const Tree& tree, std::uint32_t slot, std::vector<std::uint32_t>& slots) {
  if (tree.cells(slot).leaves == 1) {
    slots.push_back(slot);
    return;
  }
  list_leaves(tree, 2 * slot, slots);
  list_leaves(tree, 2 * slot + 1, slots);
}

class NthElementOrb final : public app::MiniApp {
 public:
  std::string name() const override { return "peer_nth_element"; }
  std::string description() const override {
    return "Orthogonal recursive bisection by std::nth_element and OpenMP tasks.";
  }
  void add_options(CLI::App& cli) override {
    app::add_count_option(cli, "--leaves", leaves_, "Number of domains, d >= 1");
  }
  void validate(const app::CommonOptions&) override {
    if (leaves_ > (Count{1} << 28)) throw InputError("--leaves is more than 2^28");
  }

  void run(app::Session& session) override {
    if (session.ranks() > 1) throw InputError("peer_nth_element runs on one rank");
    if (session.options().dry_run) return;
    const auto particles = session.load_particles(Kokkos::DefaultHostExecutionSpace{});
    const Count n = particles.size();
    std::vector<Row> input(n);
    for (Count i = 0; i < n; ++i)
      input[i] = {{particles.position(i, 0), particles.position(i, 1), particles.position(i, 2)},
                  static_cast<LocalIndex>(i)};
    std::vector<Row> rows;
    Tree tree;
    OrbOptions options;
    options.leaves = static_cast<std::uint32_t>(leaves_);
    options.box = particles.box;
    session.measure("peer::run", [&](int) {
      rows = input;
      const Kokkos::Profiling::ScopedRegion region("peer::build");
      tree = rooted_orb_tree(Kokkos::DefaultHostExecutionSpace{}, n, options);
      Divider divider(rows, tree);
#pragma omp parallel
#pragma omp single
      divider.divide(1);
    });

    app::corruptible(rows);
    std::vector<std::uint32_t> leaves;
    list_leaves(tree, 1, leaves);
    std::vector<Count> sizes;
    for (const std::uint32_t slot : leaves)
      sizes.push_back(tree.cells(slot).end - tree.cells(slot).begin);
    report_leaf_sizes(session, sizes, tie_tolerance, true);
    const std::uint64_t found = checksum(tree, leaves, rows);
    session.report().results()["checksum"] = fmt::format("{:016x}", found);
    const std::uint64_t expected = build_orb_beside(session, particles, options.leaves);
    if (!session.options().verify) return;
    session.verification().check("other_tree_than_orb", found == expected ? 0.0 : 1.0);
    verify(session, input, rows, tree, leaves);
  }

 private:
  /// Like orb's checksum; within a leaf orb keeps the order of the input.
  static std::uint64_t checksum(const Tree& tree, const std::vector<std::uint32_t>& leaves,
                                std::vector<Row>& rows) {
    for (const std::uint32_t slot : leaves)
      std::sort(rows.begin() + tree.cells(slot).begin, rows.begin() + tree.cells(slot).end,
                [](const Row& a, const Row& b) { return a.index < b.index; });
    std::uint64_t order = 0;
    for (Count i = 0; i < rows.size(); ++i) order += orb::row_fingerprint(i, rows[i].index);
    return orb::tree_fingerprint(tree, order);
  }

  static void verify(app::Session& session, const std::vector<Row>& input,
                     const std::vector<Row>& rows, const Tree& tree,
                     const std::vector<std::uint32_t>& leaves) {
    std::vector<bool> seen(rows.size(), false);
    Count wrong = 0;
    for (const Row& row : rows) {
      const bool known = row.index < rows.size() && !seen[row.index];
      if (known) seen[row.index] = true;
      wrong += !known || row.x != input[row.index].x;
    }
    session.verification().check("index_carried", static_cast<double>(wrong));
    Count outside = 0;
    for (const std::uint32_t slot : leaves) {
      const Box<3> box = tree.cells(slot).box();
      for (Count i = tree.cells(slot).begin; i < tree.cells(slot).end; ++i)
        outside += !box.contains({rows[i].x[0], rows[i].x[1], rows[i].x[2]});
    }
    session.verification().check("inside_leaf_box", static_cast<double>(outside));
  }

  Count leaves_ = 64;
};

}  // namespace
}  // namespace copse::peers

int main(int argc, char** argv) {
  copse::peers::NthElementOrb peer;
  return copse::app::run_main(argc, argv, peer);
}
