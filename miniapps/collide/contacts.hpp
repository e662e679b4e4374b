#pragma once
/// \file
/// What a particle gets from its contacts. Every method is a way to enumerate the candidates of a
/// particle; the tests, the sums and their order are here.
///
/// Bitwise results: the contacts of a particle are added by ascending id of the partner, starting
/// from zero. The sum of two terms does not depend on their order, so methods add contacts in the
/// order in which they find them. Only a particle with three or more contacts is summed again, in
/// order. No translation unit that uses this header may fuse products and sums
/// (copse_exact_arithmetic).

#include "force.hpp"
#include "state.hpp"
#include <copse/backend/split_mix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace copse::collide {

/// The model: force, region and length of a step.
template <int D>
struct Physics {
  Force force;
  Region<D> region;
  double dt = 0.0005;
  bool ordered = true;  ///< sum contacts by ascending id

  /// A Lennard-Jones fluid with at least one particle per square or cube of the cutoff. Particles
  /// move little in a step and have many candidates, so thin skins are faster.
  bool liquid() const {
    return force.kind == ForceKind::lennard_jones && region.crowded(force.cutoff);
  }
};

/// Sums over the contacts of all particles that are no ghosts. A pair counts twice, or once if one
/// of the two is a ghost.
struct ContactSums {
  Count candidates = 0;  ///< distances that were compared to find the contacts
  Count contacts = 0;
  std::uint64_t fingerprint = 0;  ///< of the set of pairs of ids, independent of order
  double least_ratio = 1e300;     ///< distance / reach
  double ratio_sum = 0.0;
  double potential = 0.0;  ///< every pair once, if there are no ghosts
  double virial = 0.0;     ///< sum of r . F, every pair once

  KOKKOS_INLINE_FUNCTION void add(const ContactSums& other) {
    candidates += other.candidates;
    contacts += other.contacts;
    fingerprint += other.fingerprint;
    least_ratio = Kokkos::fmin(least_ratio, other.least_ratio);
    ratio_sum += other.ratio_sum;
    potential += other.potential;
    virial += other.virial;
  }
};

template <int D>
struct Contact {
  Vector<D> d{};  ///< to the partner
  double r2 = 0.0;
  double reach = 0.0;
};

/// Tests and forces of the pairs of a state.
template <int D, class MemorySpace>
struct Pairs {
  static constexpr int chunk = 16;  ///< contacts that are sorted at a time

  State<D, MemorySpace> particles;
  Physics<D> physics;

  KOKKOS_FORCEINLINE_FUNCTION Vector<D> position(LocalIndex i) const {
    Vector<D> x;
    for (int a = 0; a < D; ++a) x[a] = particles.position(i, a);
    return x;
  }
  KOKKOS_FORCEINLINE_FUNCTION double reach(LocalIndex i, LocalIndex j) const {
    if (particles.size.extent(0) == 0) return physics.force.cutoff;
    return physics.force.cutoff * (0.5 * (particles.size(i) + particles.size(j)));
  }

  /// Do two different particles meet? `x` is the position of i.
  KOKKOS_FORCEINLINE_FUNCTION bool meet(LocalIndex i, const Vector<D>& x, LocalIndex j,
                                        Contact<D>& contact) const {
    double r2 = 0.0;
    for (int a = 0; a < D; ++a) {
      contact.d[a] = physics.region.displacement(x[a], particles.position(j, a), a);
      r2 += contact.d[a] * contact.d[a];
    }
    contact.r2 = r2;
    contact.reach = reach(i, j);
    return r2 <= contact.reach * contact.reach && i != j;
  }

  KOKKOS_FORCEINLINE_FUNCTION void pull(const Contact<D>& contact, Vector<D>& sum) const {
    const double factor = physics.force.pull(contact.r2, contact.reach);
    for (int a = 0; a < D; ++a) sum[a] += factor * contact.d[a];
  }

