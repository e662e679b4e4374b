// The method "direct": all pairs, without a tree. Its error is rounding alone, and its rate of
// interactions is the ceiling of the other methods.
//
// On a device a team of threads, one target each, shares tiles of bodies in scratch memory: 16
// bytes are read from memory per tile row and team, and 21 flops computed per pair. On a host a
// packet of targets meets every body. A periodic box is summed in double (exact_gravity.hpp).
#include "../make.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/lanes.hpp>
#include <copse/gravity/exact_gravity.hpp>

namespace copse::gravity {
namespace {

/// Targets of a team, and bodies of a tile.
constexpr int tile = 256;

template <class MemorySpace, bool Spline>
struct AllPairs {
  Points<3, MemorySpace> points;
  QueryList<MemorySpace> targets;
  Kokkos::View<const Monopole*, MemorySpace> bodies;
  GravityFields<MemorySpace> fields;
  Real softening2;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> lengths;  ///< of the spline

  /// `own` and `length` are the spline lengths of target and body.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void add(GravityField<typename L::Real>& field,
                                       const LanePoint<L, 3>& x, const Monopole& body,
                                       const typename L::Real& own, const Real& length) const {
    const ToMass<L> d(x, body);
    if constexpr (Spline)
      d.pull_spline(field, own + typename L::Real(length), d.is_apart());
    else
      d.pull(field, softening2, d.is_apart());
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real own_length(typename L::Index target) const {
    if constexpr (Spline) return gather(lengths.data(), target);
    return typename L::Real(Real(0));
  }
};

template <class MemorySpace, bool Spline>
struct AllPairsByPackets : AllPairs<MemorySpace, Spline> {
  using L = VectorLanes;

  KOKKOS_FUNCTION void operator()(const Count packet) const { KOKKOS_IF_ON_HOST((sum(packet);)) }

  void sum(const Count packet) const {
    const Count n = this->bodies.extent(0), all = this->targets.count;
    const Count first = packet * L::width;
    const auto count = static_cast<unsigned>(all - first < L::width ? all - first : L::width);
    const auto target = L::Index::of([&](int l) {
      const Count t = first + static_cast<Count>(l);
      return this->targets(t < all ? t : all - 1);
    });
    const auto x = lane_point<L, 3>(this->points, target);
    const auto own = this->template own_length<L>(target);
    GravityField<L::Real> total;
    // Blocks are summed apart: rounding errors grow with the number of blocks.
    constexpr Count block = 1024;
    for (Count begin = 0; begin < n; begin += block) {
      GravityField<L::Real> field;
      const Count end = begin + block < n ? begin + block : n;
      for (Count row = begin; row < end; ++row)
        this->template add<L>(field, x, this->bodies(row), own, Spline ? this->lengths(row) : 0);
      add_field(total, field);
    }
    this->fields.template store<L>(target, total, L::Mask::from_bits((1u << count) - 1u));
  }
};

template <class ExecutionSpace, bool Spline>
struct AllPairsByTiles : AllPairs<typename ExecutionSpace::memory_space, Spline> {
  using L = OneLane;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Count n = this->bodies.extent(0), all = this->targets.count;
    const auto thread = static_cast<Count>(team.team_rank());
    const Count t = static_cast<Count>(team.league_rank()) * tile + thread;
    const LocalIndex target = this->targets(t < all ? t : all - 1);
    auto* const shared = static_cast<Monopole*>(
        team.team_shmem().get_shmem_aligned(tile * sizeof(Monopole), sizeof(Monopole)));
    auto* const shared_lengths =
        static_cast<Real*>(team.team_shmem().get_shmem_aligned(tile * sizeof(Real), sizeof(Real)));
    const auto x = lane_point<L, 3>(this->points, target);
    const Real own = this->template own_length<L>(target);
    GravityField<Real> total;
    for (Count begin = 0; begin < n; begin += tile) {
      team.team_barrier();  // until all threads have finished the previous tile
      if (begin + thread < n) {
        shared[thread] = this->bodies(begin + thread);
        if constexpr (Spline) shared_lengths[thread] = this->lengths(begin + thread);
      }
      team.team_barrier();
      GravityField<Real> field;
      const auto rows = static_cast<int>(n - begin < tile ? n - begin : tile);
      for (int i = 0; i < rows; ++i)
        this->template add<L>(field, x, shared[i], own, Spline ? shared_lengths[i] : 0);
      add_field(total, field);
    }
    this->fields.template store<L>(target, total, t < all);
  }
};

template <class ExecutionSpace>
void sum_periodic(const ExecutionSpace& space,
                  const BodyTree<typename ExecutionSpace::memory_space>& bodies,
                  const GravityFields<typename ExecutionSpace::memory_space>& fields) {
  const auto targets = bodies.targets;
  const CountRange<ExecutionSpace> all(space, 0, targets.count);
  const Kokkos::View<LocalIndex*, typename ExecutionSpace::memory_space> rows(
      "copse::gravity::target_rows", targets.count);
  Kokkos::parallel_for(
      "copse::gravity::target_rows", all, KOKKOS_LAMBDA(const Count t) { rows(t) = targets(t); });
  const auto sums = exact_gravity<ExecutionSpace>(space, sources_of(bodies), rows);
  Kokkos::parallel_for(
      "copse::gravity::round_fields", all, KOKKOS_LAMBDA(const Count t) {
        const LocalIndex i = rows(t);
        for (int a = 0; a < 3; ++a) fields.acceleration(i, a) = static_cast<Real>(sums(t, a));
        fields.potential(i) = static_cast<Real>(sums(t, 3));
      });
}

template <class ExecutionSpace>
class Direct final : public Method<ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  using Method<ExecutionSpace>::Method;

