#pragma once
/// \file
/// The plan of an all-to-all exchange: how many elements each pair of ranks exchanges.

#include <copse/backend/types.hpp>

#include <numeric>
#include <vector>

namespace copse {

/// One rank's side of an all-to-all exchange of arrays, in elements (rows), one entry per rank.
/// Invariants: this rank's `send.counts[r]` equals rank r's `receive.counts[this]`; the pieces of
/// the receive array are consecutive in rank order. Counts and offsets are 64-bit.
struct ExchangePlan {
  struct Side {
    std::vector<Count> counts;
    std::vector<Count> offsets;

    /// Number of elements in all pieces.
    Count total() const { return std::accumulate(counts.begin(), counts.end(), Count{0}); }
  };
  Side send;
  Side receive;
};

/// Consecutive pieces of the given sizes.
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

/// The ranges of elements exchanged with ranks other than `self`, adjacent and overlapping pieces
/// merged: the part to stage in host memory if MPI cannot access the device.
std::vector<ElementRange> shared_with_others(const ExchangePlan::Side& side, int self);

}  // namespace copse
