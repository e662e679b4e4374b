#include "output.hpp"

#include <copse/config.hpp>
#include <copse/io/hdf5/hdf5_file.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace copse::orb {
namespace {

/// Cells 1 .. n as columns.
struct CellColumns {
  template <class T>
  using Column = Kokkos::View<T, Kokkos::LayoutRight, Kokkos::HostSpace>;

  explicit CellColumns(std::size_t n)
      : lower("copse::orb::output::lower", n),
        upper("copse::orb::output::upper", n),
        begin("copse::orb::output::begin", n),
        end("copse::orb::output::end", n),
        leaves("copse::orb::output::leaves", n),
        cut_axis("copse::orb::output::cut_axis", n),
        cut("copse::orb::output::cut", n) {}

  Column<Real*[3]> lower, upper;
  Column<Count*> begin, end;
  Column<std::uint32_t*> leaves;
  Column<std::int32_t*> cut_axis;
  Column<Real*> cut;
};

CellColumns columns_of_cells(const OrbTree<Kokkos::HostSpace>& tree) {
  std::size_t last = tree.cells.extent(0);
  while (last > 0 && (last == tree.cells.extent(0) || tree.cells(last).leaves == 0)) --last;
  CellColumns columns(last);
  for (std::size_t row = 0; row < last; ++row) {
    const OrbCell& cell = tree.cells(row + 1);
    for (int a = 0; a < 3; ++a) {
      columns.lower(row, a) = cell.lower[a];
      columns.upper(row, a) = cell.upper[a];
    }
    columns.begin(row) = cell.begin;
    columns.end(row) = cell.end;
    columns.leaves(row) = cell.leaves;
    columns.cut_axis(row) = cell.cut_axis;
    columns.cut(row) = cell.cut;
  }
  return columns;
}

}  // namespace

std::string_view leaf_rule_name(LeafRule rule) {
  return rule == LeafRule::halves ? "halves" : "complete";
}

void write_orb(const std::filesystem::path& path, const OrbTree<Kokkos::HostSpace>& tree,
               const Box<3>& domain,
               const Kokkos::View<LocalIndex*, Kokkos::HostSpace>& permutation,
               const Points<3, Kokkos::HostSpace>& position) {
  io::Hdf5Writer file(path);
  file.attribute("/", "copse_version", COPSE_VERSION);
  file.attribute("/", "particles", std::max<Count>(permutation.extent(0), position.extent(0)));

  const CellColumns cells = columns_of_cells(tree);
  file.write("tree/lower", cells.lower);
  file.write("tree/upper", cells.upper);
  file.write("tree/begin", cells.begin);
  file.write("tree/end", cells.end);
  file.write("tree/leaves", cells.leaves);
  file.write("tree/cut_axis", cells.cut_axis);
  file.write("tree/cut", cells.cut);
  file.attribute("tree", "first_cell", std::uint32_t{1});
  file.attribute("tree", "layout",
                 "row r is cell r + 1; the children of cell i are cells 2 i and 2 i + 1; "
                 "cells with 0 leaves do not exist");
  file.attribute("tree", "leaves", tree.leaves);
  file.attribute("tree", "leaf_rule", leaf_rule_name(tree.rule));
  file.box_attributes("tree", domain);

  if (permutation.extent(0) > 0 || position.extent(0) == 0) file.write("permutation", permutation);
  if (position.extent(0) > 0) file.write("position", position);
  file.commit();
}

}  // namespace copse::orb
