#pragma once
/// \file
/// `--compress`: positions in fixed point of the box ([Rehmann draft] section 3.1.4) on their way
/// from host to device and between ranks, measured beside positions that are sent as they are.

#include <copse/app/corruptible.hpp>
#include <copse/app/session.hpp>
#include <copse/backend/mpi/communicator.hpp>
#include <copse/particles/compressed_positions.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse::orb {

/// What compression changed and saved, the same on all ranks. Bytes and seconds are those of the
/// transfer from page-locked memory; if particles are distributed or streamed, the bytes are those
/// of all messages or batches, and the seconds those of the whole build.
struct CompressedRun {
  FixedPoint grid;
  double error = 0;            ///< largest change of a coordinate, in sides of the box
  double bytes = 0;            ///< per particle, sent compressed
  double plain_bytes = 0;      ///< per particle, sent as Real
  app::Samples seconds;        ///< compressed
  app::Samples plain_seconds;  ///< as Real
};

/// Sends positions from page-locked host memory to the backend, as Real or compressed.
template <class Space>
class PositionSender {
 public:
  using Positions = Points<3, typename Space::memory_space>;

  /// A grid of 0 bits compresses nothing. `position` must be rounded to the grid.
  PositionSender(const Space& space, const FixedPoint& grid, const Positions& position)
      : space_(space), grid_(grid) {
    const Count n = position.extent(0);
    const auto alloc = [](const char* label) {
      return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
    };
    plain_ = Points<3, Kokkos::SharedHostPinnedSpace>(alloc("copse::orb::sent"), n);
    Kokkos::deep_copy(plain_, position);
    if (grid.bits == 0) return;
    const Count bytes = n * triple_bytes(grid.bits);
    arrived_ =
        CompressedPositions<typename Space::memory_space>(alloc("copse::orb::arrived"), bytes);
    packed_ =
        CompressedPositions<Kokkos::SharedHostPinnedSpace>(alloc("copse::orb::packed"), bytes);
    compress(space, grid, position, arrived_);
    Kokkos::deep_copy(space, packed_, arrived_);
    space.fence("copse::orb::packed");
    app::corruptible(packed_);
  }

  void send(const Positions& to) const { Kokkos::deep_copy(space_, to, plain_); }
  /// Sends the compressed positions, and decompresses them in registers on their way to `to`.
  void send_compressed(const Positions& to) const {
    Kokkos::deep_copy(space_, arrived_, packed_);
    decompress(space_, grid_, arrived_, to);
  }

 private:
  Space space_;
  FixedPoint grid_;
  Points<3, Kokkos::SharedHostPinnedSpace> plain_;
  CompressedPositions<Kokkos::SharedHostPinnedSpace> packed_;
  CompressedPositions<typename Space::memory_space> arrived_;
};

/// Half a step of the grid, the most a coordinate may change, in sides of the box.
double half_step(const FixedPoint& grid);

/// Checks, if the run is verified, that no coordinate changed by more than half a step and the
/// rounding to Real.
void verify_compression(app::Session& session, const CompressedRun& run);

/// Checks that compressed positions arrived as the host rounds them: `arrived` must equal `sent`
/// rounded to the grid, and `sent` too, which the build gets. The value is the number of
/// coordinates that differ, in `sent` or `arrived` [n][3]. O(n).
void verify_arrival(app::Session& session, const FixedPoint& grid,
                    const Points<3, Kokkos::HostSpace>& sent,
                    const Points<3, Kokkos::HostSpace>& arrived);

/// Fills `results.compression` and prints one line: bits, half_step and largest_error in sides of
/// the box; bytes_per_particle and seconds of the run, and both uncompressed.
/// \param is_build the seconds are those of a whole build
void report_compression(app::Session& session, const CompressedRun& run, bool is_build);

}  // namespace copse::orb
