#include "join_links.hpp"
#include "measured.hpp"
#include "on_host.hpp"
#include <copse/backend/backends.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace copse::book {
namespace {

constexpr Count rows_of_a_group = 1000;
constexpr Count links_of_a_row = 4;

/// Rows in groups of 1000, each with four links to random rows of its group.
template <class ExecutionSpace>
void measure_on(const ExecutionSpace& space, app::Session& session, const Measure& measure) {
  using Memory = typename ExecutionSpace::memory_space;
  const Count n = session.load_particles(space).size();
  Kokkos::View<LocalIndex*, Kokkos::HostSpace> to("copse::book::to", n * links_of_a_row);
  std::uint64_t state = session.options().seed;
  for (Count k = 0; k < to.extent(0); ++k) {
    state = next_random(state);
    const Count row = k / links_of_a_row, group = row - row % rows_of_a_group;
    to(k) =
        static_cast<LocalIndex>(std::min<Count>(n - 1, group + (state >> 33) % rows_of_a_group));
  }
  const Links<Memory> links{links_of_a_row, Kokkos::create_mirror_view_and_copy(Memory{}, to)};
  std::vector<Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>> found;
  const std::pair<std::string, Joining> versions[] = {{"1_plain", Joining::plain},
                                                      {"2_shortened", Joining::shortened},
                                                      {"3_by_row", Joining::by_row}};
  for (const auto& version : versions) {
    const Parents<Memory> parent("copse::book::parent", n);
    measure(version.first, 1.0, [&] { join_links(space, version.second, links, parent); });
    found.push_back(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, parent));
  }
  bool equal = true;
  for (const auto& labels : found)
    equal = equal && std::equal(labels.data(), labels.data() + n, found.front().data());
  session.verification().require("equal_labels", equal);
}

}  // namespace

// [begin dispatch]
void measure_join_links(app::Session& session, const Measure& measure) {
  dispatch_backend(session.options().backend,
                   [&](auto space) { measure_on(space, session, measure); });
}
// [end dispatch]

}  // namespace copse::book
