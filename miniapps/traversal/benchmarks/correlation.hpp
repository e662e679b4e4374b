#pragma once
/// \file
/// point-correlation with --correlation.

#include "benchmarks.hpp"

namespace copse::traversal {

/// The walks of data among data, data among random points, and random points among themselves.
std::unique_ptr<Benchmark> load_correlation(app::Session& session, const Request& request);

}  // namespace copse::traversal
