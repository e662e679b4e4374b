#include "schedule_matrices.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/signature.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>

namespace copse::test {
namespace {

/// The first four steps, 0 where there is none: std::array compares as the signature has to.
std::vector<std::array<Step, 4>> first_four(const StepRows& rows) {
  std::vector<std::array<Step, 4>> four(rows.size());
  for (Count q = 0; q < rows.size(); ++q)
    for (Count i = 0; i < std::min<Count>(4, rows[q].size()); ++i) four[q][i] = rows[q][i];
  return four;
}

StepRows steps_of_bits(const BitRows& rows) {
  StepRows steps(rows.size());
  for (Count q = 0; q < rows.size(); ++q)
    for (Count c = 0; c < rows[q].size(); ++c)
      if (rows[q][c] != 0) steps[q].push_back(static_cast<Step>(c + 1));
  return steps;
}

template <class Space, class HostMatrix>
std::vector<LocalIndex> scheduled(const Space& space, const HostMatrix& matrix) {
  using Memory = typename Space::memory_space;
  const Count n = matrix.extent(0);
  const Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, Memory> signature("copse::test::sig", n);
  const ScheduleView<Memory> order("copse::test::order", n);
  Workspace<Memory> workspace;
  write_signatures(space, copy_to(matrix, Memory{}), signature);
  signature_order(space, signature, order, workspace);
  return to_vector<Memory>(order);
}

// Oracle: std::stable_sort by the arrays of the first four leaves.
TEST_CASE("Signatures sort guided queries by their first four leaves, equal ones in input order") {
  for (const Count width : {1, 3, 4, 9}) {
    StepRows rows = random_step_rows(5000, 30, 9, 2);
    for (auto& row : rows) row.resize(std::min<Count>(row.size(), width));
    const auto four = first_four(rows);
    const auto expected =
        stably_sorted(rows.size(), [&](LocalIndex a, LocalIndex b) { return four[a] < four[b]; });
    for_each_backend([&]<class Space>(Space space) {
      INFO(backend_name<Space>() << ", " << width << " steps");
      CHECK(scheduled(space, step_matrix(rows, width)) == expected);
    });
  }
}

TEST_CASE("Signatures sort unguided queries by the first four leaves of their rows") {
  for (const Count columns : {1, 3, 64, 65, 300}) {
    const BitRows rows = random_bit_rows(3000, columns, 14);
    const auto four = first_four(steps_of_bits(rows));
    const auto expected =
        stably_sorted(rows.size(), [&](LocalIndex a, LocalIndex b) { return four[a] < four[b]; });
    for_each_backend([&]<class Space>(Space space) {
      INFO(backend_name<Space>() << ", " << columns << " columns");
      CHECK(scheduled(space, visit_matrix(rows)) == expected);
    });
  }
}

}  // namespace
}  // namespace copse::test
