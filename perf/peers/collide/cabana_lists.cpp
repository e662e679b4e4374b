#include "cabana_lists.hpp"

#include "cabana_kernels.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <Cabana_LinkedCellList.hpp>
#include <Cabana_Sort.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace copse::peers {
namespace {

using collide::ForceKind;

template <int D, class ExecutionSpace, class Layout>
class CabanaLists final : public collide::Method<D, ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using State = collide::State<D, MemorySpace>;

  CabanaLists(const ExecutionSpace& space, const collide::Physics<D>& physics,
              const CabanaSettings& settings)
      : space_(space),
        physics_(physics),
        settings_(settings),
        skin_(settings.skin * physics.force.cutoff) {}

  void load(const State& state) override {
    if (state.rows() > static_cast<Count>(std::numeric_limits<int>::max() / 2))
      throw InputError(fmt::format("Cabana's lists do not number {} particles", state.rows()));
    particles_ = static_cast<int>(state.rows());
    for (auto* rows : {&position_, &velocity_, &acceleration_, &listed_})
      *rows = Rows<D, MemorySpace>(unset("peer::rows"), state.rows());
    tag_ = decltype(tag_)(unset("peer::tag"), state.rows());
    copy(position_, state.position);
    copy(velocity_, state.velocity);
    Kokkos::deep_copy(space_, ids(), state.tag);
    have_lists_ = false;
    space_.fence("peer::load");
  }

  void advance(Count steps) override {
    for (Count s = 0; s < steps; ++s) {
      accelerate();
      move();
    }
    space_.fence("peer::advance");
  }

  void kick(double time) override {
    accelerate();
    run("peer::kick", particles_, KickRows<D, MemorySpace>{velocity_, acceleration_, time});
    space_.fence("peer::kick");
  }

  State state() override {
    auto state = collide::allocate_state<D, MemorySpace>(static_cast<Count>(particles_), false);
    copy(state.position, position_);
    copy(state.velocity, velocity_);
    Kokkos::deep_copy(space_, state.tag, ids());
    if (physics_.region.periodic) fold(state.position, state.velocity);
    space_.fence("peer::state");
    return state;
  }

  collide::ContactSums contacts() override {
    use_lists();
    const collide::Pairs<D, MemorySpace> pairs{State{}, physics_};
    collide::ContactSums sums;
    Kokkos::parallel_reduce(
        "peer::contacts", range(particles_),
        MeasureByList<D, MemorySpace, List>{list_, position_, tag_, image_of_, particles_, pairs},
        sums);
    return sums;
  }

 private:
  using List =
      Cabana::VerletList<MemorySpace, Cabana::FullNeighborTag, Layout, Cabana::TeamVectorOpTag, D>;
  using Corner = Kokkos::Array<double, D>;

  Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<int>> range(int rows) const {
    return {space_, 0, rows};
  }

  template <class Kernel>
  void run(const char* name, int rows, const Kernel& kernel) const {
    Kokkos::parallel_for(name, range(rows), kernel);
  }

  template <class To, class From>
  void copy(const To& to, const From& from) const {
    run("peer::copy", particles_, CopyRows<D, To, From>{to, from});
  }

  template <class Positions, class Velocities>
  void fold(const Positions& position, const Velocities& velocity) const {
    run("peer::fold", particles_,
        FoldRows<D, Positions, Velocities>{position, velocity, physics_.region});
  }

  static auto unset(const std::string& name) {
    return Kokkos::view_alloc(name, Kokkos::WithoutInitializing);
  }

  auto ids() const { return Kokkos::subview(tag_, Kokkos::ALL, 0); }

  void accelerate() {
    use_lists();
    switch (physics_.force.kind) {
      case ForceKind::cs267:
        return pull<ForceKind::cs267>();
      case ForceKind::soft_sphere:
        return pull<ForceKind::soft_sphere>();
      case ForceKind::lennard_jones:
        return pull<ForceKind::lennard_jones>();
    }
  }

  template <ForceKind kind>
  void pull() const {
    run("peer::forces", particles_,
        PullByList<D, MemorySpace, List, kind>{list_, position_, acceleration_, physics_.force});
  }

  void move() {
    const MoveRows<D, MemorySpace> kernel{position_, velocity_,       acceleration_,
                                          listed_,   physics_.region, physics_.dt};
    if (settings_.rebuild_every > 0) {
      run("peer::move", particles_, kernel);
      if (++listed_steps_ >= settings_.rebuild_every) have_lists_ = false;
    } else {
      double longest = 0.0;
      Kokkos::parallel_reduce("peer::move", range(particles_), kernel,
                              Kokkos::Max<double>(longest));
      if (2.0 * std::sqrt(longest) > skin_) have_lists_ = false;
    }
    if (have_lists_) place_images();
  }

  void place_images() const {
    run("peer::images", images_,
        PlaceImages<D, MemorySpace>{position_, shift_, image_of_, particles_});
  }

