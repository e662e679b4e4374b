#include <copse/backend/mpi/exchange_plan.hpp>

#include <algorithm>

namespace copse {

std::vector<ElementRange> shared_with_others(const ExchangePlan::Side& side, int self) {
  std::vector<ElementRange> ranges;
  for (std::size_t r = 0; r < side.counts.size(); ++r) {
    if (static_cast<int>(r) == self || side.counts[r] == 0) continue;
    const ElementRange piece{side.offsets[r], side.offsets[r] + side.counts[r]};
    if (!ranges.empty() && piece.begin >= ranges.back().begin && piece.begin <= ranges.back().end)
      ranges.back().end = std::max(ranges.back().end, piece.end);
    else
      ranges.push_back(piece);
  }
  return ranges;
}

}  // namespace copse
