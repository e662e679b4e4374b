#pragma once
/// \file
/// Builds the ORB of any variant: the same tree, computed by the methods that the variant selects.

#include "variant.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/orb_builder.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <array>

namespace copse::orb {

/// Input and output of a build; both are replaced or reordered as by OrbBuilder::build.
template <class MemorySpace>
struct OrbRows {
  Points<3, MemorySpace> points;
  Kokkos::View<LocalIndex*, MemorySpace> permutation;
};

/// Work arrays shared by builds of equal size.
template <class MemorySpace>
struct LevelArrays {
  OrbRows<MemorySpace> spare;
  Workspace<MemorySpace> workspace;
};

/// Builds in the memory of `ExecutionSpace`: placements `host` (of a host space), `device` and
/// `fused`. Keeps its work arrays between builds of equal size.
template <class ExecutionSpace>
class VariantBuilder {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// `placement` is that of the variants to build.
  VariantBuilder(const ExecutionSpace& space, Placement placement);

  /// Cuts the rows into `options.leaves` cells. Adds one entry per level to `log`, none if fused.
  /// \pre refuse_impossible accepts the variant, and its partition is Hoare's only on a host space
  /// \throws InputError as OrbBuilder::build
  OrbTree<MemorySpace> build(OrbRows<MemorySpace>& rows, const OrbOptions& options,
                             const Variant& variant, BuildLog& log);

  /// Bytes that a build of n points allocates in addition to the rows, including the tree.
  static Count estimate_bytes(Count n, std::uint32_t leaves, const Variant& variant);

 private:
  ExecutionSpace space_;
  OrbBuilder<ExecutionSpace> builder_;
  LevelArrays<MemorySpace> arrays_;
};

/// The same for placement `count_on_device`: rows on the host, cuts computed on `Device`.
template <class Device>
class CountingBuilder {
 public:
  /// \param streams  variants with batches will be built: their two execution-space instances are
  ///                 made here, because that takes longer than a small build
  CountingBuilder(const Device& device, bool streams);

  /// As VariantBuilder::build. \pre the variant has no batches, or the builder streams
  OrbTree<Kokkos::HostSpace> build(OrbRows<Kokkos::HostSpace>& rows, const OrbOptions& options,
                                   const Variant& variant, BuildLog& log);

  /// Bytes that a build of n points allocates on the host in addition to the rows, including the
  /// tree.
  static Count estimate_host_bytes(Count n, std::uint32_t leaves, const Variant& variant);
  /// Bytes that it allocates in the memory of `Device`.
  static Count estimate_device_bytes(Count n, std::uint32_t leaves, const Variant& variant);

 private:
  Device device_;
  std::array<Device, 2> buffers_;  ///< of a stream; otherwise the device itself
  LevelArrays<Kokkos::HostSpace> arrays_;
  Workspace<Kokkos::SharedHostPinnedSpace> pinned_;
  Workspace<typename Device::memory_space> remote_;
};

}  // namespace copse::orb
