#include "count_left.hpp"
#include "measured.hpp"
#include <copse/backend/backends.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace copse::book {
namespace {

template <class ExecutionSpace>
void measure_on(const ExecutionSpace& space, app::Session& session, const Measure& measure) {
  const auto particles = session.load_particles(space);
  const auto position = particles.position;
  const Count n = particles.size();
  const Keys<ExecutionSpace> keys(position.data(), n);
  const auto cut = static_cast<Real>(0.5);
  Count left = 0;
  std::vector<Count> found;
  const auto one = [&](const std::string& name, auto count) {
    measure(name, 1.0, [&] { left = count(); });
    found.push_back(left);
  };
  if constexpr (runs_on_host<ExecutionSpace>) {
    one("1_branching", [&] { return count_left_branching(keys.data(), n, cut); });
    one("2_adding", [&] { return count_left_adding(keys.data(), n, cut); });
  }
  one("3_reduced", [&] { return count_left_reduced(space, keys, cut); });
  one("4_wide", [&] { return count_left_wide(space, keys, cut); });
  SevenCuts cuts;
  for (int c = 0; c < 7; ++c) cuts[c] = static_cast<Real>(c + 1) / 8;
  SevenCounts seven{};
  measure("5_seven_cuts", 3.0, [&] { seven = count_left_of_seven(space, keys, cuts); });
  found.push_back(seven[3]);  // count of the cut 1/2
  session.verification().require("equal_counts",
                                 std::equal(found.begin() + 1, found.end(), found.begin()));
  session.report().results()["bytes"] = n * sizeof(Real);
}

}  // namespace

void measure_count_left(app::Session& session, const Measure& measure) {
  dispatch_backend(session.options().backend,
                   [&](auto space) { measure_on(space, session, measure); });
}

}  // namespace copse::book
