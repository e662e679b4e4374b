#pragma once
/// \file
/// Who sends how much to whom in an all-to-all exchange.

#include <copse/backend/types.hpp>

#include <numeric>
#include <vector>

namespace copse {

/// One rank's side of an all-to-all exchange of arrays, in elements (rows), one entry per rank.
/// Invariants: this rank's `send.counts[r]` equals rank r's `receive.counts[this]`; the pieces of
/// the receive array follow each other in rank order without gaps. Counts and offsets are 64-bit.
struct ExchangePlan {
  struct Side {
    std::vector<Count> counts;
    std::vector<Count> offsets;

    /// Number of elements in all pieces together.
    Count total() const { return std::accumulate(counts.begin(), counts.end(), Count{0}); }
  };
  Side send;
  Side receive;
};

/// Pieces of the given sizes, laid one after the other.
inline ExchangePlan::Side consecutive_pieces(std::vector<Count> counts) {
  std::vector<Count> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), Count{0});
  return {std::move(counts), std::move(offsets)};
}

/// A half-open range of elements.
struct ElementRange {
  Count begin;
  Count end;
  bool operator==(const ElementRange&) const = default;
};

/// The elements that `side` shares with ranks other than `self`, adjoining and overlapping pieces
/// merged: what has to pass through host memory when MPI cannot read the device.
std::vector<ElementRange> shared_with_others(const ExchangePlan::Side& side, int self);

}  // namespace copse
