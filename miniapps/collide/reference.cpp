#include "reference.hpp"

#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace copse::collide {
namespace {

template <int D>
double reach_of(const State<D, Kokkos::HostSpace>& state, const Physics<D>& physics, Count i,
                Count j) {
  if (state.size.extent(0) == 0) return physics.force.cutoff;
  return physics.force.cutoff * (0.5 * (state.size(i) + state.size(j)));
}

template <int D>
Contact<D> contact_of(const State<D, Kokkos::HostSpace>& state, const Physics<D>& physics, Count i,
                      Count j) {
  Contact<D> contact;
  for (int a = 0; a < D; ++a) {
    contact.d[a] = physics.region.displacement(state.position(i, a), state.position(j, a), a);
    contact.r2 += contact.d[a] * contact.d[a];
  }
  contact.reach = reach_of(state, physics, i, j);
  return contact;
}

using Threads = Kokkos::DefaultHostExecutionSpace;

template <class F>
void for_each_row(Count n, const F& f) {
  Kokkos::parallel_for("copse::collide::reference", CountRange<Threads>(0, n), f);
  Threads().fence("copse::collide::reference");
}

template <int D>
struct AddContacts {
  using value_type = ContactSums;

  State<D, Kokkos::HostSpace> state;
  Physics<D> physics;
  const ReferenceContacts& contacts;

  void operator()(Count i, ContactSums& sums) const {
    const Pairs<D, Kokkos::HostSpace> pairs{state, physics};
    for (Count k = contacts.offsets[i]; k < contacts.offsets[i + 1]; ++k) {
      const Tag j = contacts.partners[k];
      pairs.add(contact_of(state, physics, i, j), static_cast<Tag>(i), j, sums);
    }
  }
  void join(ContactSums& into, const ContactSums& other) const { into.add(other); }
  void init(ContactSums& sums) const { sums = {}; }
};

}  // namespace

template <int D>
ReferenceContacts find_reference_contacts(const State<D, Kokkos::HostSpace>& state,
                                          const Physics<D>& physics) {
  const Count n = state.rows();
  const double side = physics.region.side[0];
  const double window = physics.force.cutoff * state.largest_size * (1.0 + 1e-9);
  std::vector<Tag> order(n);
  std::iota(order.begin(), order.end(), Tag{0});
  const auto x = [&](Tag i) { return state.position(i, 0); };
  std::sort(order.begin(), order.end(),
            [&](Tag a, Tag b) { return x(a) != x(b) ? x(a) < x(b) : a < b; });
  std::vector<Vector<D>> place(n);  // in this order
  for_each_row(n, [&](Count k) {
    for (int a = 0; a < D; ++a) place[k][a] = state.position(order[k], a);
  });
  using Pair = std::pair<Tag, Tag>;
  constexpr Count chunk = 4096;  // particles whose windows a thread searches at a time
  std::vector<std::vector<Pair>> found((n + chunk - 1) / chunk);
  const Kokkos::RangePolicy<Threads, Kokkos::Schedule<Kokkos::Dynamic>> chunks(0, found.size());
  Kokkos::parallel_for("copse::collide::reference", chunks, [&](Count c) {
    const auto test = [&](Count k, Count l) {
      for (int a = 1; a < D; ++a)  // rejects most pairs
        if (std::abs(physics.region.displacement(place[k][a], place[l][a], a)) > window) return;
      const Tag i = order[k], j = order[l];
      const auto contact = contact_of(state, physics, i, j);
      if (!(contact.r2 <= contact.reach * contact.reach)) return;
      found[c].emplace_back(i, j);
      found[c].emplace_back(j, i);
    };
    for (Count k = c * chunk; k < std::min(n, (c + 1) * chunk); ++k) {
      for (Count l = k + 1; l < n && place[l][0] - place[k][0] <= window; ++l) test(k, l);
      if (!physics.region.periodic) continue;
      // The images of the lowest particles above the upper side.
      for (Count m = 0; m < k && place[m][0] + side - place[k][0] <= window; ++m)
        if (!(place[k][0] - place[m][0] <= window)) test(k, m);
    }
  });
  Threads().fence("copse::collide::reference");
  ReferenceContacts contacts;
  contacts.offsets.assign(n + 1, 0);
  for (const auto& some : found)
    for (const auto& [i, j] : some) ++contacts.offsets[i + 1];
  std::partial_sum(contacts.offsets.begin(), contacts.offsets.end(), contacts.offsets.begin());
  contacts.partners.resize(contacts.offsets[n]);
  std::vector<Count> next(contacts.offsets.begin(), contacts.offsets.end() - 1);
  for (auto& some : found) {
    for (const auto& [i, j] : some) contacts.partners[next[i]++] = j;
    some = {};
  }
  for_each_row(n, [&](Count i) {
    const auto partner = [&](Count row) {
      return contacts.partners.begin() + static_cast<std::ptrdiff_t>(contacts.offsets[row]);
    };
    std::sort(partner(i), partner(i + 1));
  });
  return contacts;
}

