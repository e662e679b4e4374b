#pragma once
/// \file
/// CountOnDevice: particles and their partition stay on the host, cuts are computed on a device
/// ([Rehmann 2022] section 6.4.1, figures 21 and 23).
///
/// At each level the *make axis* step (section 5.5.5) copies, for every particle, the coordinate
/// along its own cell's axis into one column of pinned memory. The column is sent to the device,
/// where any cut search works on it, and the thresholds are sent back. Bytes sent: levels x N x 4,
/// against 3 x N x 4 once if the particles are on the device (figure 24). Cells, ranks and
/// thresholds are sent too, but not counted among the particles' bytes.
///
/// With Variant::batch the device never holds the column: every histogram of a histogram search
/// streams it (streamed_histogram.hpp), as coordinates or in fixed point.
///
/// On a host backend the "device" is the backend itself and the transfer is a copy.

#include "../cut/orb_search.hpp"
#include "../variant.hpp"
#include "streamed_histogram.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/orb_policy.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace copse::orb {

/// Keys in one column for all cells, as written by the make axis step.
struct AxisKeys {
  struct Ordered {
    CoordinateKey value;
    KOKKOS_FORCEINLINE_FUNCTION OrderedKey<Real> operator()(Count row) const {
      return ordered_key(value(row));
    }
  };
  const Real* column;
  KOKKOS_FUNCTION Ordered segment(Count) const { return Ordered{CoordinateKey{column}}; }
};

/// The make axis step of a chunk of rows; its size is a multiple of three, so that no two chunks
/// share a word of fixed point.
template <class Keys, class LevelT>
struct MakeAxis {
  static constexpr Count chunk = 3 * 1024;
  Keys keys;
  LevelT level;
  FixedPoint grid;
  std::byte* column;

  void operator()(Count c) const {
    Count row = c * chunk;
    const Count end = std::min(level.rows, row + chunk);
    // The segments tile the rows: the last one that begins at or before a row has it.
    const Segment* const first = level.segments.data();
    const auto begins_after = [](Count r, const Segment& segment) { return r < segment.begin; };
    const Segment* here =
        std::upper_bound(first, first + level.segments.extent(0), row, begins_after) - 1;
    for (; row < end; ++here) {
      const auto s = static_cast<Count>(here - first);
      const Real* const from = keys.segment(s).value.column;
      const Count stop = std::min(end, here->end);
      if (grid.bits == 0) {
        std::copy(from + row, from + stop, reinterpret_cast<Real*>(column) + row);
        row = stop;
        continue;
      }
      const int axis = std::max(0, level.cells(level.active(s)).cut_axis);
      for (; row < stop; ++row)
        write_number(column, grid.bits, row, grid.compress(from[row], axis));
    }
  }
};

/// A cut search (bisection.hpp) of a host space that computes on `Device`.
template <class HostExecution, class Device>
class CountOnDevice {
 public:
  using DeviceMemory = typename Device::memory_space;
  using StreamedCuts = HistogramCuts<DeviceMemory, UnitWeight, CountInBatches<Device>>;

  /// \param buffers  an instance for each buffer of a streamed column (CountInBatches)
  /// \param grid     fixed point of a streamed column
  /// \param log      every level adds one entry
  /// \param pinned   page-locked host memory for direct device transfers
  ///
  /// All references must outlive the search.
  CountOnDevice(const Device& device, const std::array<Device, 2>& buffers, const Variant& variant,
                const FixedPoint& grid, BuildLog& log,
                Workspace<Kokkos::SharedHostPinnedSpace>& pinned, Workspace<DeviceMemory>& remote)
      : device_(device),
        batch_(variant.batch),
        grid_(grid),
        search_(variant, log),
        log_(log),
        pinned_(pinned),
        remote_(remote) {
    if (batch_ > 0) streamed_.counting = CountInBatches<Device>(buffers, batch_);
  }

