#pragma once
/// \file
/// Restricts the groups of one level to the groups of the level above.
///
/// **Nesting.** With b' <= b and psi' <= psi two friends at (b', psi') are friends at (b, psi):
///
///     |dx|^2 / b^2 + |dv|^2 / psi^2 <= |dx|^2 / b'^2 + |dv|^2 / psi'^2 < 1.
///
/// So every group at (b', psi') lies within one group at (b, psi). Linking all particles with
/// shorter links equals linking within the groups of the level above, and no group has to be cut.
///
/// In floating point this holds to the last bit if (b / psi)^2 does not decrease, as in 3-D.
/// Otherwise pairs within rounding of psi at almost the same position can break it. Sub-groups must
/// always lie within a parent, so groups that cross a border are linked again within each parent.

#include "../linker.hpp"
#include <copse/particles/box.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// Turns the labels of the groups of `problem` into labels of groups within `parents`: only friends
/// with the same parent label are linked. O(n), plus the flood fill of reference.hpp for groups
/// that cross a border.
/// \return the number of groups that crossed a border
Count confine(const LinkProblem<Kokkos::HostSpace>& problem, const Box<3>& box,
              const Labels<Kokkos::HostSpace>& parents, const Labels<Kokkos::HostSpace>& labels);

}  // namespace copse::fof
