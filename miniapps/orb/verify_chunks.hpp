#pragma once
/// \file
/// Rows shared evenly among host threads, whatever the sizes of the cells they belong to.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace copse {

/// Rows [begin, end) of one cell, few enough that threads end at about the same time.
struct Chunk {
  std::uint32_t cell = 0;
  Count begin = 0;
  Count end = 0;
};

/// Is a cell the left one of its parent's two?
inline bool is_left(std::uint32_t cell) {
  return cell % 2 == 0;
}

/// Appends rows [begin, end) of `cell` in pieces of at most 2^16 rows.
inline void append_chunks(std::vector<Chunk>& chunks, std::uint32_t cell, Count begin, Count end) {
  constexpr Count rows = Count{1} << 16;
  for (; begin < end; begin += std::min(rows, end - begin))
    chunks.push_back({cell, begin, begin + std::min(rows, end - begin)});
}

/// `visit(chunk)` for every chunk, by all host threads; results in the order of the chunks.
template <class Result, class Visit>
std::vector<Result> visit_chunks(const std::string& label, const std::vector<Chunk>& chunks,
                                 const Visit& visit) {
  std::vector<Result> results(chunks.size());
  using Space = Kokkos::DefaultHostExecutionSpace;
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(label, Policy(0, chunks.size()),
                       [&](std::size_t c) { results[c] = visit(chunks[c]); });
  Space{}.fence(label);
  return results;
}

}  // namespace copse
