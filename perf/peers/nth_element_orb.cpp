/// \file
/// peer_nth_element: ORB by recursive std::nth_element, in parallel with OpenMP tasks.
///
/// What a C++ programmer writes first: particles as structures of three coordinates and an index,
/// each cell's range split in place at the rule's rank along the longest side. It differs from orb
/// in that equal coordinates may end up on both sides of a cut, and that the order within a leaf is
/// none.

#include "leaf_sizes.hpp"
#include <copse/app/mini_app.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/orb_tree.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace copse::peers {
namespace {

struct Row {
  std::array<Real, 3> x;
  LocalIndex index;
};

struct Extent {
  std::array<Real, 3> lower;
  std::array<Real, 3> upper;
};

/// Below this many particles a cell is cut by the thread that has it.
constexpr std::size_t task_size = 1 << 15;

struct Leaf {
  Count begin;
  Count end;
  Extent box;
};

class Divider {
 public:
  Divider(std::vector<Row>& rows, std::vector<Leaf>& leaves) : rows_(rows), leaves_(leaves) {}

  /// Cuts rows [begin, end) into leaves first_leaf, first_leaf + 1, ... `leaves` in all.
  void divide(Count begin, Count end, const Extent& box, std::uint32_t leaves,
              std::uint32_t first_leaf) {
    if (leaves == 1) {
      leaves_[first_leaf] = {begin, end, box};
      return;
    }
    int axis = 0;
    for (int a : {1, 2})
      if (box.upper[a] - box.lower[a] > box.upper[axis] - box.lower[axis]) axis = a;
    const std::uint32_t left = left_leaves(leaves, LeafRule::complete);
    const Count middle = begin + left_particles(end - begin, left, leaves, LeafRule::complete);
    Extent left_box = box;
    Extent right_box = box;
    if (middle < end) {
      std::nth_element(rows_.begin() + begin, rows_.begin() + middle, rows_.begin() + end,
                       [axis](const Row& a, const Row& b) { return a.x[axis] < b.x[axis]; });
      left_box.upper[axis] = right_box.lower[axis] = rows_[middle].x[axis];
    }
    if (end - begin < task_size) {
      divide(begin, middle, left_box, left, first_leaf);
      divide(middle, end, right_box, leaves - left, first_leaf + left);
      return;
    }
#pragma omp task firstprivate(begin, middle, left_box, left, first_leaf)
    divide(begin, middle, left_box, left, first_leaf);
    divide(middle, end, right_box, leaves - left, first_leaf + left);
#pragma omp taskwait
  }

 private:
  std::vector<Row>& rows_;
  std::vector<Leaf>& leaves_;
};

class NthElementOrb final : public app::MiniApp {
 public:
  std::string name() const override { return "peer_nth_element"; }
  std::string description() const override {
    return "Orthogonal recursive bisection by std::nth_element and OpenMP tasks.";
  }
  void add_options(CLI::App& cli) override {
    app::add_count_option(cli, "--leaves", leaves_, "Number of domains to cut, d >= 1");
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
    std::vector<Leaf> leaves(leaves_);
    const Extent box{{particles.box.lower[0], particles.box.lower[1], particles.box.lower[2]},
                     {particles.box.upper[0], particles.box.upper[1], particles.box.upper[2]}};
    session.measure("peer::run", [&](int) {
      rows = input;
      const Kokkos::Profiling::ScopedRegion region("peer::build");
      Divider divider(rows, leaves);
#pragma omp parallel
#pragma omp single
      divider.divide(0, n, box, static_cast<std::uint32_t>(leaves_), 0);
    });

    std::vector<Count> sizes;
    for (const Leaf& leaf : leaves) sizes.push_back(leaf.end - leaf.begin);
    report_leaf_sizes(session, sizes, 0, true);
    if (session.options().verify) verify(session, input, rows, leaves);
  }

 private:
  static void verify(app::Session& session, const std::vector<Row>& input,
                     const std::vector<Row>& rows, const std::vector<Leaf>& leaves) {
    std::vector<bool> seen(rows.size(), false);
    Count wrong = 0;
    for (const Row& row : rows) {
      const bool known = row.index < rows.size() && !seen[row.index];
      if (known) seen[row.index] = true;
      wrong += !known || row.x != input[row.index].x;
    }
    session.verification().check("index_carried", static_cast<double>(wrong));
    Count outside = 0;
    for (const Leaf& leaf : leaves)
      for (Count i = leaf.begin; i < leaf.end; ++i)
        for (int axis = 0; axis < 3; ++axis)
          outside +=
              rows[i].x[axis] < leaf.box.lower[axis] || rows[i].x[axis] > leaf.box.upper[axis];
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
