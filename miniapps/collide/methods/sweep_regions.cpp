/// \file
/// Sweep and prune by threads, each of which has a region with lists of its own [Li, Scott, Twigg
/// 2012, section 2.4].
///
/// A step has two barriers instead of nine: particles are written by the region that is responsible
/// for them, then what others need to know is written to boxes by direction, and after a barrier
/// every region reads the boxes of its neighbours. Nothing is written while another region may read
/// it. A particle that leaves a region goes to the one that is responsible for its new place,
/// however far away, and is announced to that one's neighbours by the region that it leaves. Step 4
/// of the published description, forces and motion, is the start of the loop.
#include "../make.hpp"
#include "../sweep/pair_sums.hpp"
#include "../sweep/regions.hpp"
#include "../sweep/sweep_lists.hpp"
#include <copse/backend/error.hpp>

#include <algorithm>
#include <chrono>

namespace copse::collide {
namespace {

/// Seconds of one region, by what they were used for.
struct RegionSeconds {
  double compute = 0.0, communicate = 0.0;
};

class RegionWatch {
 public:
  explicit RegionWatch(double& seconds) : seconds_(seconds) {}
  ~RegionWatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  RegionWatch(const RegionWatch&) = delete;
  RegionWatch& operator=(const RegionWatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

/// The particles of a region and its halo. The state calls them by rows, the lists by slots.
template <int D>
class alignas(128) SweptRegion {
 public:
  using HostPairs = Pairs<D, Kokkos::HostSpace>;

  void reset(const Regions<D>& regions, int number) {
    number_ = number;
    place_ = regions.place_of(number);
    lists_.reset(regions.axes(place_), regions.halo);
    owned_.clear();
    halo_.clear();
    free_.clear();
    row_.clear();
    active_.clear();
  }

  /// Takes responsibility for a row.
  void take(const Regions<D>& regions, const HostPairs& pairs, LocalIndex row) {
    const LocalIndex slot = add(regions, pairs, row);
    active_[slot] = !is_ghost(pairs.particles.tag(row));
    owned_.push_back({row, slot});
  }
  /// Rows come in ascending order.
  void take_halo(const Regions<D>& regions, const HostPairs& pairs, LocalIndex row) {
    halo_.push_back({row, add(regions, pairs, row)});
  }

  void accelerate(const HostPairs& pairs) {
    const RegionWatch watch(seconds_.compute);
    accelerations_ = &sums_.accelerations(pairs, lists_.pairs(), row_.size(), row(), active());
  }

  void kick(const HostPairs& pairs, double time) {
    for (const Member& mine : owned_)
      for (int a = 0; a < D; ++a)
        pairs.particles.velocity(mine.row, a) += time * (*accelerations_)[mine.slot][a];
  }

  void move(const HostPairs& pairs) {
    const RegionWatch watch(seconds_.compute);
    const auto& particles = pairs.particles;
    for (const Member& mine : owned_) {
      if (!active_[mine.slot]) continue;
      Vector<D> x = pairs.position(mine.row), v;
      for (int a = 0; a < D; ++a) v[a] = particles.velocity(mine.row, a);
      pairs.move((*accelerations_)[mine.slot], x, v);
      for (int a = 0; a < D; ++a) {
        particles.position(mine.row, a) = x[a];
        particles.velocity(mine.row, a) = v[a];
      }
    }
  }

  /// Writes what other regions need to know.
  void send(const Regions<D>& regions, const HostPairs& pairs) {
    const RegionWatch watch(seconds_.communicate);
    letters_.clear();
    for (auto& box : boxes_) box.clear();
    for (std::size_t k = 0; k < owned_.size();) {
      const Member mine = owned_[k];
      const Vector<D> x = pairs.position(mine.row);
      const int owner = regions.owner(x);
      if (owner == number_) {
        regions.for_each_direction(place_, x,
                                   [&](int direction) { boxes_[direction].push_back(mine.row); });
        ++k;
        continue;
      }
      letters_.push_back({mine.row, owner, true});
      const auto place = regions.place_of(owner);
      regions.for_each_direction(place, x, [&](int direction) {
        if (const auto region = regions.neighbor(place, direction))
          letters_.push_back({mine.row, *region, false});
      });
      drop(mine.slot);
      owned_[k] = owned_.back();
      owned_.pop_back();
    }
  }

  /// Reads what all regions have written.
  void receive(const Regions<D>& regions, const HostPairs& pairs,
               const std::vector<SweptRegion>& all) {
    const RegionWatch watch(seconds_.communicate);
    const std::size_t stayed = owned_.size();
    near_.clear();
    for (int direction = 0; direction < Regions<D>::directions; ++direction) {
      const int back = Regions<D>::directions - 1 - direction;
      if (direction == back) continue;
      const auto from = regions.neighbor(place_, back);
      if (!from) continue;
      const auto& box = all[static_cast<std::size_t>(*from)].boxes_[direction];
      near_.insert(near_.end(), box.begin(), box.end());
    }
    for (const SweptRegion& other : all)
      for (const Letter& letter : other.letters_) {
        if (letter.region != number_) continue;
        if (letter.owned)
          take(regions, pairs, letter.row);
        else
          near_.push_back(letter.row);
      }
    update_halo(regions, pairs);
    for (std::size_t k = 0; k < stayed; ++k) place(regions, pairs, owned_[k]);
  }

  void update() {
    const RegionWatch watch(seconds_.compute);
    lists_.update();
    free_.insert(free_.end(), dropped_.begin(), dropped_.end());
    dropped_.clear();
  }

  void measure(const HostPairs& pairs, ContactSums& sums) const {
    PairSums<D>::measure(pairs, lists_.pairs(), row(), active(), sums);
  }

  void start_watches() { seconds_ = {}; }
  const RegionSeconds& seconds() const { return seconds_; }
  Count halo_size() const { return halo_.size(); }
  const SweepLists<D>& lists() const { return lists_; }

 private:
  struct Member {
    LocalIndex row, slot;
  };
  /// A message about a particle that left its region. `region` is the receiver: the new owner if
  /// `owned`, otherwise a region with the particle in its halo.
  struct Letter {
    LocalIndex row;
    int region;
    bool owned;
  };

  auto row() const {
    return [this](LocalIndex slot) { return row_[slot]; };
  }
  auto active() const {
    return [this](LocalIndex slot) { return active_[slot] != 0; };
  }

  LocalIndex add(const Regions<D>& regions, const HostPairs& pairs, LocalIndex row) {
    if (free_.empty()) {
      free_.push_back(static_cast<LocalIndex>(row_.size()));
      row_.push_back(0);
      active_.push_back(0);
    }
    const LocalIndex slot = free_.back();
    free_.pop_back();
    row_[slot] = row;
    active_[slot] = 0;
    const auto& size = pairs.particles.size;
    const double length = pairs.physics.force.cutoff * (size.extent(0) > 0 ? size(row) : 1.0);
    lists_.add(slot, regions.unwrapped(place_, pairs.position(row)), length);
    return slot;
  }
  void drop(LocalIndex slot) {
    lists_.remove(slot);
    active_[slot] = 0;
    dropped_.push_back(slot);  // the lists know it until their update
  }
  void place(const Regions<D>& regions, const HostPairs& pairs, const Member& member) {
    lists_.move(member.slot, regions.unwrapped(place_, pairs.position(member.row)));
  }

  /// Makes the halo that of the rows `near_`: particles are new, have moved or are deleted, as in
  /// section 2.6.
  void update_halo(const Regions<D>& regions, const HostPairs& pairs) {
    std::sort(near_.begin(), near_.end());
    old_halo_.swap(halo_);
    halo_.clear();
    auto old = old_halo_.begin();
    for (const LocalIndex row : near_) {
      for (; old != old_halo_.end() && old->row < row; ++old) drop(old->slot);
      if (old != old_halo_.end() && old->row == row) {
        place(regions, pairs, *old);
        halo_.push_back(*old++);
      } else {
        take_halo(regions, pairs, row);
      }
    }
    for (; old != old_halo_.end(); ++old) drop(old->slot);
  }

  int number_ = 0;
  typename Regions<D>::Places place_{};
  SweepLists<D> lists_;
  PairSums<D> sums_;
  const std::vector<Vector<D>>* accelerations_ = nullptr;
  std::vector<Member> owned_, halo_, old_halo_;  ///< halos by ascending row
  std::vector<LocalIndex> free_, dropped_;       ///< slots
  std::vector<LocalIndex> row_;                  ///< of each slot
  std::vector<std::uint8_t> active_;             ///< slots that are owned and move
  std::array<std::vector<LocalIndex>, Regions<D>::directions> boxes_;
  std::vector<Letter> letters_;
  std::vector<LocalIndex> near_;
  RegionSeconds seconds_;
};

template <int D, class ExecutionSpace>
class SweepRegions final : public Method<D, ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  SweepRegions(const ExecutionSpace& space, const Physics<D>& physics, int regions)
      : space_(space), physics_(physics), wanted_(regions > 0 ? regions : space.concurrency()) {}

  void load(const State<D, MemorySpace>& state) override {
    state_ = copy_state<MemorySpace>(state);
    grid_ =
        Regions<D>::divide(physics_.region, physics_.force.cutoff * state.largest_size, wanted_);
    regions_ = std::vector<SweptRegion<D>>(static_cast<std::size_t>(grid_.size()));
    for (int r = 0; r < grid_.size(); ++r) regions_[static_cast<std::size_t>(r)].reset(grid_, r);
    const auto region = [&](int r) -> SweptRegion<D>& {
      return regions_[static_cast<std::size_t>(r)];
    };
    for (LocalIndex i = 0; i < state_.rows(); ++i) {
      const Vector<D> x = pairs().position(i);
      const int owner = grid_.owner(x);
      region(owner).take(grid_, pairs(), i);
      const auto place = grid_.place_of(owner);
      grid_.for_each_direction(place, x, [&](int direction) {
        if (const auto near = grid_.neighbor(place, direction))
          region(*near).take_halo(grid_, pairs(), i);
      });
    }
    for_regions("copse::collide::sort_lists", [](SweptRegion<D>& mine) {
      mine.update();
      mine.start_watches();
    });
    wall_ = 0.0;
    steps_ = 0;
  }

  void ghosts_moved(double) override {
    for_regions("copse::collide::send_ghosts",
                [this](SweptRegion<D>& mine) { mine.send(grid_, pairs()); });
    for_regions("copse::collide::receive_ghosts", [this](SweptRegion<D>& mine) {
      mine.receive(grid_, pairs(), regions_);
      mine.update();
    });
  }

  void advance(Count steps) override {
    const RegionWatch watch(wall_);
    if (steps > 0) accelerate();
    for (Count s = 0; s < steps; ++s) {
      for_regions("copse::collide::move_and_send", [this](SweptRegion<D>& mine) {
        mine.move(pairs());
        mine.send(grid_, pairs());
      });
      for_regions("copse::collide::receive_and_sweep", [&](SweptRegion<D>& mine) {
        mine.receive(grid_, pairs(), regions_);
        mine.update();
        if (s + 1 < steps) mine.accelerate(pairs());
      });
    }
    steps_ += steps;
  }

  void kick(double time) override {
    const RegionWatch watch(wall_);
    accelerate();
    for_regions("copse::collide::kick", [&](SweptRegion<D>& mine) { mine.kick(pairs(), time); });
  }

  State<D, MemorySpace> state() override { return state_; }

  ContactSums contacts() override {
    ContactSums sums;
    for (const auto& region : regions_) region.measure(pairs(), sums);
    return sums;
  }

  /// Shares of the time of all threads, and means of the regions.
  std::map<std::string, double> figures() const override {
    const auto count = static_cast<double>(regions_.size());
    std::map<std::string, double> figures{{"regions", count}};
    double compute = 0.0, communicate = 0.0, halo = 0.0;
    Count swaps = 0;
    for (const auto& region : regions_) {
      compute += region.seconds().compute;
      communicate += region.seconds().communicate;
      halo += static_cast<double>(region.halo_size()) / count;
      for (int a = 0; a < D; ++a) swaps += region.lists().swaps(a);
    }
    figures["halo_particles"] = halo;
    if (steps_ == 0) return figures;
    const double all = count * wall_;
    figures["swaps_per_step"] = static_cast<double>(swaps) / static_cast<double>(steps_);
    figures["compute_share"] = compute / all;
    figures["communicate_share"] = communicate / all;
    figures["synchronise_share"] = 1.0 - (compute + communicate) / all;
    return figures;
  }

 private:
  Pairs<D, MemorySpace> pairs() const { return {state_, physics_}; }

  void accelerate() {
    for_regions("copse::collide::forces",
                [this](SweptRegion<D>& mine) { mine.accelerate(pairs()); });
  }

  /// One region a thread, and a barrier.
  template <class F>
  void for_regions(const char* label, const F& f) {
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Static>>;
    Kokkos::parallel_for(label, Policy(space_, 0, regions_.size()),
                         [&](std::size_t r) { f(regions_[r]); });
    space_.fence(label);
  }

  ExecutionSpace space_;
  Physics<D> physics_;
  int wanted_;  ///< regions
  State<D, MemorySpace> state_;
  Regions<D> grid_;
  std::vector<SweptRegion<D>> regions_;
  double wall_ = 0.0;  ///< seconds since the load
  Count steps_ = 0;    ///< since the load
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_sweep_regions(const ExecutionSpace& space,
                                                    const Physics<D>& physics,
                                                    const Request& request) {
  if constexpr (backend_name<ExecutionSpace>() == "openmp")
    return std::make_unique<SweepRegions<D, ExecutionSpace>>(space, physics,
                                                             static_cast<int>(request.regions));
  throw InputError("sweep-regions runs on openmp alone");
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(sweep_regions, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
