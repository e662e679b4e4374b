#pragma once
/// \file
/// A walk by a device and its host at once: the overlap that [Liu 2019] section 4.2.3 proposes but
/// does not implement. There the idle host would walk remote parts of the tree. Here, on one rank,
/// the host computes the fields of the last targets along the curve, on its own copy of the tree.
///
/// Where the backend is a host itself, the two parts run one after the other.

#include "../methods.hpp"
#include <copse/app/session.hpp>

#include <string>

namespace copse::gravity {

/// Median seconds of the parts of a shared walk, each measured alone, and of both at once.
struct Overlap {
  Count host_targets = 0;
  double copy = 0.0;  ///< of the tree to the host
  double device = 0.0;
  double host = 0.0;
  double together = 0.0;  ///< both walks, without copies

  /// How much of the shorter part the longer one hides: 0 if they run one after the other, 1 if at
  /// the same time and without disturbing each other.
  double hidden() const;
};

template <class ExecutionSpace>
class HostShare final : public Method<ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Host = Kokkos::DefaultHostExecutionSpace;

  /// \param walk the method for the device's part \param walk_of_host the same for the host's
  HostShare(const ExecutionSpace& space, double share, std::unique_ptr<Method<ExecutionSpace>> walk,
            std::unique_ptr<Method<Host>> walk_of_host);

  /// Copies the tree, walks on both, and adds the host's fields; done on return.
  void start(const BodyTree<MemorySpace>& bodies,
             const GravityFields<MemorySpace>& fields) override;
  Interactions count(const BodyTree<MemorySpace>& bodies) override;

  /// Measures the parts, apart and together. `fields` are overwritten by those of the walk.
  Overlap measure(app::Session& session, const std::string& name,
                  const BodyTree<MemorySpace>& bodies, const GravityFields<MemorySpace>& fields);

 private:
  void copy_tree(const BodyTree<MemorySpace>& bodies, const GravityFields<MemorySpace>& fields);
  void take_fields(const BodyTree<MemorySpace>& bodies, const GravityFields<MemorySpace>& fields);

  using Method<ExecutionSpace>::space_;
  double share_;
  std::unique_ptr<Method<ExecutionSpace>> walk_;
  std::unique_ptr<Method<Host>> walk_of_host_;
  BodyTree<MemorySpace> device_part_;
  BodyTree<Kokkos::HostSpace> host_part_;
  GravityFields<Kokkos::HostSpace> host_fields_;  ///< on a host those of the caller
};

}  // namespace copse::gravity
