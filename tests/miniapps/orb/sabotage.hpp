#pragma once
/// \file
/// Deliberate corruption of a finished ORB, to test the verification.
///
/// Each corruption is a small error that a kernel could make, and names the check of `verify_orb`
/// or `verify_distributed` that must detect it. `orb_sabotaged` is the program with one corruption
/// applied before verification (sabotaged_orb.cpp); check_exact.py runs it with each.

#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <orb/verify/verify.hpp>
#include <span>
#include <string_view>

namespace copse::test {

enum class Sabotage : std::uint8_t {
  swap,        ///< two particles on different sides of a cut are swapped
  order,       ///< two particles of one leaf are swapped
  duplicate,   ///< one entry of the permutation is written twice
  lose,        ///< one particle is overwritten by another
  coordinate,  ///< one coordinate changes by one unit in the last place
  cut,         ///< a cut moves to just below the largest key on its left
  rank,        ///< one key too many goes left, consistently everywhere else
  range,       ///< the border between two leaves moves by one row
  gap,         ///< a leaf's range omits its last row
  leaves,      ///< a cell's leaf count is one too many
  heap,        ///< the last cell is missing
  axis,        ///< the root's cut axis is wrong
  box,         ///< a leaf grows by one unit in the last place on one face
  shrink       ///< a leaf's box excludes its outermost particle
};

struct SabotageInfo {
  Sabotage sabotage;
  std::string_view name;       ///< as in COPSE_SABOTAGE
  std::string_view caught_by;  ///< the check of `orb_check` that must fail
};

/// Every corruption, in the order of the enum.
std::span<const SabotageInfo> sabotages();

/// \throws InputError naming COPSE_SABOTAGE and the known names
Sabotage sabotage_named(std::string_view name);

/// Corrupts the kernels' output in place.
/// \param positions    [n][3] in tree order
/// \param permutation  [n] original row of each particle; empty if unknown
/// \throws InputError if no cell allows this corruption (too few particles or leaves); nothing is
///         changed then
void apply_sabotage(Sabotage sabotage, const Points<3, Kokkos::HostSpace>& positions,
                    const Kokkos::View<LocalIndex*, Kokkos::HostSpace>& permutation,
                    const OrbTree<Kokkos::HostSpace>& tree);

/// Corrupts the result of the last rank with enough particles for it. Collective.
/// \throws InputError on every rank if the name is unknown or no rank has enough particles
void sabotage_distributed(const Communicator& comm, std::string_view name,
                          orb::RankParticles& result, const OrbTree<Kokkos::HostSpace>& tree);

}  // namespace copse::test
