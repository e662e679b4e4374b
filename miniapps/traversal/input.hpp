#pragma once
/// \file
/// The points of a run: those the tree is built of, and the queries.

#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/particles/points.hpp>

namespace copse::traversal {

template <int Dim, class MemorySpace>
struct PointInput {
  Points<Dim, MemorySpace> points;   ///< of the tree
  Points<Dim, MemorySpace> queries;  ///< the same View if every point is a query
  bool own = true;                   ///< whether it is
};

/// Generates or reads the points, divides them if that is asked for, and records the input in the
/// report.
/// \throws InputError as the generators and readers do, or if a division leaves no point
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
