#pragma once
/// \file
/// Makes schedules: inspects the top of the tree and orders the queries by the leaves they reach.
///
/// | schedule | ordered on | method |
/// |---|---|---|
/// | by_host | the host, as published | copies the whole matrix; sandpile or buckets |
/// | by_signature | the backend | signatures, one radix sort; no host transfer |
/// | by_first_leaf | the backend | first leaf of each guided walk, one radix sort; no matrix |
///
/// Phases: copse::schedule::profile (including the overlapped transfer of the matrix),
/// copse::schedule::order, copse::schedule::transfer. The first-leaf schedule has no phase: a phase
/// would cover the whole schedule, and ending a phase waits for the device.
///
/// Source: [Liu 2019] sections 3.2 and 3.3.1.

#include <copse/backend/error.hpp>
#include <copse/traversal/inspector.hpp>
#include <copse/traversal/schedule/buckets.hpp>
#include <copse/traversal/schedule/first_leaf.hpp>
#include <copse/traversal/schedule/profile_batches.hpp>
#include <copse/traversal/schedule/sandpile.hpp>
#include <copse/traversal/schedule/signature.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace copse {

struct ProfileOptions {
  int depth = 8;                       ///< depth of the leaves of the top tree
  Count steps = 4;                     ///< guided walks: at most this many top leaves are recorded
                                       ///< per query
  Count memory = Count{1} << 30;       ///< limit on the matrix on the backend, in bytes
  Count host_memory = Count{8} << 30;  ///< limit on the whole matrix on the host, in bytes; by_host
                                       ///< only
};

/// Makes schedules on one backend and keeps its work space between calls. Destroy it before
/// Kokkos::finalize.
template <class ExecutionSpace>
class Scheduler {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  /// The host space that runs the published scheduler.
  using Host = std::conditional_t<runs_on_host<ExecutionSpace>, ExecutionSpace,
                                  Kokkos::DefaultHostExecutionSpace>;

  explicit Scheduler(const ExecutionSpace& space) : space_(space), pipeline_(space) {}

  /// The published schedule of queries [0, count): profile on the backend, order on the host. The
  /// order is valid until the next call; the same holds for the other schedules.
  /// \throws InputError if the matrix does not fit even in batches (plan_batches), or if the whole
  ///         matrix exceeds options.host_memory
  template <class Visitor, class Top>
  ScheduleView<MemorySpace> by_host(const Visitor& visitor, const Top& top, Count count,
                                    const ProfileOptions& options) {
    using Element = MatrixElement<Visitor>;
    const Count width = matrix_width<Visitor>(top, options);
    const BatchPlan plan = plan_batches(kind<Visitor>(), count, measure<Visitor>(top, options),
                                        options.memory, runs_on_host<ExecutionSpace> ? 1 : 8);
    refuse_beyond(count * width * sizeof(Element), options.host_memory);
    const auto cells = host_workspace_.template get<Element>("schedule::matrix", count * width);
    const BatchMatrix<Element, Kokkos::HostSpace> whole(cells.data(), count, width);
    {
      Kokkos::Profiling::ScopedRegion region("copse::schedule::profile");
      profile_in_batches<Element>(space_, plan, width, pipeline_,
                                  Inspect<Visitor, Top>{visitor, top}, StoreBatch<Element>{whole});
    }
    const ScheduleView<Kokkos::HostSpace> order(
        host_workspace_.template get<LocalIndex>("schedule::order", count).data(), count);
    {
      Kokkos::Profiling::ScopedRegion region("copse::schedule::order");
      if constexpr (Visitor::guided) {
        buckets(host_, ConstStepMatrix<Kokkos::HostSpace>(whole), order, host_workspace_);
      } else {
        sandpile(host_, ConstVisitMatrix<Kokkos::HostSpace>(whole), top.columns(), order,
                 host_workspace_);
      }
    }
    Kokkos::Profiling::ScopedRegion region("copse::schedule::transfer");
    const auto there = result(count);
    Kokkos::deep_copy(space_, there, order);
    space_.fence("copse::schedule::transfer");
    return there;
  }

