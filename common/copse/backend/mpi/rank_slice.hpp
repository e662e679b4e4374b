#pragma once
/// \file
/// How ranks divide rows that no rank owns yet, such as those of a file.

#include <copse/backend/types.hpp>

#include <utility>

namespace copse {

/// Rank r of P holds the rows [floor(r n / P), floor((r + 1) n / P)) of n; the products do not
/// overflow.
inline std::pair<Count, Count> rank_slice(Count rows, int rank, int ranks) {
  const auto p = static_cast<Count>(ranks);
  const auto begin = [&](Count r) { return rows / p * r + rows % p * r / p; };
  const auto r = static_cast<Count>(rank);
  return {begin(r), begin(r + 1)};
}

}  // namespace copse
