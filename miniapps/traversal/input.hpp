#pragma once
/// \file
/// The points of a run: tree points and queries.

#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/particles/points.hpp>

namespace copse::traversal {

template <int Dim, class MemorySpace>
struct PointInput {
  Points<Dim, MemorySpace> points;   ///< of the tree
  Points<Dim, MemorySpace> queries;  ///< the same View if every point is a query
  bool own = true;                   ///< every tree point is a query
};

/// Generates or reads the points, splits off queries if requested, and records the input in the
/// report.
/// \throws InputError as the generators and readers, or if the split leaves a side without points
template <int Dim, class ExecutionSpace>
PointInput<Dim, typename ExecutionSpace::memory_space> load_input(app::Session& session,
                                                                  const ExecutionSpace& space,
                                                                  const Request& request);

#define COPSE_DECLARE_LOAD(ExecutionSpace, Dim)                                  \
  extern template PointInput<Dim, ExecutionSpace::memory_space> load_input<Dim>( \
      app::Session&, const ExecutionSpace&, const Request&);
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_DECLARE_LOAD)
#undef COPSE_DECLARE_LOAD

}  // namespace copse::traversal