template <int D>
ContactSums reference_sums(const State<D, Kokkos::HostSpace>& state, const Physics<D>& physics,
                           const ReferenceContacts& contacts) {
  ContactSums sums;
  Kokkos::parallel_reduce("copse::collide::reference_sums", CountRange<Threads>(0, state.rows()),
                          AddContacts<D>{state, physics, contacts}, sums);
  return sums;
}

template <int D>
Count reference_step(State<D, Kokkos::HostSpace>& state, const Physics<D>& physics,
                     const ReferenceContacts& contacts) {
  const Count n = state.rows();
  std::vector<Vector<D>> accelerations(n);
  for_each_row(n, [&](Count i) {
    for (Count k = contacts.offsets[i]; k < contacts.offsets[i + 1]; ++k) {
      const auto contact = contact_of(state, physics, i, contacts.partners[k]);
      const double factor = physics.force.pull(contact.r2, contact.reach);
      for (int a = 0; a < D; ++a) accelerations[i][a] += factor * contact.d[a];
    }
  });
  Count turned = 0;
  const auto move = [&](Count i, Count& sum) {
    for (int a = 0; a < D; ++a) {
      double x = state.position(i, a), v = state.velocity(i, a);
      v += accelerations[i][a] * physics.dt;
      x += v * physics.dt;
      const double before = v;
      physics.region.fold(x, v, a);
      if (v != before) ++sum;
      state.position(i, a) = x;
      state.velocity(i, a) = v;
    }
  };
  Kokkos::parallel_reduce("copse::collide::reference_move", CountRange<Threads>(0, n), move,
                          turned);
  return turned;
}

template <int D, class MemorySpace>
State<D, Kokkos::HostSpace> by_id(const State<D, MemorySpace>& state) {
  const auto rows = copy_state<Kokkos::HostSpace>(state);
  auto sorted = allocate_state<D, Kokkos::HostSpace>(rows.rows(), rows.size.extent(0) > 0);
  sorted.largest_size = rows.largest_size;
  for (Count i = 0; i < rows.rows(); ++i) {
    const Tag id = id_of(rows.tag(i));
    for (int a = 0; a < D; ++a) {
      sorted.position(id, a) = rows.position(i, a);
      sorted.velocity(id, a) = rows.velocity(i, a);
    }
    sorted.tag(id) = rows.tag(i);
    if (rows.size.extent(0) > 0) sorted.size(id) = rows.size(i);
  }
  return sorted;
}

#define COPSE_INSTANTIATE(D)                                                                 \
  template ReferenceContacts find_reference_contacts(const State<D, Kokkos::HostSpace>&,     \
                                                     const Physics<D>&);                     \
  template ContactSums reference_sums(const State<D, Kokkos::HostSpace>&, const Physics<D>&, \
                                      const ReferenceContacts&);                             \
  template Count reference_step(State<D, Kokkos::HostSpace>&, const Physics<D>&,             \
                                const ReferenceContacts&);
COPSE_INSTANTIATE(2)
COPSE_INSTANTIATE(3)
#undef COPSE_INSTANTIATE
#define COPSE_INSTANTIATE(MemorySpace)                                      \
  template State<2, Kokkos::HostSpace> by_id(const State<2, MemorySpace>&); \
  template State<3, Kokkos::HostSpace> by_id(const State<3, MemorySpace>&);
COPSE_FOR_EACH_MEMORY_SPACE(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
