#pragma once
/// \file
/// An order that visits rows of equal parts in turn: one chunk of every part, then the next chunk
/// of every part.
///
/// For gathers through the permutation of a tree. Within a leaf, rows are in input order, so the
/// first chunks of all leaves come from the beginning of the input and later chunks from further
/// on. Threads in flight at the same time then read the same few megabytes, whose sectors stay in a
/// device's L2 cache until all of their rows have been read. In leaf-by-leaf order each row would
/// fetch its own sector from a different part of memory.
///
/// Invariant: i -> rows(i) is a bijection on [0, size).

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace copse {

class InterleavedRows {
 public:
  /// \param size   at most 2^32
  /// \param parts  1 keeps the order of the rows
  InterleavedRows(Count size, Count parts) : parts_(std::max<Count>(parts, 1)) {
    // All chunks in flight and their sources should fit into a cache, but a chunk must not be
    // shorter than a packet.
    constexpr Count rows_together = Count{1} << 21;
    const Count chunk = std::clamp<Count>(std::bit_floor(rows_together / parts_), 32, 256);
    chunk_bits_ = std::countr_zero(chunk);
    part_ = size / parts_;
    whole_ = part_ / chunk * chunk;
  }

  KOKKOS_FUNCTION Count operator()(Count i) const {
    if (parts_ == 1) return i;
    if (i < parts_ * whole_) {
      // 32 bits suffice here, and 32-bit division is several times faster.
      const auto together = static_cast<std::uint32_t>(parts_ << chunk_bits_);
      const auto turn = static_cast<std::uint32_t>(i) / together;
      const std::uint32_t rest = static_cast<std::uint32_t>(i) - turn * together;
      const std::uint32_t chunk = std::uint32_t{1} << chunk_bits_;
      return (rest >> chunk_bits_) * part_ + (Count{turn} << chunk_bits_) + (rest & (chunk - 1));
    }
    // The remainders of the parts, part by part, then the rows outside all parts.
    const Count j = i - parts_ * whole_;
    const Count left = part_ - whole_;
    if (j < parts_ * left) return j / left * part_ + whole_ + j % left;
    return i;
  }

 private:
  Count parts_;
  Count part_;   ///< rows per part
  Count whole_;  ///< rows per part in whole chunks
  int chunk_bits_;
};

}  // namespace copse
