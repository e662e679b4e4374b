#pragma once
/// \file
/// The benchmarks of [Liu 2019] section 3.4.1.

#include "../request.hpp"
#include <copse/app/session.hpp>

#include <string>
#include <vector>

namespace copse::traversal {

struct BenchmarkInfo {
  std::string name;
  std::string description;
  void (*run)(app::Session&, const Request&);
};

/// All benchmarks, in the order they are documented.
const std::vector<BenchmarkInfo>& benchmarks();

std::vector<std::string> benchmark_names();

/// Each loads its points, runs all configurations and reports them.
/// \throws InputError for input it cannot work on
void run_point_correlation(app::Session& session, const Request& request);
void run_correlation(app::Session& session, const Request& request);
void run_nearest_neighbor(app::Session& session, const Request& request);
void run_knn(app::Session& session, const Request& request);
void run_ball_tree(app::Session& session, const Request& request);
void run_vantage_point(app::Session& session, const Request& request);
void run_barnes_hut(app::Session& session, const Request& request);

}  // namespace copse::traversal
