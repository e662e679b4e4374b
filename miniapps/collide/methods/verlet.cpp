/// \file
/// Neighbour lists with a skin [Verlet 1967]: the pairs within reach and skin, found again when a
/// particle has moved by half the skin. Until then a step looks only at the listed pairs.
///
/// Lists hold every pair at both particles, so that a thread writes to its own particle alone, and
/// are sorted by id, so that one pass adds contacts in the order of all methods. Particles are
/// stored in the order of cells since the last search.
///
/// A step compares each particle's place with that of the last search. The host launches a batch of
/// steps, those after the largest displacement has reached half the skin do nothing, and it reads
/// once per batch how many were made.
#include "cell_method.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/grid/neighbour_list.hpp>

#include <cmath>

namespace copse::collide {
namespace {

template <class MemorySpace>
struct Listed {
  NeighbourList<MemorySpace> list;

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(LocalIndex i, const F& f) const {
    list.for_each_of(i, f);
  }
};

/// What the steps of a batch report.
template <class MemorySpace>
struct Batch {
  static constexpr Count most_steps = 64;

  Kokkos::View<double*, MemorySpace> moved2;  ///< [most_steps] largest displacement, squared
  Kokkos::View<int*, MemorySpace> made;       ///< [most_steps] 1 if the step was made
};

/// Forces, kick, drift and fold of one step. Positions go to other arrays.
template <int D, class MemorySpace>
struct StepByLists {
  Pairs<D, MemorySpace> pairs;
  Listed<MemorySpace> listed;
  Vectors<D, MemorySpace> next_position;
  Vectors<D, MemorySpace> origin;  ///< positions of the last search
  Batch<MemorySpace> batch;
  int step;
  double allowed2;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    if (step > 0 && (batch.made(step - 1) == 0 || batch.moved2(step - 1) > allowed2)) return;
    if (i == 0) batch.made(step) = 1;
    Vector<D> x = pairs.position(i);
    if (!is_ghost(pairs.particles.tag(i))) {
      const auto acceleration = acceleration_of(i);
      Vector<D> v;
      for (int a = 0; a < D; ++a) v[a] = pairs.particles.velocity(i, a);
      pairs.move(acceleration, x, v);
      double moved2 = 0.0;
      for (int a = 0; a < D; ++a) {
        pairs.particles.velocity(i, a) = v[a];
        const double d = pairs.physics.region.displacement(origin(i, a), x[a], a);
        moved2 += d * d;
      }
      // Few displacements exceed the largest one so far, so this read avoids most atomics.
      if (!(moved2 <= batch.moved2(step))) Kokkos::atomic_max(&batch.moved2(step), moved2);
    }
    for (int a = 0; a < D; ++a) next_position(i, a) = x[a];
  }

  KOKKOS_FORCEINLINE_FUNCTION Vector<D> acceleration_of(LocalIndex i) const {
    KOKKOS_IF_ON_HOST((if (pairs.physics.force.kind == ForceKind::lennard_jones &&
                           pairs.particles.size.extent(0) == 0) {
      return pairs.lennard_jones_acceleration_in_order(
          i, listed.list.partners.data() + listed.list.offsets(i), listed.list.count(i));
    }))
    return pairs.acceleration_in_order(i, [&](const auto& f) { listed(i, f); });
  }
};

/// A thread sorts the list of its row.
template <class MemorySpace>
struct SortPartnersById {
  NeighbourList<MemorySpace> list;
  Kokkos::View<Tag*, MemorySpace> tag;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    const LocalIndex n = list.count(i);
    KOKKOS_IF_ON_HOST((if (sort_by_rank(list.partners.data() + list.offsets(i), n)) return;))
    for (LocalIndex k = 1; k < n; ++k) {
      const LocalIndex partner = list.partner(i, k);
      const Tag id = id_of(tag(partner));
      LocalIndex to = k;
      for (; to > 0 && id_of(tag(list.partner(i, to - 1))) > id; --to)
        list.partner(i, to) = list.partner(i, to - 1);
      list.partner(i, to) = partner;
    }
  }

 private:
  /// The place of a partner is the number of smaller ids, which vectors count: for 80 partners 400
  /// instructions with AVX-512, where insertion takes 1600 steps. \return false if nothing was
  /// done: the list is too short or too long for that
  bool sort_by_rank(LocalIndex* partners, Count n) const {
    constexpr Count shortest = 9, longest = 512;
    if (n < shortest || n > longest) return false;
    LocalIndex row[longest];
    Tag id[longest];
    for (Count k = 0; k < n; ++k) {
      row[k] = partners[k];
      id[k] = id_of(tag(row[k]));
    }
    for (Count k = 0; k < n; ++k) {
      std::uint32_t rank = 0;
      for (Count m = 0; m < n; ++m) rank += id[m] < id[k] ? 1 : 0;
      partners[rank] = row[k];
    }
    return true;
  }
};