  /// Bytes of the column of keys on the host (page-locked).
  static Count host_bytes(const Variant& variant, Count n) { return column_bytes(n, variant.bits); }
  /// Bytes on the device for levels of up to `cells` cells: the column or its batches, and the
  /// search.
  static Count device_bytes(const Variant& variant, Count n, Count cells) {
    if (variant.batch == 0)
      return column_bytes(n, 0) + OrbSearch<Device>::workspace_bytes(variant, n, cells);
    return CountInBatches<Device>::device_bytes(n, variant.batch, variant.bits, cells) +
           StreamedCuts::template workspace_bytes<OrderedKey<Real>>(0, cells);
  }
  /// Bytes per cell in either memory: cells, ranges, ranks, thresholds and the table of tiles.
  static constexpr Count cell_bytes = 128;

  template <class Keys, class LevelT>
  void operator()(const HostExecution& host, const Keys& keys, const LevelT& level,
                  Workspace<Kokkos::HostSpace>& workspace) {
    const Count n = level.segments.extent(0);
    const auto axis = pinned_.template get<std::byte>("count_on_device::axis",
                                                      column_bytes(level.rows, grid_.bits));
    using Make = MakeAxis<Keys, LevelT>;
    Kokkos::parallel_for(
        "copse::orb::make_axis",
        Kokkos::RangePolicy<HostExecution>(host, 0, (level.rows + Make::chunk - 1) / Make::chunk),
        Make{keys, level, grid_, axis.data()});
    const auto cells = workspace.template get<OrbCell>("count_on_device::cells", n);
    const auto numbers = workspace.template get<std::uint32_t>("count_on_device::numbers", n);
    host.fence("copse::orb::make_axis");
    for (Count s = 0; s < n; ++s) {
      cells(s) = level.cells(level.active(s));
      numbers(s) = static_cast<std::uint32_t>(s);
    }

    TreeLevel<DeviceMemory, OrbPolicy> remote;
    remote.policy = level.policy;
    remote.cells = on_device("cells", cells);
    remote.active = on_device("numbers", numbers);
    remote.segments = on_device("segments", level.segments);
    remote.ranks = on_device("ranks", level.ranks);
    remote.threshold = on_device("threshold", level.threshold);
    remote.rows = level.rows;
    if (batch_ > 0) {
      CountInBatches<Device>& counting = streamed_.counting;
      const Count sent = counting.bytes_sent;
      counting.column = {axis, grid_, level.rows};
      streamed_(device_,
                BatchKeys<decltype(remote.cells), decltype(remote.active)>{
                    nullptr, grid_, remote.cells, remote.active},
                remote, remote_);
      LevelLog& log = log_.levels.emplace_back();
      log.iterations = streamed_.rounds_per_level.back();
      log.bytes_to_device = counting.bytes_sent - sent;
    } else {
      const auto column = on_device("axis", axis);
      search_(device_, AxisKeys{reinterpret_cast<const Real*>(column.data())}, remote, remote_);
      log_.levels.back().bytes_to_device = level.rows * sizeof(Real);
    }
    Kokkos::deep_copy(device_, level.threshold, remote.threshold);
    device_.fence("copse::orb::count_on_device");
  }

 private:
  /// A copy in the device's memory, transferred in the device's execution order.
  template <class View>
  auto on_device(const char* name, const View& from) {
    const auto to = remote_.template get<typename View::non_const_value_type>(
        std::string("count_on_device::") + name, from.extent(0));
    Kokkos::deep_copy(device_, to, from);
    return to;
  }

  Device device_;
  Count batch_;
  FixedPoint grid_;
  OrbSearch<Device> search_;
  StreamedCuts streamed_;
  BuildLog& log_;
  Workspace<Kokkos::SharedHostPinnedSpace>& pinned_;
  Workspace<DeviceMemory>& remote_;
};

}  // namespace copse::orb
