/// \file
/// Particles in strips, each kept sorted along x: the method for processors with vectors.
///
/// A strip searches pairs among its own rows and with the next strips, then moves. So every pair is
/// found once, before either particle moves, and positions and velocities pass through the cache
/// once per step. Insertion keeps the strips sorted (at the course's density 0.35 % of neighbours
/// swap in a step), and particles change strips only when one has strayed too far.
///
/// Each thread owns consecutive strips. A first pass finds the pairs of a strip with strips of
/// other threads and with strips that move before it. If a pair has two owners, both find it, each
/// for its own particle.
///
/// Ghosts are rows like others, but without velocity and without terms.
#include "../make.hpp"
#include "strips/strip_contacts.hpp"
#include "strips/strip_migration.hpp"
#include "strips/strip_motion.hpp"
#include "strips/strip_search.hpp"
#include <copse/app/corruptible.hpp>

namespace copse::collide {
namespace {

/// Side of strips in reaches. Thick strips have fewer pairs of rows in different strips and lose
/// particles more slowly, thin ones have fewer pairs within. Measured on a Zen 4 with AVX-512: 5 in
/// the course's gas, the best of 3, 4, 5, 6 and 8, of which the others are up to 8 % slower (in
/// three dimensions 4 is as fast); 1.5 in a Lennard-Jones liquid, where 2 is a tenth slower.
/// \param crowded one or more particles in a square or cube whose side is the reach, on average
double strip_side(bool crowded) {
  return crowded ? 1.5 : 5.0;
}

template <int D, class ExecutionSpace>
class Strips final : public Method<D, ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  Strips(const ExecutionSpace& space, const Physics<D>& physics)
      : space_(space),
        physics_(physics),
        reach_(StripSearch<D>::safe_reach(physics.region, physics.force.cutoff)),
        search_(physics.region, reach_),
        motion_(physics),
        table_(space) {}

  void load(const State<D, MemorySpace>& state) override {
    table_.load(state, physics_.region, this->part_of(physics_.region),
                strip_side(physics_.region.crowded(reach_)) * reach_, reach_);
    marks_ = {};
    migrations_ = 0;
    divide();
  }

  /// A load costs as much as several steps. Over 16 ranks (Sapphire Rapids) 10^6 particles in the
  /// plane make 1.6 10^8 particle-steps/s with a skin of 1 cutoff, 3.3 10^8 with 3, 3.7 10^8 with
  /// 4 and no more with 6.
  double ghost_skin(const Physics<D>& physics) const override {
    return physics.liquid() ? 0.2 : 4.0;
  }

  void ghosts_moved(double) override {
    for_each_worker<false>("copse::collide::strips_ghosts", [&](std::size_t w) {
      Worker& worker = workers_[w];
      for (LocalIndex s = worker.begin; s < worker.end; ++s)
        if (table_.strip(s).ghosts) place_ghosts(s, worker);
    });
    take_marks();
  }

  void advance(Count steps) override {
    for (Count s = 0; s < steps; ++s) {
      prepare();
      find_pairs<false>([&](LocalIndex strip, Worker& worker) { move(strip, worker); });
      take_marks();
    }
  }

  void kick(double time) override {
    prepare();
    find_pairs<false>([&](LocalIndex strip, Worker& worker) {
      const StripColumns<D> c = table_.columns(strip);
      // Other methods add the zero of particles without contacts, which turns -0.0 into 0.0.
      for (LocalIndex k = 0; k < table_.strip(strip).rows; ++k)
        for (int a = 0; a < D; ++a) c.v[a][k] += time * 0.0;
      worker.contacts.take(strip, table_.strip(strip).rows, physics_.ordered,
                           [&](LocalIndex row, const Vector<D>& acceleration) {
                             for (int a = 0; a < D; ++a) c.v[a][row] += time * acceleration[a];
                           });
    });
  }

  State<D, MemorySpace> state() override { return table_.state(); }
  State<D, MemorySpace> stored() override { return table_.stored(); }

  ContactSums contacts() override {
    prepare();
    for (Worker& worker : workers_) worker.sums = {};
    find_pairs<true>([](LocalIndex, Worker&) {});
    ContactSums sums;
    for (const Worker& worker : workers_) sums.add(worker.sums);
    return sums;
  }

  std::map<std::string, double> figures() const override {
    return {{"searches", static_cast<double>(migrations_)}};
  }

 private:
  /// What one thread works with.
  struct Worker {
    LocalIndex begin = 0, end = 0;  ///< strips
    StripContacts<D> contacts;
    ContactSums sums;
    StripMarks marks;
    BorderRows<D> near, others;  ///< of the two strips that are compared
    bool owns(LocalIndex strip) const { return strip >= begin && strip < end; }
  };

