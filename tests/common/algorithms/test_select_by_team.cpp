#include "hostile_keys.hpp"
#include <copse/algorithms/select_by_team.hpp>
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace copse::test {
namespace {

/// One team per rank selects among the same values.
template <class Space, class Value>
struct SelectRanks {
  static constexpr int threads = runs_on_host<Space> ? 1 : 256;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, 1>>;
  using Team = typename Policy::member_type;
  using Select = SelectByTeam<Team, Value, threads>;
  using Memory = Kokkos::View<typename Select::Memory*, typename Space::scratch_memory_space,
                              Kokkos::MemoryUnmanaged>;
  using MemorySpace = typename Space::memory_space;

  Kokkos::View<const Value*, MemorySpace> values;
  Kokkos::View<const Count*, MemorySpace> ranks;
  Kokkos::View<Selected<OrderedKey<Value>>*, MemorySpace> found;
  Value low, high;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Memory memory(team.team_scratch(0), 1);
    const Select select(team, memory(0));
    const auto of = select.select([&](Count i) { return values(i); }, values.extent(0),
                                  ranks(team.league_rank()), low, high);
    if (team.team_rank() == 0) found(team.league_rank()) = of;
  }
};

template <class Space, class Value>
std::vector<Selected<OrderedKey<Value>>> select_ranks(const std::vector<Value>& values,
                                                      const std::vector<Count>& ranks, Value low,
                                                      Value high) {
  using Memory = typename Space::memory_space;
  using Kernel = SelectRanks<Space, Value>;
  const auto copy = []<class T>(const std::vector<T>& from) {
    Kokkos::View<T*, Memory> to("copy", from.size());
    Kokkos::deep_copy(to, Kokkos::View<const T*, Kokkos::HostSpace>(from.data(), from.size()));
    return to;
  };
  Kernel kernel{copy(values), copy(ranks), {}, low, high};
  kernel.found = decltype(kernel.found)("found", ranks.size());
  typename Kernel::Policy policy(static_cast<int>(ranks.size()), Kernel::threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::Memory::shmem_size(1)));
  Kokkos::parallel_for(policy, kernel);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, kernel.found);
  return {host.data(), host.data() + host.extent(0)};
}

template <class Space, class Value>
void check_select(const std::string& name, const std::vector<Value>& values) {
  std::vector<Value> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const Count n = values.size();
  std::vector<Count> ranks{1, n};
  for (Count rank : {Count{2}, n / 3, n / 2, n - 1})
    if (rank >= 1 && rank <= n) ranks.push_back(rank);
  constexpr Value huge = std::numeric_limits<Value>::max();
  const std::vector<std::pair<Value, Value>> guesses{
      {sorted.front(), sorted.back()}, {0, 0}, {-huge, huge}, {sorted[n / 2], sorted[n / 2] + 1}};
  for (const auto& [low, high] : guesses) {
    const auto found = select_ranks<Space>(values, ranks, low, high);
    int wrong = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const Value value = sorted[ranks[r] - 1];
      const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
      wrong += found[r].key != ordered_key(value) ||
               found[r].below != static_cast<Count>(first - sorted.begin()) ||
               found[r].equal != static_cast<Count>(last - first);
    }
    INFO(backend_name<Space>() << ", " << name << ", " << n << " values, guess " << low << " to "
                               << high);
    CHECK(wrong == 0);
  }
}

template <class Value>
std::vector<Value> values_of(const std::string& kind, Count n) {
  std::vector<Value> values;
  for (const auto key : make_keys<OrderedKey<Value>>(kind, n))
    values.push_back(static_cast<Value>(key));
  return values;
}

TEST_CASE("A team selects the value at the rank in sorted order, whatever range is guessed") {
  for_each_backend([]<class Space>(Space) {
    for (const std::string& kind : key_kinds())
      for (Count n : {1, 2, 31, 511, 512, 513, 4096, 70001}) {
        check_select<Space>(kind, values_of<float>(kind, n));
        check_select<Space>(kind, values_of<double>(kind, n));
      }
  });
}

TEST_CASE("A team selects among values of all magnitudes and signs, and both zeros") {
  std::vector<float> values;
  for (int i = 0; i < 40000; ++i) {
    const float magnitude = std::ldexp(1.0f + static_cast<float>(i % 1000) / 1000, i % 250 - 125);
    values.push_back(i % 3 == 0 ? -magnitude : magnitude);
    if (i % 5 == 0) values.push_back(i % 2 == 0 ? 0.0f : -0.0f);
  }
  values.push_back(std::numeric_limits<float>::max());
  values.push_back(std::numeric_limits<float>::lowest());
  for_each_backend([&]<class Space>(Space) { check_select<Space>("magnitudes", values); });
}

}  // namespace
}  // namespace copse::test
