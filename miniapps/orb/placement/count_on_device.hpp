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
/// On a host backend the "device" is the backend itself and the transfer is a copy.

#include "../cut/orb_search.hpp"
#include "../variant.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/orb_policy.hpp>

#include <Kokkos_Core.hpp>

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

/// The make axis step of one tile.
template <class Keys>
struct MakeAxis {
  Keys keys;
  TileTable<Kokkos::HostSpace> tiles;
  Real* axis;
  void operator()(Count t) const {
    const Tile tile = tiles.tile(t);
    if (tile.segment == Tile::none) return;
    const Real* from = keys.segment(tile.segment).value.column;
    for (Count i = tile.begin; i < tile.end; ++i) axis[i] = from[i];
  }
};

/// A cut search (bisection.hpp) of a host space that computes on `Device`.
template <class HostExecution, class Device>
class CountOnDevice {
 public:
  using DeviceMemory = typename Device::memory_space;

  /// \param log     every level adds one entry
  /// \param pinned  page-locked host memory for direct device transfers
  ///
  /// All references must outlive the search.
  CountOnDevice(const Device& device, const Variant& variant, BuildLog& log,
                Workspace<Kokkos::SharedHostPinnedSpace>& pinned, Workspace<DeviceMemory>& remote)
      : device_(device), search_(variant, log), log_(log), pinned_(pinned), remote_(remote) {}

  /// Bytes per particle, on the host (page-locked) and on the device: the column of keys.
  static constexpr Count particle_bytes = sizeof(Real);
  /// Bytes per cell, on each: cells, ranges, ranks, thresholds and the table of tiles.
  static constexpr Count cell_bytes = 128;

  template <class Keys, class LevelT>
  void operator()(const HostExecution& host, const Keys& keys, const LevelT& level,
                  Workspace<Kokkos::HostSpace>& workspace) {
    const Count n = level.segments.extent(0);
    const auto axis = pinned_.template get<Real>("count_on_device::axis", level.rows);
    const auto tiles =
        make_tiles(host, level.segments, level.rows, n, workspace, "count_on_device");
    Kokkos::parallel_for("copse::orb::make_axis",
                         Kokkos::RangePolicy<HostExecution>(host, 0, tiles.bound),
                         MakeAxis<Keys>{keys, tiles, axis.data()});
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
    const auto column = on_device("axis", axis);
    search_(device_, AxisKeys{column.data()}, remote, remote_);
    log_.levels.back().bytes_to_device = column.extent(0) * sizeof(Real);
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
  OrbSearch<Device> search_;
  BuildLog& log_;
  Workspace<Kokkos::SharedHostPinnedSpace>& pinned_;
  Workspace<DeviceMemory>& remote_;
};

}  // namespace copse::orb
