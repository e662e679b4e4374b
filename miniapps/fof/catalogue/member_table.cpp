#include "member_table.hpp"

#include "segmented_reduction.hpp"
#include <copse/backend/backends.hpp>

namespace copse::fof {
namespace {

template <class MemorySpace>
struct PlaceMembers {
  MemberTable<MemorySpace> table;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> mass;  ///< of particles, or empty

  KOKKOS_FUNCTION void operator()(Count j) const {
    const LocalIndex row = table.rows(j);
    table.mass(j) = mass.extent(0) > 0 ? static_cast<double>(mass(row)) : 1.0;
    const LocalIndex first = table.rows(table.offsets(segment_of(table.offsets, j)));
    for (int a = 0; a < 3; ++a) {
      double d = static_cast<double>(table.position(row, a)) -
                 static_cast<double>(table.position(first, a));
      if (table.box.periodic[a]) {
        const double period = static_cast<double>(table.box.extent(a));
        if (d > period / 2) {
          d -= period;
        } else if (d < -period / 2) {
          d += period;
        }
      }
      table.place(j, a) = d;
    }
  }
};

}  // namespace

template <class ExecutionSpace>
MemberTable<typename ExecutionSpace::memory_space> make_member_table(
    const ExecutionSpace& space, const Particles<typename ExecutionSpace::memory_space>& particles,
    const Groups<typename ExecutionSpace::memory_space>& groups,
    Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  MemberTable<MemorySpace> table;
  table.offsets = groups.offsets;
  table.rows = groups.members;
  table.position = particles.position;
  table.velocity = particles.velocity;
  table.box = particles.box;
  table.groups = groups.size();
  if (table.groups > 0) {
    Kokkos::deep_copy(table.largest, Kokkos::subview(groups.offsets, 1));
  }
  const Count members = table.members();
  const auto places = workspace.template get<double>("catalogue::places", 3 * members);
  table.mass = workspace.template get<double>("catalogue::masses", members);
  table.place = decltype(table.place)(places.data(), members);
  Kokkos::parallel_for("copse::fof::catalogue::place_members",
                       CountRange<ExecutionSpace>(space, 0, members),
                       PlaceMembers<MemorySpace>{table, particles.mass});
  return table;
}

#define COPSE_MAKE_MEMBER_TABLE(Space)                                                         \
  template MemberTable<Space::memory_space> make_member_table(                                 \
      const Space&, const Particles<Space::memory_space>&, const Groups<Space::memory_space>&, \
      Workspace<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_MAKE_MEMBER_TABLE)

}  // namespace copse::fof
