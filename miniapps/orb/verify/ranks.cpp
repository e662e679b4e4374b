/// \file
/// The checks of an ORB over several ranks.

#include "../fingerprint.hpp"
#include "checks.hpp"
#include "verify.hpp"

#include <array>
#include <bit>
#include <span>

namespace copse::orb {
namespace {

/// Sums over all ranks that must be equal before and after the build.
struct Sums {
  std::array<std::uint64_t, 4> of{};  ///< number, ids, hashed ids, hashed particles

  explicit Sums(const Communicator& comm, const RankParticles& particles) {
    const auto& p = particles.points;
    for (Count i = 0; i < particles.size(); ++i) {
      std::uint64_t h = scramble(p.id(i) + 0x9e3779b97f4a7c15u);
      of[0] += 1;
      of[1] += p.id(i);
      of[2] += h;
      for (int a = 0; a < 3; ++a) h = scramble(h + std::bit_cast<RealBits>(p.position(i, a)));
      if (p.weight.extent(0) > 0) h = scramble(h + p.weight(i));
      of[3] += h;
    }
    comm.allreduce(std::span(of), Reduction::sum);
  }
};

void check_sums(const Sums& before, const Sums& after, Verdict& verdict) {
  Finding ids, particles;
  ids.add(before.of[0] != after.of[0], "there were {} particles and now there are {}", before.of[0],
          after.of[0]);
  ids.add(before.of[1] != after.of[1] || before.of[2] != after.of[2],
          "the ids add up to {}, those of the input to {}", after.of[1], before.of[1]);
  particles.add(before.of[3] != after.of[3],
                "ids and coordinates hash to {:016x}, those of the input to {:016x}", after.of[3],
                before.of[3]);
  verdict.conclude(distributed_check::same_ids, ids);
  verdict.conclude(distributed_check::particles_intact, particles);
}

void check_agreement(const Communicator& comm, const OrbTree<Kokkos::HostSpace>& tree,
                     Verdict& verdict) {
  const std::uint64_t mine = tree_fingerprint(tree, 0);
  const std::uint64_t least = comm.allreduce(mine, Reduction::min);
  const std::uint64_t most = comm.allreduce(mine, Reduction::max);
  Finding finding;
  finding.add(least != most, "the ranks' trees differ: rank {} has {:016x}", comm.rank(), mine);
  verdict.conclude(distributed_check::cells_agree, finding);
}

/// Leaves of the heap from left to right.
std::vector<std::uint32_t> leaves_in_order(const ExpectedHeap& heap) {
  std::vector<std::uint32_t> leaves;
  std::vector<std::uint32_t> open{1};
  while (!open.empty()) {
    const std::uint32_t id = open.back();
    open.pop_back();
    if (heap.is_leaf(id)) {
      leaves.push_back(id);
    } else {
      open.push_back(2 * id + 1);
      open.push_back(2 * id);
    }
  }
  return leaves;
}

void check_owners(const Communicator& comm, const RankParticles& result, const ExpectedHeap& heap,
                  Verdict& verdict) {
  Finding finding;
  const auto leaves = leaves_in_order(heap);
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  Count rows = 0;
  bool first = true;
  for (std::size_t j = 0; j < leaves.size(); ++j) {
    if (j * ranks / leaves.size() != static_cast<std::uint64_t>(comm.rank())) continue;
    const OrbCell& leaf = heap.cells(leaves[j]);
    finding.add(first && leaf.begin != result.first_row,
                "rank {} starts with row {}, its first leaf with row {}", comm.rank(),
                result.first_row, leaf.begin);
    first = false;
    rows += leaf.end - leaf.begin;
  }
  finding.add(rows != result.size(), "rank {} has {} particles, its leaves {}", comm.rank(),
              result.size(), rows);
  verdict.conclude(distributed_check::on_owning_rank, finding);
}

/// Follows the cuts from the root for every particle. Its row must be in the leaf reached.
void check_places(const RankParticles& result, const ExpectedHeap& heap, Verdict& verdict) {
  Finding sides, boxes, order;
  const auto& x = result.points.position;
  std::uint32_t previous = 0;
  for (Count i = 0; i < result.size(); ++i) {
    std::uint32_t id = 1;
    while (heap.is_inner(id)) {
      const OrbCell& cell = heap.cells(id);
      const int axis = cell.cut_axis >= 0 && cell.cut_axis < 3 ? cell.cut_axis : 0;
      id = x(i, axis) <= cell.cut ? 2 * id : 2 * id + 1;
    }
    const OrbCell& leaf = heap.cells(id);
    const Count row = result.first_row + i;
    sides.add(row < leaf.begin || row >= leaf.end,
              "the cuts lead the particle of row {} to cell {}, which has rows [{}, {})", row, id,
              leaf.begin, leaf.end);
    bool inside = true;
    for (int a = 0; a < 3; ++a)
      inside = inside && leaf.lower[a] <= x(i, a) && x(i, a) <= leaf.upper[a];
    boxes.add(!inside, "row {} is outside the box of cell {}", row, id);
    order.add(id == previous && !(result.points.id(i - 1) < result.points.id(i)),
              "row {} of cell {} comes from an earlier input row than the row before it", row, id);
    previous = id;
  }
  verdict.conclude(orb_check::side_of_cut, sides);
  verdict.conclude(orb_check::inside_leaf_box, boxes);
  verdict.conclude(orb_check::input_order_kept, order);
}

void check_gathered(const Communicator& comm, const RankParticles& before,
                    const RankParticles& after, const OrbTree<Kokkos::HostSpace>& tree,
                    const Box<3>& domain, Verdict& verdict) {
  const RankParticles input = gather_particles(comm, before);
  const RankParticles result = gather_particles(comm, after);
  Finding finding;
  if (comm.rank() == 0) {
    Particles<Kokkos::HostSpace> original;
    original.position = input.points.position;
    original.box = domain;
    app::Verification whole;
    const auto sentences =
        verify_orb(original, result.points.position, local_indices(result.points.id), tree, whole,
                   {.weight = input.points.weight});
    for (const std::string& sentence : sentences) finding.add(1, "{}", sentence);
  }
  verdict.conclude(distributed_check::gathered_result, finding);
}

}  // namespace

RankParticles gather_particles(const Communicator& comm, const RankParticles& particles) {
  RankParticles all;
  all.points.position = comm.gatherv(particles.points.position, 0);
  all.points.id = comm.gatherv(particles.points.id, 0);
  all.points.weight = comm.gatherv(particles.points.weight, 0);
  return all;
}

Kokkos::View<LocalIndex*, Kokkos::HostSpace> local_indices(
    const Kokkos::View<GlobalId*, Kokkos::HostSpace>& ids) {
  Kokkos::View<LocalIndex*, Kokkos::HostSpace> indices("copse::orb::permutation", ids.extent(0));
  for (Count i = 0; i < ids.extent(0); ++i) indices(i) = static_cast<LocalIndex>(ids(i));
  return indices;
}

std::vector<std::string> verify_distributed(const Communicator& comm, const RankParticles& before,
                                            const RankParticles& after,
                                            const OrbTree<Kokkos::HostSpace>& tree,
                                            const Box<3>& domain, app::Verification& out) {
  Verdict verdict(out);
  const Sums input(comm, before);
  check_sums(input, Sums(comm, after), verdict);
  check_agreement(comm, tree, verdict);
  ExpectedHeap heap;
  if (check_heap_conditions(tree, heap, verdict)) {
    check_leaf_counts(heap, verdict);
    check_ranges(heap, input.of[0], verdict);
    check_boxes(heap, domain, verdict);
    check_volumes(heap, domain, verdict);
    check_cut_axes(heap, tree.axis_rule, verdict);
    check_owners(comm, after, heap, verdict);
    check_places(after, heap, verdict);
  } else {
    for (const char* check : {orb_check::leaf_counts, orb_check::ranges_tile,
                              orb_check::boxes_match, orb_check::volumes_add_up,
                              tree.axis_rule == AxisRule::cyclic ? orb_check::cyclic_axis_cut
                                                                 : orb_check::longest_axis_cut,
                              distributed_check::on_owning_rank, orb_check::side_of_cut,
                              orb_check::inside_leaf_box, orb_check::input_order_kept})
      verdict.not_examined(check, "the heap has the wrong number of slots");
  }
  if (input.of[0] <= largest_gathered) check_gathered(comm, before, after, tree, domain, verdict);
  return std::move(verdict).sentences();
}

}  // namespace copse::orb
