#pragma once
/// \file
/// The kernels that `versions` measures. Each has a source, measured_KERNEL.cpp, that creates the
/// input, runs the versions one by one and checks their results.

#include <copse/app/session.hpp>
#include <copse/backend/types.hpp>

#include <functional>
#include <string>

namespace copse::book {

/// Runs `body` `--repeat` times and records the time as that of version `name`, divided by `steps`
/// for versions that do several steps of the work at once.
using Measure =
    std::function<void(const std::string& name, double steps, const std::function<void()>& body)>;

struct MeasuredKernel {
  const char* name;
  Count bytes_per_row;  ///< of memory, upper bound
  void (*measure)(app::Session&, const Measure&);
  bool takes_ranks = false;  ///< runs on several ranks
};

void measure_count_left(app::Session& session, const Measure& measure);
void measure_find_rank(app::Session& session, const Measure& measure);
void measure_gather_rows(app::Session& session, const Measure& measure);
void measure_join_links(app::Session& session, const Measure& measure);
void measure_send_rows(app::Session& session, const Measure& measure);
void measure_sum_segments(app::Session& session, const Measure& measure);

}  // namespace copse::book