  /// The schedule made entirely on the backend: signatures and one sort.
  /// \throws InputError if the matrix does not fit even in batches (plan_batches)
  template <class Visitor, class Top>
  ScheduleView<MemorySpace> by_signature(const Visitor& visitor, const Top& top, Count count,
                                         const ProfileOptions& options) {
    using Element = MatrixElement<Visitor>;
    const Count width = matrix_width<Visitor>(top, options);
    const BatchPlan plan =
        plan_batches(kind<Visitor>(), count, measure<Visitor>(top, options), options.memory);
    const SignatureFormat format(top.columns());
    const auto signature = workspace_.template get<Signature>("schedule::signature", count);
    {
      Kokkos::Profiling::ScopedRegion region("copse::schedule::profile");
      signatures_in_batches<Element>(space_, plan, width, format, workspace_,
                                     Inspect<Visitor, Top>{visitor, top}, signature);
    }
    Kokkos::Profiling::ScopedRegion region("copse::schedule::order");
    const auto order = result(count);
    signature_order(space_, format, signature, order, workspace_);
    return order;
  }

  /// The backend's schedule of a guided walk: queries sorted by the leaf where their walk begins.
  /// Passing the whole tree as `top` works best.
  template <class Visitor, class Top>
  ScheduleView<MemorySpace> by_first_leaf(const Visitor& visitor, const Top& top, Count count) {
    const auto order = result(count);
    first_leaf_order(space_, visitor, top, order, workspace_);
    return order;
  }

  /// How far the input order of queries [0, count) is from a good order: 0 is best, random orders
  /// have about 0.9; see first_leaf.hpp.
  template <class Visitor, class Top>
  double disorder(const Visitor& visitor, const Top& top, Count count) {
    return copse::disorder(space_, visitor, top, count, workspace_);
  }

 private:
  static void refuse_beyond(Count bytes, Count limit) {
    if (bytes > limit)
      throw InputError("the scheduling matrix of all queries takes " + std::to_string(bytes) +
                       " bytes of host memory, more than the limit of " + std::to_string(limit));
  }

  template <class Visitor>
  using MatrixElement = std::conditional_t<Visitor::guided, Step, VisitWord>;

  /// Inspects one batch; the callback of profile_in_batches and signatures_in_batches.
  template <class Visitor, class Top>
  struct Inspect {
    const Visitor& visitor;
    const Top& top;
    template <class Matrix>
    void operator()(const ExecutionSpace& instance, Count first, Count count,
                    const Matrix& matrix) const {
      inspect(instance, visitor, top, first, count, matrix);
    }
  };

  template <class Visitor>
  static constexpr MatrixKind kind() {
    return Visitor::guided ? MatrixKind::steps : MatrixKind::visits;
  }
  /// The unit of plan_batches: columns of visits, or recorded steps.
  template <class Visitor, class Top>
  static Count measure(const Top& top, const ProfileOptions& options) {
    return Visitor::guided ? std::min(options.steps, top.columns()) : top.columns();
  }
  template <class Visitor, class Top>
  static Count matrix_width(const Top& top, const ProfileOptions& options) {
    const Count columns = measure<Visitor>(top, options);
    return Visitor::guided ? columns : visit_words(columns);
  }

  ScheduleView<MemorySpace> result(Count count) {
    if (order_.extent(0) != count) {
      order_ = {};
      order_ = ScheduleView<MemorySpace>(
          Kokkos::view_alloc("copse::schedule::order", Kokkos::WithoutInitializing), count);
    }
    return order_;
  }

  ExecutionSpace space_;
  Host host_;
  BatchPipeline<ExecutionSpace> pipeline_;
  Workspace<MemorySpace> workspace_;
  Workspace<Kokkos::HostSpace> host_workspace_;
  ScheduleView<MemorySpace> order_;
};

}  // namespace copse
