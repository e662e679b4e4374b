#include "measured.hpp"
#include "on_host.hpp"
#include "sum_segments.hpp"
#include <copse/backend/backends.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace copse::book {
namespace {

constexpr double shortest = 8;
constexpr double longest = 1 << 20;

/// The first rows of the segments. Their lengths follow a power law, cut off at both ends: each
/// doubling of the length is half as frequent, so all octaves hold the same number of rows. The
/// longest come first, like haloes in a catalogue.
std::vector<Count> power_law_segments(Count rows, std::uint64_t seed) {
  std::vector<Count> begin{0}, lengths;
  for (Count left = rows; left > 0; left -= lengths.back()) {
    seed = next_random(seed);
    const double uniform = static_cast<double>((seed >> 11) + 1) * 0x1p-53;  // in (0, 1]
    const auto length = static_cast<Count>(std::min(longest, shortest / uniform));
    lengths.push_back(std::min(left, length));
  }
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  for (const Count length : lengths) begin.push_back(begin.back() + length);
  return begin;
}

template <class ExecutionSpace>
void measure_on(const ExecutionSpace& space, app::Session& session, const Measure& measure) {
  using Memory = typename ExecutionSpace::memory_space;
  const Count n = session.load_particles(space).size();
  const std::vector<Count> begin = power_law_segments(n, session.options().seed);
  std::vector<std::uint32_t> value(n);
  std::uint64_t state = ~session.options().seed;
  for (std::uint32_t& one : value)
    one = static_cast<std::uint32_t>((state = next_random(state)) >> 32);

  const auto there = []<class T>(const std::vector<T>& host) {
    return Kokkos::create_mirror_view_and_copy(
        Memory{}, Kokkos::View<const T*, Kokkos::HostSpace>(host.data(), host.size()));
  };
  const SegmentedValues<Memory> rows{there(begin), there(value)};
  const Sums<Memory> sums("copse::book::sums", rows.segments());
  std::vector<std::uint64_t> expected(rows.segments());
  for (Count s = 0; s < expected.size(); ++s)
    for (Count row = begin[s]; row < begin[s + 1]; ++row) expected[s] += value[row];

  bool equal = true;
  std::vector<std::pair<std::string, Summing>> versions{{"1_by_thread", Summing::by_thread},
                                                        {"2_by_team", Summing::by_team},
                                                        {"3_by_tile", Summing::by_tile}};
  if (!runs_on_host<ExecutionSpace>) versions.emplace_back("4_scanned", Summing::scanned);
  for (const auto& version : versions) {
    Kokkos::deep_copy(sums, ~std::uint64_t{0});  // clear the result of the previous version
    measure(version.first, 1.0, [&] { sum_segments(space, version.second, rows, sums); });
    const auto found = on_host(sums);
    equal = equal && std::equal(expected.begin(), expected.end(), found.data());
  }
  session.verification().require("sums_of_a_plain_loop", equal);
  session.report().results()["segments"] = expected.size();
  session.report().results()["longest_segment"] = begin[1];
}

}  // namespace

void measure_sum_segments(app::Session& session, const Measure& measure) {
  dispatch_backend(session.options().backend,
                   [&](auto space) { measure_on(space, session, measure); });
}

}  // namespace copse::book