  /// Gives every thread strips of about the same number of rows.
  void divide() {
    const auto count = static_cast<std::size_t>(std::max(1, space_.concurrency()));
    Count rows = 0, done = 0;
    for (LocalIndex s = 0; s < table_.strips(); ++s) rows += table_.strip(s).rows;
    workers_.resize(count);
    chunks_.assign(count + 1, table_.strips());
    chunks_[0] = 0;
    std::size_t w = 1;
    for (LocalIndex s = 0; s < table_.strips() && w < count; ++s) {
      while (w < count && done >= rows * w / count) chunks_[w++] = s;
      done += table_.strip(s).rows;
    }
    for (std::size_t k = 0; k < count; ++k) {
      workers_[k].begin = chunks_[k];
      workers_[k].end = chunks_[k + 1];
      workers_[k].contacts.reset(chunks_[k], chunks_[k + 1] - chunks_[k]);
    }
  }

  void take_marks() {
    for (Worker& worker : workers_) {
      marks_.strayed |= worker.marks.strayed;
      marks_.crowded |= worker.marks.crowded;
      worker.marks = {};
    }
    app::corruptible(marks_);
  }

  void prepare() {
    if (marks_.strayed) {
      table_.migrate(chunks_);
      ++migrations_;
    } else if (marks_.crowded) {
      table_.lay_out();
    }
    marks_ = {};
  }

  /// Calls f(t) for half of the neighbours of strip s: one of two in two dimensions, four of eight
  /// in three. With `sign` -1 calls f for the other half. The search compares s with the first
  /// half, so each pair of neighbours is compared once.
  template <class F>
  void for_each_partner(LocalIndex s, int sign, const F& f) const {
    const auto& grid = table_.grid();
    const auto place = grid.place_of(s);
    constexpr int offsets[4][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}};
    for (int k = 0; k < (D == 2 ? 1 : 4); ++k) {
      auto to = place;
      bool exists = true;
      for (int a = 0; a < D - 1; ++a) {
        const int step = sign * offsets[k][a];
        const std::uint32_t n = grid.cells[a];
        if (n == 1 && step != 0) exists = false;
        if (step < 0 && place[a] == 0) {
          exists = exists && physics_.region.periodic;
          to[a] = n - 1;
        } else if (step > 0 && place[a] + 1 == n) {
          exists = exists && physics_.region.periodic;
          to[a] = 0;
        } else {
          to[a] = static_cast<std::uint32_t>(static_cast<int>(place[a]) + step);
        }
      }
      if (exists) f(static_cast<LocalIndex>(grid.number(to)));
    }
  }

