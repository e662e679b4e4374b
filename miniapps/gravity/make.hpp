#pragma once
/// \file
/// What the files of methods/ share: their factories, the visitor of the walk engine, and counts.

#include "methods.hpp"
#include <copse/traversal/walk.hpp>

namespace copse::gravity {

template <class ExecutionSpace>
using MethodPointer = std::unique_ptr<Method<ExecutionSpace>>;

template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_direct(const ExecutionSpace&, const Request&);
template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_lists(const ExecutionSpace&, const Request&);
template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_particle(const ExecutionSpace&, const Request&);
template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_breadth(const ExecutionSpace&, const Request&);
template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_fmm(const ExecutionSpace&, const Request&);
template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_bucket(const ExecutionSpace&, const Request&);
/// Makes a method for periodic boxes from `isolated`, a method that computes the fields of isolated
/// bodies at any targets.
template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_periodic(const ExecutionSpace&,
                                            MethodPointer<ExecutionSpace> isolated);

/// The visitor that adds the fields of all bodies at the bodies themselves. `Relative` is that of
/// the tree.
template <bool Relative = false, int Order, class MemorySpace>
BarnesHut<Order, MemorySpace, Relative> visitor_of(const BodyTree<MemorySpace>& bodies,
                                                   const Multipoles<Order, MemorySpace>& moments,
                                                   const GravityFields<MemorySpace>& fields) {
  return {OctreeView<MemorySpace>(bodies.octree),
          bodies.gravity,
          moments.higher,
          bodies.target_points,
          fields,
          {bodies.softening2, bodies.gravity.softening, bodies.limits}};
}

/// Calls f with the visitor of the tree's criterion.
template <int Order, class MemorySpace, class F>
void with_visitor(const BodyTree<MemorySpace>& bodies,
                  const Multipoles<Order, MemorySpace>& moments,
                  const GravityFields<MemorySpace>& fields, const F& f) {
  if (bodies.gravity.is_relative())
    f(visitor_of<true>(bodies, moments, fields));
  else
    f(visitor_of<false>(bodies, moments, fields));
}

/// Interactions of a counted walk; a node that a target does not open is accepted. In a group, one
/// test decides for all targets.
inline Interactions interactions_of(const WalkCounters& counters, bool one_test_per_packet) {
  return {.cells = counters.lane_nodes - counters.lane_opened,
          .bodies = counters.lane_rows,
          .tests = one_test_per_packet ? counters.nodes : counters.lane_nodes,
          .tests_per_body = counters.lane_nodes};
}

}  // namespace copse::gravity
