#include "find_rank.hpp"
#include "measured.hpp"
#include <copse/algorithms/ordered_key.hpp>
#include <copse/backend/backends.hpp>

#include <string>

namespace copse::book {
namespace {

template <class ExecutionSpace>
struct OrderedKeys {
  Points<3, typename ExecutionSpace::memory_space> position;
  Kokkos::View<Key*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space> key;

  KOKKOS_FUNCTION void operator()(Count i) const {
    key(i) = ordered_key(static_cast<float>(position(i, 0)));
  }
};

/// First coordinates of the particles: uniform, or clustered according to --generate.
template <class ExecutionSpace>
RankKeys<ExecutionSpace> make_keys(const ExecutionSpace& space, app::Session& session) {
  const auto particles = session.load_particles(space);
  OrderedKeys<ExecutionSpace> kernel{particles.position, {}};
  kernel.key = decltype(kernel.key)("copse::book::keys", particles.size());
  Kokkos::parallel_for("copse::book::ordered_keys",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, particles.size()), kernel);
  space.fence("copse::book::ordered_keys");
  return kernel.key;
}

template <class ExecutionSpace>
void measure_on(const ExecutionSpace& space, app::Session& session, const Measure& measure) {
  const auto keys = make_keys(space, session);
  const Count n = keys.extent(0), rank = (n - 1) / 2;
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, keys);
  RankWorkspace<ExecutionSpace> workspace;
  const auto one = [&](const std::string& name, auto find) {
    Key found = 0;
    measure(name, 1.0, [&] { found = find(); });
    Count smaller = 0, equal = 0;
    for (Count i = 0; i < n; ++i) {
      smaller += host(i) < found;
      equal += host(i) == found;
    }
    session.verification().require(name, smaller <= rank && rank < smaller + equal);
  };
  one("1_sort", [&] { return find_rank_by_sorting(space, keys, rank, workspace); });
  if constexpr (runs_on_host<ExecutionSpace>)
    one("2_nth_element", [&] { return find_rank_by_partitions(keys, rank, workspace); });
  one("3_digits", [&] { return find_rank_by_digits(space, keys, rank, workspace); });
  one("4_sample", [&] { return find_rank_by_sample(space, keys, rank, workspace); });
}

}  // namespace

void measure_find_rank(app::Session& session, const Measure& measure) {
  dispatch_backend(session.options().backend,
                   [&](auto space) { measure_on(space, session, measure); });
}

}  // namespace copse::book
