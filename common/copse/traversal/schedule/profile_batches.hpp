#pragma once
/// \file
/// Inspection in batches: on a device, one batch is copied to the host while the next is inspected.
///
/// Two execution space instances (CUDA streams) process batches alternately. Each has one matrix in
/// device memory and one in pinned host memory, so a batch waits only for the last but one:
///
///     instance 0   inspect 0 | copy 0 |           inspect 2 | copy 2 |
///     instance 1             | inspect 1 | copy 1 |            inspect 3 | ...
///     host                             | sink 0 | sink 1 |         | sink 2 | ...
///
/// A host backend copies nothing: it inspects a batch, passes it to the sink, and continues.
///
/// `signatures_in_batches` needs no overlap: each batch of the matrix is reduced to its signatures
/// in place and overwritten by the next.
///
/// Source: [Liu 2019] sections 3.2.1 and 3.3.1.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/matrix_budget.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>
#include <copse/traversal/schedule/signature.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace copse {

/// Instances and buffers of `profile_in_batches`, kept between calls, because creating streams and
/// pinning memory takes longer than a batch. Must be destroyed before Kokkos is finalized.
template <class ExecutionSpace>
struct BatchPipeline {
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit BatchPipeline(const ExecutionSpace& space) : instances{space} {
    if constexpr (!runs_on_host<ExecutionSpace>)
      instances = Kokkos::Experimental::partition_space(space, std::vector<int>{1, 1});
  }

  std::vector<ExecutionSpace> instances;  ///< one on a host, two on a device
  Workspace<MemorySpace> matrices;
  Workspace<Kokkos::SharedHostPinnedSpace> staged;
};

/// A matrix of `Element`s (VisitWord or Step), and its read-only host counterpart.
template <class Element, class MemorySpace>
using BatchMatrix = Kokkos::View<Element**, Kokkos::LayoutLeft, MemorySpace>;
template <class Element>
using HostBatch = BatchMatrix<const Element, Kokkos::HostSpace>;

/// Calls `inspect(instance, first, count, matrix)` for every batch of `plan`, and `sink(first,
/// batch)` in batch order.
///
/// `matrix` is a BatchMatrix<Element> of `count` rows and `width` elements, all zero; row r is
/// query first + r. `inspect` enqueues its work on `instance` and need not wait for it; on a device
/// two batches may run concurrently. `sink` gets the same as a HostBatch<Element>, valid until it
/// returns. Work on `space` is finished before the first inspection.
template <class Element, class ExecutionSpace, class Inspect, class Sink>
void profile_in_batches(const ExecutionSpace& space, const BatchPlan& plan, Count width,
                        BatchPipeline<ExecutionSpace>& pipeline, const Inspect& inspect,
                        const Sink& sink) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count slots = pipeline.instances.size();
  const auto rows = [&](Count b) { return plan.end(b) - plan.begin(b); };
  const auto matrix = [&](Count b) {
    return pipeline.matrices.template get<Element>("profile::matrix_" + std::to_string(b % slots),
                                                   plan.batch * width);
  };
  const auto on_host = [&](Count b) {
    if constexpr (runs_on_host<ExecutionSpace>)
      return matrix(b).data();
    else
      return pipeline.staged
          .template get<Element>("profile::staged_" + std::to_string(b % slots), plan.batch * width)
          .data();
  };
  const auto begin = [&](Count b) {
    const auto& instance = pipeline.instances[b % slots];
    const Count elements = rows(b) * width;
    const auto cells = Kokkos::subview(matrix(b), Kokkos::pair<Count, Count>(0, elements));
    Kokkos::deep_copy(instance, cells, Element{0});
    inspect(instance, plan.begin(b), rows(b),
            BatchMatrix<Element, MemorySpace>(cells.data(), rows(b), width));
    if constexpr (!runs_on_host<ExecutionSpace>) {
      const Kokkos::View<Element*, Kokkos::LayoutLeft, Kokkos::SharedHostPinnedSpace> copy(
          on_host(b), elements);
      Kokkos::deep_copy(instance, copy, cells);
    }
  };
  const auto finish = [&](Count b) {
    pipeline.instances[b % slots].fence("copse::profile::batch");
    sink(plan.begin(b), HostBatch<Element>(on_host(b), rows(b), width));
  };

  space.fence("copse::profile::input");
  for (Count b = 0; b < plan.batches; ++b) {
    if (b >= slots) finish(b - slots);
    begin(b);
  }
  const Count left = plan.batches < slots ? plan.batches : slots;
  for (Count b = plan.batches - left; b < plan.batches; ++b) finish(b);
}

/// A sink that copies the batches into the matrix of all queries, which must be allocated.
template <class Element>
struct StoreBatch {
  BatchMatrix<Element, Kokkos::HostSpace> whole;
  void operator()(Count first, const HostBatch<Element>& batch) const {
    for (Count c = 0; c < batch.extent(1); ++c)
      std::copy_n(&batch(0, c), batch.extent(0), &whole(first, c));
  }
};

/// Inspects the batches of `plan` one after the other on `space`, and writes their signatures:
/// element q of `signature` for query q. Asynchronous.
template <class Element, class ExecutionSpace, class Inspect, class SignatureView>
void signatures_in_batches(const ExecutionSpace& space, const BatchPlan& plan, Count width,
                           const SignatureFormat& format,
                           Workspace<typename ExecutionSpace::memory_space>& workspace,
                           const Inspect& inspect, const SignatureView& signature) {
  const auto cells = workspace.template get<Element>("profile::matrix_0", plan.batch * width);
  for (Count b = 0; b < plan.batches; ++b) {
    const Count rows = plan.end(b) - plan.begin(b);
    const BatchMatrix<Element, typename ExecutionSpace::memory_space> matrix(cells.data(), rows,
                                                                             width);
    Kokkos::deep_copy(space, cells, Element{0});
    inspect(space, plan.begin(b), rows, matrix);
    write_signatures(
        space, matrix, format,
        Kokkos::subview(signature, Kokkos::pair<Count, Count>(plan.begin(b), plan.end(b))));
  }
}

}  // namespace copse
