#pragma once
/// \file
/// The benchmarks of [Liu 2019] section 3.4.1.

#include "../configuration.hpp"
#include "../request.hpp"
#include <copse/app/session.hpp>

#include <memory>
#include <string>
#include <vector>

namespace copse::traversal {

/// A benchmark on one backend: points, a tree over them, and queries that walk it.
class Benchmark {
 public:
  virtual ~Benchmark() = default;
  virtual void build() = 0;
  /// Measures every configuration.
  virtual std::vector<Measured> walk_all() = 0;
  /// Checks the results of `walk_all` if --verify is given.
  virtual void verify(const std::vector<Measured>& measured) = 0;
  virtual void report(const std::vector<Measured>& measured, double build_seconds) = 0;
};

struct BenchmarkInfo {
  std::string name;
  std::string description;
  /// Loads the points. \throws InputError for input that the benchmark does not support
  std::unique_ptr<Benchmark> (*load)(app::Session&, const Request&);
};

/// All benchmarks, in the order they are documented.
const std::vector<BenchmarkInfo>& benchmarks();

std::vector<std::string> benchmark_names();

}  // namespace copse::traversal
