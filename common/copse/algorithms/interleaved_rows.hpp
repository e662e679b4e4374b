#pragma once
/// \file
/// An order in which to visit rows that fall into equal parts: a chunk of every part, then the next
/// chunk of every part.
///
/// For gathers through the permutation of a tree. Within a leaf rows are in the order of the input,
/// so the first chunks of all leaves come from the beginning of the input, the next ones from
/// behind that. Threads that work at the same time then read the same few megabytes, whose sectors
/// stay in a device's second-level cache until each of their rows has been asked for; leaf after
/// leaf, each row would fetch a sector of its own from all over the memory.
///
/// Invariant: i -> rows(i) is one to one on [0, size).

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace copse {

class InterleavedRows {
 public:
  /// \param size   at most 2^32
  /// \param parts  1 leaves the rows in their order
  InterleavedRows(Count size, Count parts) : parts_(std::max<Count>(parts, 1)) {
    // All chunks that are worked on together, and what they come from, are to fit into a cache; but
    // a chunk is not to be shorter than a packet.
    constexpr Count rows_together = Count{1} << 21;
    const Count chunk = std::clamp<Count>(std::bit_floor(rows_together / parts_), 32, 256);
    chunk_bits_ = std::countr_zero(chunk);
    part_ = size / parts_;
    whole_ = part_ / chunk * chunk;
  }

  KOKKOS_FUNCTION Count operator()(Count i) const {
    if (parts_ == 1) return i;
    if (i < parts_ * whole_) {
      // 32 bits hold all of it, and divide in a fraction of the time.
      const auto together = static_cast<std::uint32_t>(parts_ << chunk_bits_);
      const auto turn = static_cast<std::uint32_t>(i) / together;
      const std::uint32_t rest = static_cast<std::uint32_t>(i) - turn * together;
      const std::uint32_t chunk = std::uint32_t{1} << chunk_bits_;
      return (rest >> chunk_bits_) * part_ + (Count{turn} << chunk_bits_) + (rest & (chunk - 1));
    }
    // What the parts have left, part by part, and then what is in none.
    const Count j = i - parts_ * whole_;
    const Count left = part_ - whole_;
    if (j < parts_ * left) return j / left * part_ + whole_ + j % left;
    return i;
  }

 private:
  Count parts_;
  Count part_;   ///< rows of a part
  Count whole_;  ///< of those, rows in whole chunks
  int chunk_bits_;
};

}  // namespace copse
