#pragma once
/// \file
/// Histograms of a column of keys that is too long for the device ([Rehmann draft] section 3.1.3):
/// batches of it are sent to two buffers in turn, and while one is counted the other is filled.
///
/// Each buffer has its own execution-space instance, which copies a batch and counts it; the order
/// within an instance protects its buffer, so the host waits only at the end of a pass. Histograms
/// are sums of integers, so the batches add up to the histogram of the whole column, bit by bit. On
/// a host backend both instances are the backend itself and the copies are memory copies.
///
/// Bytes sent per key and histogram: 4 (a float), or a third of a triple in fixed point. Bytes on
/// the device: two buffers, and the histograms of the level's cells.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segmented_histogram.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/particles/fixed_point.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace copse::orb {

/// One key per row, in page-locked memory of the host: coordinates as they are, or triples
/// of fixed point.
struct KeyColumn {
  using Bytes = Kokkos::View<std::byte*, Kokkos::LayoutLeft, Kokkos::SharedHostPinnedSpace>;
  Bytes bytes;
  FixedPoint grid;
  Count rows = 0;
};

/// Bytes of three keys of a column.
constexpr Count column_triple_bytes(int bits) {
  return bits > 0 ? triple_bytes(bits) : 3 * sizeof(Real);
}
/// Bytes of a column, or of a part of it that begins at a multiple of three rows.
constexpr Count column_bytes(Count rows, int bits) {
  return (rows + 2) / 3 * column_triple_bytes(bits);
}

/// Keys of a batch, decompressed in registers: row 0 is the first of `column`.
template <class Cells, class Slots>
struct BatchKeys {
  /// The keys of a cell, with the fixed point of its axis in component 0.
  struct Decompressed {
    const std::byte* column;
    FixedPoint axis;
    KOKKOS_FORCEINLINE_FUNCTION OrderedKey<Real> operator()(Count row) const {
      return ordered_key(axis.bits > 0 ? axis.decompress(number_at(column, axis.bits, row), 0)
                                       : reinterpret_cast<const Real*>(column)[row]);
    }
  };
  const std::byte* column;
  FixedPoint grid;
  Cells cells;
  Slots active;

  KOKKOS_FUNCTION Decompressed segment(Count s) const {
    const int a = cells(active(s)).cut_axis;
    FixedPoint axis;
    axis.bits = grid.bits;
    axis.lower[0] = grid.lower[a];
    axis.step[0] = grid.step[a];
    axis.upper[0] = grid.upper[a];
    return {column, axis};
  }
};

/// The rows of each segment that are in a batch, counted from the batch's first row.
template <class MemorySpace>
struct RowsInBatch {
  Segments<MemorySpace> all;
  Segments<MemorySpace> here;
  Segment batch;
  Count first;  ///< of the buffer
  KOKKOS_FUNCTION void operator()(Count s) const {
    const Segment rows = all(s);
    const Count begin = rows.begin > batch.begin ? rows.begin : batch.begin;
    const Count end = rows.end < batch.end ? rows.end : batch.end;
    here(s) = begin < end ? Segment{begin - first, end - first} : Segment{0, 0};
  }
};

/// The segments to be counted.
template <class Ranks>
struct WantedSegment {
  Ranks ranks;
  KOKKOS_FUNCTION bool operator()(Count s) const { return ranks(s) > 0; }
};

/// The `Counting` of HistogramCuts for a streamed column. Its keys are BatchKeys without a column.
template <class Device>
class CountInBatches {
 public:
  using MemorySpace = typename Device::memory_space;

  CountInBatches() = default;
  /// \param instances  one for each buffer
  /// \param batch      rows of a batch, at least 1
  CountInBatches(const std::array<Device, 2>& instances, Count batch)
      : batch_(batch), instance_(instances) {}

  /// Bytes on the device for columns of `rows` rows and levels of `cells` cells, in addition to
  /// the workspace of HistogramCuts.
  static constexpr Count device_bytes(Count rows, Count batch, int bits, Count cells) {
    const Count here = std::min(rows, batch);
    return 2 * (buffer_bytes(here, bits) + cells * sizeof(Segment) +
                tile_table_bytes(cells, here, cells));
  }

  KeyColumn column;      ///< set before each level
  Count bytes_sent = 0;  ///< so far

  static constexpr int bits(Count cells, int key_bits) { return histogram_bits(cells, key_bits); }

  template <class LevelT>
  void begin(const Device&, const LevelT& level, Workspace<MemorySpace>& workspace) {
    segments_ = level.segments;
    ranks_ = level.ranks;
    workspace_ = &workspace;
  }

  template <class Keys, class Key, class Prefix, class Weight, class Histogram>
  void operator()(const Device& device, const Keys& keys, const KeyDigit<Key>& digit,
                  const Prefix& prefix, const Weight& weight, const Histogram& histogram) {
    Kokkos::deep_copy(device, histogram, Count{0});
    // The instances do not wait for `device`, which sets the histogram to 0 here and wrote the
    // segments, the ranks and the prefixes before.
    device.fence("copse::orb::stream::begin");
    std::size_t turn = 0;
    for (Count begin = 0; begin < column.rows; begin += batch_, turn = 1 - turn) {
      const Segment batch{begin, std::min(column.rows, begin + batch_)};
      const Count first = begin - begin % 3;
      const auto buffer = send(turn, first, batch.end);
      Keys here = keys;
      here.column = buffer.data();
      const TileTable<MemorySpace> tiles = tiles_of(turn, batch, first);
      add_segmented_histogram(instance_[turn], here, tiles, digit, prefix, weight, histogram);
    }
    for (const Device& instance : instance_) instance.fence("copse::orb::stream::end");
  }

 private:
  static constexpr Count buffer_bytes(Count batch, int bits) {
    return column_bytes(batch + 2, bits);
  }

  /// Copies rows [first, end) of the column, from a multiple of three on, to a buffer.
  auto send(std::size_t turn, Count first, Count end) {
    const int bits = column.grid.bits;
    const auto room = workspace_->template get<std::byte>(
        "stream::buffer" + std::to_string(turn), buffer_bytes(std::min(batch_, column.rows), bits));
    const Count from = first / 3 * column_triple_bytes(bits);
    const Count bytes = column_bytes(end - first, bits);
    const auto part = Kokkos::subview(room, std::make_pair(Count{0}, bytes));
    Kokkos::deep_copy(instance_[turn], part,
                      Kokkos::subview(column.bytes, std::make_pair(from, from + bytes)));
    bytes_sent += bytes;
    return part;
  }

  TileTable<MemorySpace> tiles_of(std::size_t turn, const Segment& batch, Count first) {
    const Count n = segments_.extent(0);
    const std::string name = "stream::tiles" + std::to_string(turn);
    const Segments<MemorySpace> here = workspace_->template get<Segment>(name + "::rows", n);
    Kokkos::parallel_for("copse::orb::rows_in_batch",
                         Kokkos::RangePolicy<Device>(instance_[turn], 0, n),
                         RowsInBatch<MemorySpace>{segments_, here, batch, first});
    using Ranks = Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace>;
    return make_tiles(instance_[turn], here, std::min(batch_, column.rows), n, *workspace_, name,
                      WantedSegment<Ranks>{ranks_});
  }

  Count batch_ = 1;
  std::array<Device, 2> instance_;
  Segments<MemorySpace> segments_;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> ranks_;
  Workspace<MemorySpace>* workspace_ = nullptr;
};

}  // namespace copse::orb
