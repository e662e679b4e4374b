#pragma once
/// \file
/// The kernels that `versions` measures. Each has a source of its own, measured_KERNEL.cpp, which
/// makes the input, hands over the versions one by one and adds checks of their results.

#include <copse/app/session.hpp>
#include <copse/backend/types.hpp>

#include <functional>
#include <string>

namespace copse::book {

/// Runs `body` as often as --repeat says and notes how long it takes as the version `name`; the
/// seconds are shared out over `steps`, for versions that do more than one step of the work.
using Measure =
    std::function<void(const std::string& name, double steps, const std::function<void()>& body)>;

struct MeasuredKernel {
  const char* name;
  Count bytes_per_row;  ///< of memory, at most
  void (*measure)(app::Session&, const Measure&);
  bool takes_ranks = false;  ///< runs on more than one
};

void measure_count_left(app::Session& session, const Measure& measure);
void measure_find_rank(app::Session& session, const Measure& measure);
void measure_gather_rows(app::Session& session, const Measure& measure);
void measure_join_links(app::Session& session, const Measure& measure);
void measure_send_rows(app::Session& session, const Measure& measure);
void measure_sum_segments(app::Session& session, const Measure& measure);

}  // namespace copse::book
