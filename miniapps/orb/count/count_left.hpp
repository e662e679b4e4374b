#pragma once
/// \file
/// The count kernels behind one interface: `prepare` once per level, `run` once per step.

#include "../variant.hpp"
#include "batched.hpp"
#include "packet.hpp"
#include "per_cell.hpp"

namespace copse::orb {

template <class ExecutionSpace>
class CountLeft {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit CountLeft(CountMethod method) : method_(method) {}

  /// Prepares what is constant while the cuts of a level are improved. Cells that are not open now
  /// must not be opened later. `workspace` must keep its "count_" arrays until the last run.
  void prepare(const ExecutionSpace& space, const CutTrials<MemorySpace>& trials,
               Workspace<MemorySpace>& workspace) {
    switch (method_) {
      case CountMethod::per_cell:
        return per_cell_.prepare(space, trials, workspace);
      case CountMethod::batched:
        return batched_.prepare(space, trials, workspace);
      case CountMethod::warp:
        return packets_.prepare(space, trials, workspace);
    }
  }

  /// Adds to `trials.left` the number of keys <= cut of each open cell.
  /// \return kernels launched
  Count run(const ExecutionSpace& space, const CutTrials<MemorySpace>& trials) {
    switch (method_) {
      case CountMethod::per_cell:
        return per_cell_.run(space, trials);
      case CountMethod::batched:
        return batched_.run(space, trials);
      case CountMethod::warp:
        break;
    }
    return packets_.run(space, trials);
  }

 private:
  CountMethod method_;
  CountPerCell<ExecutionSpace> per_cell_;
  CountBatched<ExecutionSpace> batched_;
  CountByPackets<ExecutionSpace> packets_;
};

}  // namespace copse::orb
