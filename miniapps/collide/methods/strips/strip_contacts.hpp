#pragma once
/// \file
/// The forces of contacts until their particle moves, by strip.

#include "../../contacts.hpp"

#include <algorithm>
#include <vector>

namespace copse::collide {

/// What one contact adds to the acceleration of a particle.
template <int D>
struct Term {
  LocalIndex row;  ///< of the strip
  Tag partner;     ///< id
  Vector<D> pull;
};

/// Terms of the strips of one thread. Only few strips have terms at a time; their arrays are reused
/// while they are in the cache.
template <int D>
class StripContacts {
 public:
  /// \param strips how many, numbered from `first`
  void reset(LocalIndex first, LocalIndex strips) {
    first_ = first;
    terms_.assign(strips, {});
  }

  void add(LocalIndex strip, const Term<D>& term) {
    auto& terms = terms_[strip - first_];
    if (terms.capacity() == 0 && !spare_.empty()) {
      terms.swap(spare_.back());
      spare_.pop_back();
    }
    terms.push_back(term);
  }

  /// Calls f(row, acceleration) for every row of the strip that has contacts, and forgets them.
  template <class F>
  void take(LocalIndex strip, LocalIndex rows, bool ordered, const F& f) {
    auto& terms = terms_[strip - first_];
    if (terms.empty()) return;
    if (last_.size() < rows) last_.resize(rows, none);
    previous_.resize(terms.size());
    touched_.clear();
    for (LocalIndex t = 0; t < terms.size(); ++t) {
      LocalIndex& last = last_[terms[t].row];
      if (last == none) touched_.push_back(terms[t].row);
      previous_[t] = last;
      last = t;
    }
    for (const LocalIndex row : touched_) {
      f(row, sum(terms, last_[row], ordered));
      last_[row] = none;
    }
    terms.clear();
    spare_.push_back(std::move(terms));
    terms = {};
  }

 private:
  static constexpr LocalIndex none = ~LocalIndex{0};

  /// Two terms commute; more are added by ascending id of the partner.
  Vector<D> sum(const std::vector<Term<D>>& terms, LocalIndex last, bool ordered) {
    chain_.clear();
    for (LocalIndex t = last; t != none; t = previous_[t]) chain_.push_back(&terms[t]);
    if (ordered && chain_.size() > 2)
      std::sort(chain_.begin(), chain_.end(),
                [](const auto* a, const auto* b) { return a->partner < b->partner; });
    Vector<D> sum{};
    for (const Term<D>* term : chain_)
      for (int a = 0; a < D; ++a) sum[a] += term->pull[a];
    return sum;
  }

  LocalIndex first_ = 0;
  std::vector<std::vector<Term<D>>> terms_;  ///< by strip
  std::vector<std::vector<Term<D>>> spare_;  ///< empty, with memory
  std::vector<LocalIndex> last_;             ///< by row: its last term, or `none`
  std::vector<LocalIndex> previous_;         ///< by term: the one before of the same row
  std::vector<LocalIndex> touched_;
  std::vector<const Term<D>*> chain_;
};

}  // namespace copse::collide