  /// Acceleration of particle i. `candidates(f)` calls f(j) once for each candidate, which may
  /// include i.
  template <class Candidates>
  KOKKOS_INLINE_FUNCTION Vector<D> acceleration(LocalIndex i, const Candidates& candidates) const {
    const Vector<D> x = position(i);
    Vector<D> sum{};
    int contacts = 0;
    candidates([&](LocalIndex j) {
      Contact<D> contact;
      if (!meet(i, x, j, contact)) return;
      pull(contact, sum);
      ++contacts;
    });
    if (contacts <= 2 || !physics.ordered) return sum;
    KOKKOS_IF_ON_HOST((return sorted_sum(i, x, candidates);))
    KOKKOS_IF_ON_DEVICE((return ordered_sum(i, x, contacts, candidates);))
  }

  /// The same of candidates that ascend by id.
  template <class Candidates>
  KOKKOS_INLINE_FUNCTION Vector<D> acceleration_in_order(LocalIndex i,
                                                         const Candidates& candidates) const {
    const Vector<D> x = position(i);
    Vector<D> sum{};
    candidates([&](LocalIndex j) {
      Contact<D> contact;
      if (meet(i, x, j, contact)) pull(contact, sum);
    });
    return sum;
  }

  /// The same of listed rows, for Lennard-Jones particles of one size on a host. Pulls are computed
  /// in blocks, in loops without branches that compilers turn into vectors, and then added one by
  /// one.
  Vector<D> lennard_jones_acceleration_in_order(LocalIndex i, const LocalIndex* rows,
                                                Count n) const {
    constexpr int block = 16;
    const Force force = physics.force;
    const double reach = force.cutoff, reach2 = reach * reach;
    Vector<D> sum{};
    for (Count first = 0; first < n; first += block) {
      const int count = n - first < block ? static_cast<int>(n - first) : block;
      LocalIndex partner[block];
      for (int k = 0; k < block; ++k) partner[k] = k < count ? rows[first + k] : i;
      double d[D][block], r2[block] = {}, pull[block];
      for (int a = 0; a < D; ++a) {
        const double* const column = &particles.position(0, a);
        const double x = column[i], side = physics.region.side[a];
        for (int k = 0; k < block; ++k) d[a][k] = column[partner[k]] - x;
        if (physics.region.periodic)
          for (int k = 0; k < block; ++k) d[a][k] = Region<D>::nearest(d[a][k], side);
        for (int k = 0; k < block; ++k) r2[k] += d[a][k] * d[a][k];
      }
      for (int k = 0; k < block; ++k) {
        const double inside = force.lennard_jones_pull(r2[k], reach);
        pull[k] = r2[k] <= reach2 ? inside : 0.0;
      }
      for (int a = 0; a < D; ++a)
        for (int k = 0; k < block; ++k) d[a][k] *= pull[k];
      for (int k = 0; k < count; ++k)
        for (int a = 0; a < D; ++a) sum[a] += d[a][k];
    }
    return sum;
  }

  /// Adds what the contacts of particle i contribute.
  template <class Candidates>
  KOKKOS_INLINE_FUNCTION void measure(LocalIndex i, const Candidates& candidates,
                                      ContactSums& sums) const {
    const Vector<D> x = position(i);
    const Tag mine = id_of(particles.tag(i));
    candidates([&](LocalIndex j) {
      Contact<D> contact;
      ++sums.candidates;
      if (meet(i, x, j, contact)) add(contact, mine, id_of(particles.tag(j)), sums);
    });
  }

  KOKKOS_INLINE_FUNCTION void add(const Contact<D>& contact, Tag mine, Tag theirs,
                                  ContactSums& sums) const {
    const Tag low = mine < theirs ? mine : theirs;
    const Tag high = mine < theirs ? theirs : mine;
    const double ratio = Kokkos::sqrt(contact.r2) / contact.reach;
    ++sums.contacts;
    sums.fingerprint += split_mix((std::uint64_t{high} << 32) | low);
    sums.least_ratio = Kokkos::fmin(sums.least_ratio, ratio);
    sums.ratio_sum += ratio;
    sums.potential += 0.5 * physics.force.potential(contact.r2, contact.reach);
    sums.virial -=
        0.5 * physics.force.mass * physics.force.pull(contact.r2, contact.reach) * contact.r2;
  }

