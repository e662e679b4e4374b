#include "verify_distributed.hpp"
#include <copse/backend/error.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace copse {
namespace {

constexpr std::array<DistributedSabotage, 6> distributed_table{{
    {"rank-swap", orb_check::side_of_cut},
    {"rank-order", orb_check::input_order_kept},
    {"rank-lose", distributed_check::same_ids},
    {"rank-coordinate", distributed_check::particles_intact},
    {"rank-cell", distributed_check::cells_agree},
    {"rank-owner", distributed_check::on_owning_rank},
}};

void exchange(const RankParticles& p, Count a, Count b) {
  for (int axis = 0; axis < 3; ++axis)
    std::swap(p.points.position(a, axis), p.points.position(b, axis));
  std::swap(p.points.id(a), p.points.id(b));
  if (p.points.weight.extent(0) > 0) std::swap(p.points.weight(a), p.points.weight(b));
}

/// The first row of a leaf of at least two particles, all of them on this rank; the size if none.
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

std::span<const DistributedSabotage> distributed_sabotages() {
  return distributed_table;
}

bool is_distributed_sabotage(std::string_view name) {
  for (const DistributedSabotage& s : distributed_table)
    if (s.name == name) return true;
  return false;
}

void sabotage_distributed(const Communicator& comm, std::string_view name, RankParticles& result,
                          const OrbTree<Kokkos::HostSpace>& tree) {
  if (!is_distributed_sabotage(name)) {
    std::string known;
    for (const DistributedSabotage& s : distributed_table)
      known += (known.empty() ? "" : ", ") + std::string(s.name);
    throw InputError("--sabotage " + std::string(name) +
                     " corrupts a build of one rank; for distributed builds there are " + known);
  }
  const bool able = row_of_pair(result, tree) < result.size();
  const int victim = comm.allreduce(able ? comm.rank() : -1, Reduction::max);
  if (victim < 0)
    throw InputError("--sabotage needs a leaf of two particles, which this tree does not have");
  if (victim == comm.rank()) spoil(name, result, tree);
}

}  // namespace copse