  void start(const BodyTree<MemorySpace>& bodies,
             const GravityFields<MemorySpace>& fields) override {
    if (bodies.side > 0.0)
      sum_periodic(space_, bodies, fields);
    else if (bodies.gravity.softening.extent(0) > 0)
      sum_pairs<true>(bodies, fields);
    else
      sum_pairs<false>(bodies, fields);
  }

  template <bool Spline>
  void sum_pairs(const BodyTree<MemorySpace>& bodies, const GravityFields<MemorySpace>& fields) {
    const Count n = bodies.targets.count;
    const AllPairs<MemorySpace, Spline> pairs{bodies.points,         bodies.targets,
                                              bodies.gravity.bodies, fields,
                                              bodies.softening2,     bodies.gravity.softening};
    if constexpr (runs_on_host<ExecutionSpace>) {
      using Dynamic = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
      Kokkos::parallel_for("copse::gravity::all_pairs",
                           Dynamic(space_, 0, (n + VectorLanes::width - 1) / VectorLanes::width),
                           AllPairsByPackets<MemorySpace, Spline>{pairs});
    } else {
      const auto teams = static_cast<int>((n + tile - 1) / tile);
      Kokkos::parallel_for(
          "copse::gravity::all_pairs",
          Kokkos::TeamPolicy<ExecutionSpace>(space_, teams, tile)
              .set_scratch_size(0, Kokkos::PerTeam((tile + 1) * static_cast<int>(sizeof(Monopole) +
                                                                                 sizeof(Real)))),
          AllPairsByTiles<ExecutionSpace, Spline>{pairs});
    }
  }

  Interactions count(const BodyTree<MemorySpace>& bodies) override {
    const Count boxes = bodies.side > 0.0 ? near_images : 1;
    return {.bodies = bodies.targets.count * (boxes * bodies.size() - 1)};
  }

 private:
  using Method<ExecutionSpace>::space_;
};

}  // namespace

template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_direct(const ExecutionSpace& space, const Request&) {
  return std::make_unique<Direct<ExecutionSpace>>(space);
}

#define COPSE_INSTANTIATE(Space) \
  template MethodPointer<Space> make_direct(const Space&, const Request&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
