/// \file
/// All pairs, in tiles: a team copies the positions of a tile of rows into scratch memory and tests
/// its particles against all of them (Nyland, Harris and Prins 2007).
///
/// The rows of a tile are tested in groups, in a loop without branches. If one of a group is within
/// the largest reach, the whole group is tested again by `Pairs::meet`, which is rare.
///
/// n^2 tests of 3 D flops (methods/work_model.toml). A device loads 8 D bytes from memory per
/// `targets` tests.
#include "../make.hpp"

namespace copse::collide {
namespace {

struct AllRows {
  LocalIndex rows;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(LocalIndex, const F& f) const {
    for (LocalIndex j = 0; j < rows; ++j) f(j);
  }
};

template <int D, class ExecutionSpace>
struct AccelerateInTiles {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Team = typename Policy::member_type;
  static constexpr LocalIndex targets = 128;  ///< particles of a team
  static constexpr LocalIndex tile = 512;     ///< rows in scratch memory
  static constexpr LocalIndex group = 16;     ///< rows that are tested together
  static constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : static_cast<int>(targets);

  /// In scratch memory.
  struct Tile {
    double position[D][tile];
    Vector<D> sum[targets];  ///< acceleration so far
    int contacts[targets];
  };

  Pairs<D, MemorySpace> pairs;
  Vectors<D, MemorySpace> acceleration;

  Policy policy(const ExecutionSpace& space) const {
    const auto teams = static_cast<int>((pairs.particles.rows() + targets - 1) / targets);
    return Policy(space, teams, threads)
        .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(sizeof(Tile) + alignof(Tile))));
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto rows = static_cast<LocalIndex>(pairs.particles.rows());
    const LocalIndex first = static_cast<LocalIndex>(team.league_rank()) * targets;
    const LocalIndex own = rows - first < targets ? rows - first : targets;
    Tile& local =
        *static_cast<Tile*>(team.team_scratch(0).get_shmem_aligned(sizeof(Tile), alignof(Tile)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, own), [&](LocalIndex k) {
      local.sum[k] = {};
      local.contacts[k] = 0;
    });
    for (LocalIndex begin = 0; begin < rows; begin += tile) {
      team.team_barrier();  // all threads are done with the last tile
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile), [&](LocalIndex k) {
        for (int a = 0; a < D; ++a)
          local.position[a][k] = begin + k < rows ? pairs.particles.position(begin + k, a)
                                                  : Kokkos::Experimental::quiet_NaN_v<double>;
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, own), [&](LocalIndex k) {
        if (pairs.physics.region.periodic)
          add_tile<true>(first + k, begin, local, k);
        else
          add_tile<false>(first + k, begin, local, k);
      });
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, own), [&](LocalIndex k) {
      const LocalIndex i = first + k;
      Vector<D> sum{};
      if (!is_ghost(pairs.particles.tag(i))) {
        sum = local.sum[k];
        if (local.contacts[k] > 2 && pairs.physics.ordered)
          sum = pairs.acceleration(i, [&](const auto& f) { AllRows{rows}(i, f); });
      }
      for (int a = 0; a < D; ++a) acceleration(i, a) = sum[a];
    });
  }

  /// Of the displacement of a row in the tile along one axis, as `Pairs::meet` computes it.
  template <bool Periodic>
  KOKKOS_FORCEINLINE_FUNCTION double square(const Vector<D>& x, const Tile& local, LocalIndex j,
                                            int axis) const {
    double d = local.position[axis][j] - x[axis];
    if constexpr (Periodic) d = Region<D>::nearest(d, pairs.physics.region.side[axis]);
    return d * d;
  }

  /// Adds the contacts of particle i with the tile that starts at row `begin`.
  template <bool Periodic>
  KOKKOS_FUNCTION void add_tile(LocalIndex i, LocalIndex begin, Tile& local, LocalIndex k) const {
    const double reach = pairs.physics.force.cutoff * pairs.particles.largest_size;
    const double reach2 = reach * reach;
    const Vector<D> x = pairs.position(i);
    for (LocalIndex j = 0; j < tile; j += group) {
      std::int64_t near = 0;  // as wide as a double, so that compilers use vectors
      for (LocalIndex u = 0; u < group; ++u) {
        // GCC 12 makes no vectors of this loop if the axes are one too.
        double r2 = square<Periodic>(x, local, j + u, 0) + square<Periodic>(x, local, j + u, 1);
        if constexpr (D == 3) r2 += square<Periodic>(x, local, j + u, 2);
        near += r2 <= reach2 ? 1 : 0;
      }
      if (near == 0) continue;
      for (LocalIndex u = 0; u < group; ++u) {
        Contact<D> contact;
        const LocalIndex row = begin + j + u;
        if (row >= pairs.particles.rows() || !pairs.meet(i, x, row, contact)) continue;
        pairs.pull(contact, local.sum[k]);
        ++local.contacts[k];
      }
    }
  }
};

template <int D, class ExecutionSpace>
class BruteForce final : public SearchMethod<D, ExecutionSpace, BruteForce<D, ExecutionSpace>> {
 public:
  using SearchMethod<D, ExecutionSpace, BruteForce>::SearchMethod;

  AllRows search() const { return {static_cast<LocalIndex>(this->state_.rows())}; }

  void accelerate() {
    if (this->state_.rows() == 0) return;
    const AccelerateInTiles<D, ExecutionSpace> kernel{this->pairs(), this->acceleration_};
    Kokkos::parallel_for("copse::collide::forces", kernel.policy(this->space_), kernel);
  }
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_brute_force(const ExecutionSpace& space,
                                                  const Physics<D>& physics, const Request&) {
  return std::make_unique<BruteForce<D, ExecutionSpace>>(space, physics);
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(brute_force, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
