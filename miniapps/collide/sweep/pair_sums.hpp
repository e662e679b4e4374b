#pragma once
/// \file
/// What particles get from a set of pairs, each of which is tested once and acts on both.

#include "../contacts.hpp"
#include "pair_set.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace copse::collide {

/// Sums have the bits of `Pairs::acceleration`. `row(i)` is the row of number i in the state, and
/// `active(i)` says whether i takes part as one that is acted on.
template <int D>
class PairSums {
 public:
  using Number = PairSet::Number;
  using HostPairs = Pairs<D, Kokkos::HostSpace>;

  /// Accelerations of the active ones of the numbers below `numbers`; 0 for the others.
  template <class Row, class Active>
  const std::vector<Vector<D>>& accelerations(const HostPairs& pairs, const PairSet& set,
                                              Count numbers, const Row& row, const Active& active) {
    sums_.assign(numbers, Vector<D>{});
    degrees_.assign(numbers, 0);
    contacts_.clear();
    bool crowded = false;
    const auto pull = [&](Number i, Contact<D>& contact) {
      if (!active(i)) return;
      pairs.pull(contact, sums_[i]);
      if (++degrees_[i] > 2) crowded = true;
    };
    set.for_each([&](Number i, Number j) {
      Contact<D> contact;
      if (!pairs.meet(row(i), pairs.position(row(i)), row(j), contact)) return;
      contacts_.emplace_back(i, j);
      pull(i, contact);
      for (int a = 0; a < D; ++a) contact.d[a] = -contact.d[a];
      pull(j, contact);
    });
    if (crowded && pairs.physics.ordered) sum_in_order(pairs, row);
    return sums_;
  }

  /// Adds the contacts of all active numbers.
  template <class Row, class Active>
  static void measure(const HostPairs& pairs, const PairSet& set, const Row& row,
                      const Active& active, ContactSums& sums) {
    const auto& tag = pairs.particles.tag;
    set.for_each([&](Number i, Number j) {
      Contact<D> contact;
      ++sums.candidates;
      if (!pairs.meet(row(i), pairs.position(row(i)), row(j), contact)) return;
      for (const Number k : {i, j})
        if (active(k)) pairs.add(contact, id_of(tag(row(i))), id_of(tag(row(j))), sums);
    });
  }

 private:
  /// Again for those with three contacts or more, by ascending id of the partner.
  template <class Row>
  void sum_in_order(const HostPairs& pairs, const Row& row) {
    crowded_.clear();
    for (const auto& [i, j] : contacts_) {
      if (degrees_[i] > 2) crowded_.emplace_back(i, j);
      if (degrees_[j] > 2) crowded_.emplace_back(j, i);
    }
    std::sort(crowded_.begin(), crowded_.end());
    for (auto first = crowded_.begin(); first != crowded_.end();) {
      const auto last = std::find_if(first, crowded_.end(),
                                     [&](const auto& c) { return c.first != first->first; });
      sums_[first->first] = pairs.acceleration(row(first->first), [&](const auto& f) {
        for (auto c = first; c != last; ++c) f(row(c->second));
      });
      first = last;
    }
  }

  std::vector<Vector<D>> sums_;
  std::vector<std::uint32_t> degrees_;  ///< contacts of each active number
  std::vector<std::pair<Number, Number>> contacts_, crowded_;
};

}  // namespace copse::collide