  /// One step of particle i with acceleration `a`: kick, drift, and back into the region.
  KOKKOS_FORCEINLINE_FUNCTION void move(const Vector<D>& a, Vector<D>& x, Vector<D>& v) const {
    for (int axis = 0; axis < D; ++axis) {
      v[axis] += a[axis] * physics.dt;
      x[axis] += v[axis] * physics.dt;
      physics.region.fold(x[axis], v[axis], axis);
    }
  }

  /// The same, from row i to row i of other arrays. A ghost stays where it is. \return the largest
  /// change of a coordinate, in which NaN counts as 0
  KOKKOS_FORCEINLINE_FUNCTION double move_to(const Vectors<D, MemorySpace>& next_position,
                                             const Vectors<D, MemorySpace>& next_velocity,
                                             LocalIndex i, const Vector<D>& acceleration) const {
    Vector<D> x = position(i), v;
    for (int a = 0; a < D; ++a) v[a] = particles.velocity(i, a);
    double fastest = 0.0;
    if (!is_ghost(particles.tag(i))) {
      move(acceleration, x, v);
      for (int a = 0; a < D; ++a) fastest = Kokkos::fmax(fastest, Kokkos::abs(v[a]));
    }
    for (int a = 0; a < D; ++a) {
      next_position(i, a) = x[a];
      next_velocity(i, a) = v[a];
    }
    return fastest * physics.dt;
  }

 private:
  /// On hosts: candidates are enumerated once more.
  template <class Candidates>
  Vector<D> sorted_sum(LocalIndex i, const Vector<D>& x, const Candidates& candidates) const {
    thread_local std::vector<std::pair<Tag, LocalIndex>> partners;
    partners.clear();
    Contact<D> contact;
    candidates([&](LocalIndex j) {
      if (meet(i, x, j, contact)) partners.emplace_back(id_of(particles.tag(j)), j);
    });
    std::sort(partners.begin(), partners.end());
    Vector<D> sum{};
    for (const auto& [id, j] : partners) {
      meet(i, x, j, contact);
      pull(contact, sum);
    }
    return sum;
  }

  /// On devices, where a thread has little memory: candidates are enumerated once for every `chunk`
  /// contacts; each time the next ids are kept, sorted.
  template <class Candidates>
  KOKKOS_INLINE_FUNCTION Vector<D> ordered_sum(LocalIndex i, const Vector<D>& x, int contacts,
                                               const Candidates& candidates) const {
    Vector<D> sum{};
    std::int64_t last = -1;  // the largest id that was added
    for (int done = 0; done < contacts;) {
      LocalIndex rows[chunk];
      std::int64_t ids[chunk] = {};
      int kept = 0;
      candidates([&](LocalIndex j) {
        const std::int64_t id = id_of(particles.tag(j));
        if (id <= last || (kept == chunk && id > ids[chunk - 1])) return;
        Contact<D> contact;
        if (!meet(i, x, j, contact)) return;
        int place = kept < chunk ? kept++ : chunk - 1;
        for (; place > 0 && ids[place - 1] > id; --place) {
          ids[place] = ids[place - 1];
          rows[place] = rows[place - 1];
        }
        ids[place] = id;
        rows[place] = j;
      });
      for (int k = 0; k < kept; ++k) {
        Contact<D> contact;
        meet(i, x, rows[k], contact);
        pull(contact, sum);
      }
      if (kept == 0) break;
      last = ids[kept - 1];
      done += kept;
    }
    return sum;
  }
};

}  // namespace copse::collide