  template <bool Measure, class F>
  void for_each_worker(const char* label, const F& f) {
    if constexpr (Measure) {  // sums for reports, one part after the other
      for (std::size_t w = 0; w < workers_.size(); ++w) f(w);
      return;
    }
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Static>>(
                             space_, 0, workers_.size()),
                         f);
    space_.fence(label);
  }

  /// Finds all pairs, adds them up, and calls finish(strip, worker) for every strip with rows, when
  /// all of its pairs are known.
  template <bool Measure, class Finish>
  void find_pairs(const Finish& finish) {
    for_each_worker<Measure>("copse::collide::strips_border", [&](std::size_t w) {
      Worker& worker = workers_[w];
      for (LocalIndex s = worker.begin; s < worker.end; ++s) {
        if (table_.strip(s).rows == 0) continue;
        for_each_partner(s, 1, [&](LocalIndex t) {
          if (!worker.owns(t) || t < s) between<Measure>(worker, s, t);
        });
        for_each_partner(s, -1, [&](LocalIndex t) {
          if (!worker.owns(t)) between<Measure>(worker, t, s);
        });
      }
    });
    for_each_worker<Measure>("copse::collide::strips", [&](std::size_t w) {
      Worker& worker = workers_[w];
      for (LocalIndex s = worker.begin; s < worker.end; ++s) {
        if (table_.strip(s).rows == 0) continue;
        within<Measure>(worker, s);
        for_each_partner(s, 1, [&](LocalIndex t) {
          if (worker.owns(t) && t > s) between<Measure>(worker, s, t);
        });
        finish(s, worker);
      }
    });
  }

  template <bool Measure>
  void within(Worker& worker, LocalIndex s) const {
    const StripColumns<D> c = table_.columns(s);
    const auto found = [&](LocalIndex i, LocalIndex j) { test<Measure>(worker, s, c, i, s, c, j); };
    // The strip's velocities, and the positions of the next.
    const StripColumns<D> next = table_.columns(s + 1 < worker.end ? s + 1 : s);
    typename StripSearch<D>::Ahead ahead;
    for (std::size_t a = 0; a < D; ++a) {
      ahead[a] = c.v[a];
      ahead[D + a] = next.x[a];
    }
    if (table_.wraps(s))
      search_.template pairs_within<true>(c, table_.strip(s).rows, ahead, found);
    else
      search_.template pairs_within<false>(c, table_.strip(s).rows, ahead, found);
  }

  template <bool Measure>
  void between(Worker& worker, LocalIndex s, LocalIndex t) const {
    if (table_.strip(s).rows == 0 || table_.strip(t).rows == 0) return;
    if (table_.wraps(s) || table_.wraps(t))
      between<Measure, true>(worker, s, t);
    else
      between<Measure, false>(worker, s, t);
  }

  template <bool Measure, bool Wrap>
  void between(Worker& worker, LocalIndex s, LocalIndex t) const {
    const Strip<D>&strip = table_.strip(s), &other = table_.strip(t);
    const StripColumns<D> c = table_.columns(s), d = table_.columns(t);
    search_.template select<Wrap>(c, strip.rows + strip.images, table_.center(t), other.extent,
                                  worker.near);
    if (worker.near.count == 0) return;
    search_.template select<Wrap>(d, other.rows + other.images, table_.center(s), strip.extent,
                                  worker.others);
    search_.template pairs_between<Wrap>(
        worker.near, worker.others,
        [&](LocalIndex i, LocalIndex j) { test<Measure>(worker, s, c, i, t, d, j); });
  }

  /// Adds a pair that may be in contact to the strips of this worker, except to ghosts.
  template <bool Measure>
  void test(Worker& worker, LocalIndex s, const StripColumns<D>& c, LocalIndex i, LocalIndex t,
            const StripColumns<D>& d, LocalIndex j) const {
    const LocalIndex rows = table_.strip(s).rows, others = table_.strip(t).rows;
    const bool image = (i >= rows) != (j >= others);
    if (i >= rows && j >= others) return;
    if (i >= rows) i -= rows;
    if (j >= others) j -= others;
    const Region<D>& region = physics_.region;
    // A pair at half a period would be found twice.
    if (region.periodic && (Kokkos::abs(d.x[0][j] - c.x[0][i]) > 0.5 * region.side[0]) != image)
      return;
    Contact<D> contact;
    contact.reach = physics_.force.cutoff;
    for (int a = 0; a < D; ++a) {
      contact.d[a] = region.displacement(c.x[a][i], d.x[a][j], a);
      contact.r2 += contact.d[a] * contact.d[a];
    }
    if (!(contact.r2 <= contact.reach * contact.reach)) return;
    const Tag mine = id_of(c.tag[i]), theirs = id_of(d.tag[j]);
    const bool to_s = worker.owns(s) && !is_ghost(c.tag[i]);
    const bool to_t = worker.owns(t) && !is_ghost(d.tag[j]);
    if constexpr (Measure) {
      const Pairs<D, Kokkos::HostSpace> pairs{{}, physics_};
      if (to_s) pairs.add(contact, mine, theirs, worker.sums);
      if (to_t) pairs.add(contact, theirs, mine, worker.sums);
    } else {
      const double factor = physics_.force.pull(contact.r2, contact.reach);
      Term<D> term{i, theirs, {}}, opposite{j, mine, {}};
      for (int a = 0; a < D; ++a) {
        term.pull[a] = factor * contact.d[a];
        opposite.pull[a] = -term.pull[a];
      }
      if (to_s) worker.contacts.add(s, term);
      if (to_t) worker.contacts.add(t, opposite);
    }
  }

  void move(LocalIndex s, Worker& worker) {
    const StripColumns<D> c = table_.columns(s);
    const LocalIndex rows = table_.strip(s).rows;
    worker.contacts.take(s, rows, physics_.ordered,
                         [&](LocalIndex row, const Vector<D>& acceleration) {
                           for (int a = 0; a < D; ++a) c.v[a][row] += acceleration[a] * physics_.dt;
                         });
    const Vector<D> distance = motion_.drift(c, rows, table_.center(s), table_.wraps(s));
    table_.set_extent(s, distance);
    settle(s, worker);
  }

  /// Takes over new positions of a strip's ghosts.
  void place_ghosts(LocalIndex s, Worker& worker) {
    table_.measure_extent(s);
    settle(s, worker);
  }

  /// Sorts and closes a strip whose rows have moved.
  void settle(LocalIndex s, Worker& worker) {
    const Strip<D>& strip = table_.strip(s);
    for (int a = 1; a < D; ++a)
      worker.marks.strayed |= strip.extent[a] > table_.allowed_distance(a);
    motion_.sort(table_.columns(s), strip.rows);
    worker.marks.crowded |= !table_.close(s);
  }

  ExecutionSpace space_;
  Physics<D> physics_;
  double reach_;  ///< for comparisons with rounding errors
  StripSearch<D> search_;
  StripMotion<D> motion_;
  StripTable<D, ExecutionSpace> table_;
  std::vector<Worker> workers_;
  std::vector<LocalIndex> chunks_;  ///< [workers + 1] first strips
  StripMarks marks_;
  Count migrations_ = 0;
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_strips(const ExecutionSpace& space, const Physics<D>& physics,
                                             const Request&) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    return std::make_unique<Strips<D, ExecutionSpace>>(space, physics);
  } else {
    throw InputError("--method strips runs on hosts only");
  }
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(strips, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
