#pragma once
/// \file
/// point-correlation with --correlation.

#include "benchmarks.hpp"

namespace copse::traversal {

/// The walks data-data, data-random and random-random.
std::unique_ptr<Benchmark> load_correlation(app::Session& session, const Request& request);

}  // namespace copse::traversal