/// The lanes of a warp sort the list of a row, in scratch memory. As on hosts, the place of a
/// partner is the number of smaller ids.
template <class ExecutionSpace>
struct SortPartnersByWarps {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int team = 8, lanes = 32;  ///< the rows of a team share memory sectors
  static constexpr Count least = 8;           ///< places of a row on average
  static constexpr LocalIndex longest = 256;  ///< longer lists are sorted by one lane
  static constexpr std::size_t scratch_bytes = longest * (sizeof(LocalIndex) + sizeof(Tag));

  SortPartnersById<MemorySpace> by_id;

  KOKKOS_FUNCTION void operator()(const Team& member) const {
    const auto& list = by_id.list;
    const auto row = static_cast<LocalIndex>(member.league_rank()) * team + member.team_rank();
    if (row >= by_id.tag.extent(0)) return;
    const LocalIndex n = list.count(row);
    if (n > longest) return Kokkos::single(Kokkos::PerThread(member), [&]() { by_id(row); });
    auto* const rows = static_cast<LocalIndex*>(
        member.thread_scratch(0).get_shmem(static_cast<int>(scratch_bytes)));
    Tag* const ids = rows + longest;
    const auto all = Kokkos::ThreadVectorRange(member, static_cast<int>(n));
    Kokkos::parallel_for(all, [&](int k) {
      rows[k] = list.partner(row, k);
      ids[k] = id_of(by_id.tag(rows[k]));
    });
    Kokkos::parallel_for(all, [&](int k) {
      LocalIndex place = 0;
      for (LocalIndex m = 0; m < n; ++m) place += ids[m] < ids[k] ? 1 : 0;
      list.partner(row, place) = rows[k];
    });
  }
};