  /// Builds lists if there are none that hold all contacts.
  void use_lists() {
    if (have_lists_) return;
    const double reach = physics_.force.cutoff + skin_;
    if (physics_.region.periodic) fold(position_, velocity_);
    space_.fence("peer::lists");
    sort_rows(reach * settings_.cell_side);
    copy(listed_, position_);
    if (physics_.region.periodic) make_images(reach);
    space_.fence("peer::lists");
    Corner lower, upper;
    for (int a = 0; a < D; ++a) {
      const double margin = physics_.region.periodic ? reach : 0.0;
      lower[a] = -margin;
      // At least one cell.
      upper[a] = std::max(physics_.region.side[a] + margin, reach);
    }
    list_ = Cabana::createVerletList<Cabana::FullNeighborTag, Layout, Cabana::TeamVectorOpTag>(
        position_, 0, static_cast<std::size_t>(particles_), reach, settings_.cell_side, lower,
        upper, room());
    have_lists_ = true;
    listed_steps_ = 0;
  }

  /// Rows by cells of a grid, as Cabana's authors sort particles before they build lists.
  void sort_rows(double cell) {
    Corner lower, upper, sides;
    for (int a = 0; a < D; ++a) {
      lower[a] = 0.0;
      sides[a] = cell;
      upper[a] = std::max(physics_.region.side[a], cell);
    }
    const auto n = static_cast<std::size_t>(particles_);
    const auto cells =
        Cabana::createLinkedCellList(position_, std::size_t{0}, n, sides, lower, upper);
    const auto order = cells.binningData();
    Cabana::permute(order, position_);
    Cabana::permute(order, velocity_);
    Cabana::permute(order, tag_);
  }

  void make_images(double margin) {
    MakeImages<D, MemorySpace> kernel{position_, physics_.region, margin, {}, {}};
    int images = 0;
    Kokkos::parallel_reduce("peer::count_images", range(particles_), kernel, images);
    images_ = images;
    const auto n = static_cast<std::size_t>(images);
    kernel.image_of = image_of_ = Kokkos::View<int*, MemorySpace>(unset("peer::image_of"), n);
    kernel.shift = shift_ = Rows<D, MemorySpace>(unset("peer::shift"), n);
    Kokkos::parallel_scan("peer::make_images", range(particles_), kernel);
    Kokkos::resize(Kokkos::WithoutInitializing, position_,
                   static_cast<std::size_t>(particles_) + n);
    place_images();
  }

  /// Room for the longest list in rows, by those before, so that they are built in one pass; 0:
  /// unknown.
  std::size_t room() const {
    if constexpr (std::is_same_v<Layout, Cabana::VerletLayout2D>)
      if (list_._data.neighbors.extent(0) > 0) return list_._data.max_n + list_._data.max_n / 8 + 1;
    return 0;
  }

  ExecutionSpace space_;
  collide::Physics<D> physics_;
  CabanaSettings settings_;
  double skin_;
  int particles_ = 0;
  Rows<D, MemorySpace> position_;  ///< particles, then images
  Rows<D, MemorySpace> velocity_, acceleration_;
  Rows<D, MemorySpace> listed_;  ///< positions that the lists were built with
  TagRows<MemorySpace> tag_;
  int images_ = 0;
  Kokkos::View<int*, MemorySpace> image_of_;  ///< row of the particle
  Rows<D, MemorySpace> shift_;                ///< from the particle to its image
  List list_;
  bool have_lists_ = false;
  Count listed_steps_ = 0;
};

}  // namespace

template <int D, class ExecutionSpace>
std::unique_ptr<collide::Method<D, ExecutionSpace>> make_cabana(const ExecutionSpace& space,
                                                                const collide::Physics<D>& physics,
                                                                const CabanaSettings& settings) {
  // Cabana builds lists in the default space of the memory, on all threads.
  using Builds = typename ExecutionSpace::memory_space::execution_space;
  if (!std::is_same_v<Builds, ExecutionSpace> && Builds().concurrency() > 1)
    throw InputError(
        "Cabana builds lists on all threads: compare it with --backend serial on one, with "
        "OMP_NUM_THREADS=1");
  if (settings.rows)
    return std::make_unique<CabanaLists<D, ExecutionSpace, Cabana::VerletLayout2D>>(space, physics,
                                                                                    settings);
  return std::make_unique<CabanaLists<D, ExecutionSpace, Cabana::VerletLayoutCSR>>(space, physics,
                                                                                   settings);
}

#define COPSE_INSTANTIATE(Space)                                        \
  template std::unique_ptr<collide::Method<2, Space>> make_cabana(      \
      const Space&, const collide::Physics<2>&, const CabanaSettings&); \
  template std::unique_ptr<collide::Method<3, Space>> make_cabana(      \
      const Space&, const collide::Physics<3>&, const CabanaSettings&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::peers
