#include "difference.hpp"
#include "schedule_matrices.hpp"
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

Count difference_of(const BitRows& rows, const std::vector<LocalIndex>& order) {
  Count sum = 0;
  for (Count i = 1; i < order.size(); ++i)
    for (Count c = 0; c < rows[0].size(); ++c) sum += rows[order[i - 1]][c] != rows[order[i]][c];
  return sum;
}

Count packets_of(const BitRows& rows, const std::vector<LocalIndex>& order, Count width) {
  Count sum = 0;
  for (Count c = 0; c < rows[0].size(); ++c)
    for (Count begin = 0; begin < order.size(); begin += width) {
      int any = 0;
      for (Count i = begin; i < std::min<Count>(begin + width, order.size()); ++i)
        any |= rows[order[i]][c];
      sum += width * static_cast<Count>(any);
    }
  return sum;
}

template <class Memory>
ScheduleView<Memory> as_schedule(const std::vector<LocalIndex>& order) {
  const ScheduleView<Memory> there("copse::test::order", order.size());
  const auto host = Kokkos::create_mirror_view(there);
  std::copy(order.begin(), order.end(), host.data());
  Kokkos::deep_copy(there, host);
  return there;
}

// Oracle: element by element over rows of 0 and 1.
TEST_CASE("Differences and packet visits are those counted one leaf at a time") {
  for (const Count queries : {1, 2, 31, 32, 33, 1000})
    for (const Count columns : {1, 64, 100}) {
      const BitRows rows = random_bit_rows(queries, columns, 9);
      std::vector<LocalIndex> order(queries);
      std::iota(order.begin(), order.end(), LocalIndex{0});
      std::shuffle(order.begin(), order.end(), std::mt19937(3));
      for_each_backend([&]<class Space>(Space space) {
        using Memory = typename Space::memory_space;
        INFO(backend_name<Space>() << ", " << queries << " queries, " << columns << " columns");
        const auto visits = copy_to(visit_matrix(rows), Memory{});
        const auto schedule = as_schedule<Memory>(order);
        CHECK(total_difference(space, visits, schedule) == difference_of(rows, order));
        for (const Count width : {1, 16, 32})
          CHECK(packet_visits(space, visits, schedule, width) == packets_of(rows, order, width));
      });
    }
}

TEST_CASE("The published schedule has less difference than the input order") {
  const BitRows rows = published_rows();
  CHECK(difference_of(rows, {0, 1, 2, 3, 4, 5, 6, 7}) == 40);
  CHECK(difference_of(rows, {3, 7, 0, 4, 1, 2, 6, 5}) == 24);
}

TEST_CASE("Steps list the leaves whose bits are set in a row of visits") {
  const StepRows rows{{3, 1}, {}, {70, 2, 64}, {65}};
  for_each_backend([&]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    const VisitMatrix<Memory> visits("copse::test::visits", rows.size(), 2);
    Kokkos::deep_copy(visits, ~VisitWord{0});
    visits_of_steps(space, copy_to(step_matrix(rows, 3), Memory{}), visits);
    const auto host = Kokkos::create_mirror_view_and_copy(Host{}, visits);
    for (Count q = 0; q < rows.size(); ++q)
      for (Count c = 0; c < 128; ++c) {
        const bool named = std::count(rows[q].begin(), rows[q].end(), static_cast<Step>(c + 1)) > 0;
        CHECK((host(q, c / 64) >> c % 64 & 1) == (named ? 1 : 0));
      }
  });
}

}  // namespace
}  // namespace copse::test