template <int D, class ExecutionSpace>
class Verlet final : public Method<D, ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  Verlet(const ExecutionSpace& space, const Physics<D>& physics, double skin)
      : space_(space), physics_(physics), sorter_(space), lister_(space), skin_(skin) {
    batch_.moved2 = decltype(batch_.moved2)("copse::collide::moved2", batch_.most_steps);
    batch_.made = decltype(batch_.made)("copse::collide::made", batch_.most_steps);
  }

  void load(const State<D, MemorySpace>& state) override {
    now_ = copy_state<MemorySpace>(state);
    spare_ = allocate_state<D, MemorySpace>(state.rows(), state.size.extent(0) > 0);
    spare_.largest_size = state.largest_size;
    origin_ = Vectors<D, MemorySpace>(
        Kokkos::view_alloc("copse::collide::origin", Kokkos::WithoutInitializing), state.rows());
    const double cutoff = physics_.force.cutoff * state.largest_size;
    reach_ = cutoff * (1.0 + skin_) * (1.0 + 1e-9);
    limits_ = {1, 0.5 * skin_ * cutoff * (1.0 - 1e-9)};
    app::corruptible(limits_);
    // Cells of half the reach leave fewer candidates to test, if they are not mostly empty.
    const bool dense = physics_.region.crowding(reach_) > dense_cell;
    const double side = dense ? 0.5 * reach_ : reach_;
    grid_ = cells_over(this->part_of(physics_.region), physics_.region, side, state.rows());
    searched_ = false;
    lifetime_ = 1;
    searches_ = 0;
  }

  void ghosts_moved(double farthest) override { ghosts_moved_ += farthest; }

  void advance(Count steps) override {
    while (steps > 0 && now_.rows() > 0) {
      prepare();
      const Count batch = std::min({steps, plan(), Batch<MemorySpace>::most_steps});
      // Displacements seldom shrink; a start above zero spares atomics, and is safe.
      Kokkos::deep_copy(space_, batch_.moved2, 0.9 * moved_ * moved_);
      Kokkos::deep_copy(space_, batch_.made, 0);
      for (Count s = 0; s < batch; ++s) {
        Kokkos::parallel_for("copse::collide::verlet_step", rows(),
                             StepByLists<D, MemorySpace>{{now_, physics_},
                                                         {list_},
                                                         spare_.position,
                                                         origin_,
                                                         batch_,
                                                         static_cast<int>(s),
                                                         limits_.allowance * limits_.allowance});
        std::swap(now_.position, spare_.position);
      }
      steps -= finish(batch);
    }
  }

  void kick(double time) override {
    prepare();
    Kokkos::parallel_for("copse::collide::forces", rows(),
                         Accelerate<D, MemorySpace, Listed<MemorySpace>>{
                             {now_, physics_}, {list_}, spare_.position});
    Kokkos::parallel_for("copse::collide::kick", rows(),
                         Kick<D, MemorySpace>{now_, spare_.position, time});
    space_.fence("copse::collide::kick");
  }

  State<D, MemorySpace> state() override { return now_; }

  ContactSums contacts() override {
    prepare();
    ContactSums sums;
    Kokkos::parallel_reduce(
        "copse::collide::contacts", rows(),
        MeasureContacts<D, MemorySpace, Listed<MemorySpace>>{{now_, physics_}, {list_}}, sums);
    return sums;
  }

  std::map<std::string, double> figures() const override {
    return {{"searches", static_cast<double>(searches_)}};
  }

 private:
  /// Particles in a cell with sides of the reach, above which sides are halved.
  static constexpr double dense_cell = 8.0;

  Rows<ExecutionSpace> rows() const { return {space_, 0, static_cast<LocalIndex>(now_.rows())}; }

  /// Searches again if a particle has moved too far.
  void prepare() {
    if (searched_ && std::max(moved_, ghosts_moved_) <= limits_.allowance) return;
    if (since_ > 0) lifetime_ = since_;
    const auto cells = sorter_.template sort<D, double>(grid_, now_.position);
    Kokkos::parallel_for("copse::collide::gather", rows(),
                         GatherRows<D, MemorySpace>{cells.rows, now_, spare_});
    std::swap(now_, spare_);
    Kokkos::deep_copy(space_, origin_, now_.position);
    list_ = lister_.template build<D, double>(grid_, {cells.offsets, {}}, now_.position, reach_,
                                              ListKind::full, physics_.region.side);
    if (physics_.ordered) sort_partners();
    searched_ = true;
    moved_ = ghosts_moved_ = 0.0;
    since_ = 0;
    ++searches_;
  }

  void sort_partners() {
    const char* const label = "copse::collide::sort_partners";
    const SortPartnersById<MemorySpace> by_id{list_, now_.tag};
    if constexpr (!runs_on_host<ExecutionSpace>) {
      using ByWarps = SortPartnersByWarps<ExecutionSpace>;
      if (list_.partners.extent(0) > ByWarps::least * now_.rows()) {
        const auto teams = static_cast<int>((now_.rows() + ByWarps::team - 1) / ByWarps::team);
        Kokkos::TeamPolicy<ExecutionSpace> policy(space_, teams, ByWarps::team, ByWarps::lanes);
        policy.set_scratch_size(0, Kokkos::PerThread(ByWarps::scratch_bytes));
        return Kokkos::parallel_for(label, policy, ByWarps{by_id});
      }
    }
    Kokkos::parallel_for(label, rows(), by_id);
  }

  /// About how many steps are left until the next search.
  Count plan() const {
    if (since_ == 0 || !(moved_ > 0.0)) return lifetime_;
    const double pace = moved_ / static_cast<double>(since_);
    return static_cast<Count>(std::clamp((limits_.allowance - moved_) / pace + 1.0, 1.0, 1e6));
  }

  /// Waits for a batch. \return how many of its steps were made
  Count finish(Count batch) {
    const auto made = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, batch_.made);
    const auto moved2 = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, batch_.moved2);
    Count count = 0;
    while (count < batch && made(count) == 1) ++count;
    if ((batch - count) % 2 == 1) std::swap(now_.position, spare_.position);
    moved_ = std::sqrt(moved2(count - 1));
    since_ += count;
    return count;
  }

  ExecutionSpace space_;
  Physics<D> physics_;
  CellSorter<ExecutionSpace> sorter_;
  NeighbourLister<ExecutionSpace> lister_;
  CellGrid<D, double> grid_;
  State<D, MemorySpace> now_, spare_;
  Vectors<D, MemorySpace> origin_;
  NeighbourList<MemorySpace> list_;
  Batch<MemorySpace> batch_;
  double skin_;
  double reach_ = 0.0;         ///< of lists
  SearchLimits limits_;        ///< of displacements
  double moved_ = 0.0;         ///< bound of the displacements since the last search
  double ghosts_moved_ = 0.0;  ///< the same of ghosts
  bool searched_ = false;
  Count since_ = 0;     ///< steps since the last search
  Count lifetime_ = 1;  ///< of the last list, in steps
  Count searches_ = 0;
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_verlet(const ExecutionSpace& space, const Physics<D>& physics,
                                             const Request& request) {
  const double skin = physics.liquid() ? 0.12 : 0.5;
  return std::make_unique<Verlet<D, ExecutionSpace>>(space, physics, request.skin.value_or(skin));
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(verlet, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
