#pragma once
/// \file
/// Groups of one level of linking, cut where groups of the level above end.
///
/// **Nesting.** With b' <= b and psi' <= psi two friends at (b', psi') are friends at (b, psi):
///
///     |dx|^2 / b^2 + |dv|^2 / psi^2 <= |dx|^2 / b'^2 + |dv|^2 / psi'^2 < 1.
///
/// So every group at (b', psi') lies within one group at (b, psi), and linking all particles with
/// shorter links *is* linking within the groups of the level above: nothing has to be cut.
///
/// As computed the theorem holds to the last bit where (b / psi)^2 does not fall, as in 3-D, and
/// otherwise but for pairs within rounding of psi that are at almost one place. Sub-groups are to
/// be parts of groups always, so what crosses a border in spite of the theorem is linked once more
/// within it.

#include "../linker.hpp"
#include <copse/particles/box.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// Makes `labels`, those of the groups of `problem`, the labels of its groups within the groups of
/// `parents`: connected are friends that have one label there. O(n), and the flood fill of
/// reference.hpp for groups that cross a border.
/// \return how many groups did
Count confine(const LinkProblem<Kokkos::HostSpace>& problem, const Box<3>& box,
              const Labels<Kokkos::HostSpace>& parents, const Labels<Kokkos::HostSpace>& labels);

}  // namespace copse::fof
