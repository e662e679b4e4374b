#include "schedule_matrices.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/signature.hpp>

#include <catch2/catch_test_macros.hpp>

#include <iterator>
#include <set>

namespace copse::test {
namespace {

/// The leaves that a signature holds, in order, comparable as std::vector. Leaves of sets are taken
/// from both ends in turn.
std::vector<std::vector<Step>> leaves_of(const StepRows& rows, Count held, bool guided) {
  std::vector<std::vector<Step>> all;
  for (const auto& row : rows) {
    std::vector<Step> leaves;
    if (guided) leaves.push_back(row.empty() ? Step{0} : row[0]);
    std::set<Step> rest(row.begin(), row.end());
    for (bool lowest = true; leaves.size() < held; lowest = !lowest) {
      if (rest.empty()) {
        leaves.push_back(0);
        continue;
      }
      const auto end = lowest ? rest.begin() : std::prev(rest.end());
      leaves.push_back(*end);
      rest.erase(end);
    }
    all.push_back(leaves);
  }
  return all;
}

StepRows steps_of_bits(const BitRows& rows) {
  StepRows steps(rows.size());
  for (Count q = 0; q < rows.size(); ++q)
    for (Count c = 0; c < rows[q].size(); ++c)
      if (rows[q][c] != 0) steps[q].push_back(static_cast<Step>(c + 1));
  return steps;
}

template <class Space, class HostMatrix>
std::vector<LocalIndex> scheduled(const Space& space, const HostMatrix& matrix, Count columns) {
  using Memory = typename Space::memory_space;
  const Count n = matrix.extent(0);
  const Kokkos::View<Signature*, Kokkos::LayoutLeft, Memory> signature("copse::test::sig", n);
  const ScheduleView<Memory> order("copse::test::order", n);
  Workspace<Memory> workspace;
  const SignatureFormat format(columns);
  write_signatures(space, copy_to(matrix, Memory{}), format, signature);
  signature_order(space, format, signature, order, workspace);
  return to_vector<Memory>(order);
}

TEST_CASE("A signature holds as many leaves as fit in 64 bits") {
  const Count known[][3] = {{1, 1, 64},    {7, 3, 21},     {8, 4, 16},     {256, 9, 7},
                            {1024, 11, 5}, {32767, 15, 4}, {32768, 16, 4}, {65535, 16, 4}};
  for (const auto& [columns, bits, leaves] : known) {
    CHECK(static_cast<Count>(SignatureFormat(columns).leaf_bits) == bits);
    CHECK(static_cast<Count>(SignatureFormat(columns).leaves) == leaves);
  }
}

// Oracle: std::stable_sort by the leaves taken from a std::set.
TEST_CASE("Signatures sort guided queries by the first leaf and both ends of the set") {
  for (const Count columns : {13, 30, 300, 65535})
    for (const Count width : {0, 1, 3, 13}) {
      StepRows rows = random_step_rows(2000, std::min<Count>(columns, 100), 13, 2);
      for (auto& row : rows) {
        row.resize(std::min<Count>(row.size(), width));
        for (auto& step : row) step = static_cast<Step>(columns + 1 - step);
      }
      const auto leaves = leaves_of(rows, SignatureFormat(columns).leaves, true);
      const auto expected = stably_sorted(
          rows.size(), [&](LocalIndex a, LocalIndex b) { return leaves[a] < leaves[b]; });
      for_each_backend([&]<class Space>(Space space) {
        INFO(backend_name<Space>() << ", " << width << " steps, " << columns << " columns");
        CHECK(scheduled(space, step_matrix(rows, width), columns) == expected);
      });
    }
}

TEST_CASE("Signatures sort unguided queries by both ends of the set") {
  for (const Count columns : {1, 3, 63, 64, 65, 128, 300, 40000}) {
    const BitRows rows = random_bit_rows(columns < 1000 ? 2000 : 20, columns, 14);
    const auto leaves = leaves_of(steps_of_bits(rows), SignatureFormat(columns).leaves, false);
    const auto expected = stably_sorted(
        rows.size(), [&](LocalIndex a, LocalIndex b) { return leaves[a] < leaves[b]; });
    for_each_backend([&]<class Space>(Space space) {
      INFO(backend_name<Space>() << ", " << columns << " columns");
      CHECK(scheduled(space, visit_matrix(rows), columns) == expected);
    });
  }
}

TEST_CASE("Signatures of few leaves far apart distinguish words and ends of words") {
  BitRows rows;
  for (const Count a : {0, 1, 62, 63, 64, 126, 127, 128, 199})
    for (const Count b : {0, 1, 62, 63, 64, 126, 127, 128, 199}) {
      rows.emplace_back(200);
      rows.back()[a] = rows.back()[b] = 1;
    }
  rows.emplace_back(200);
  const auto leaves = leaves_of(steps_of_bits(rows), 8, false);
  const auto expected =
      stably_sorted(rows.size(), [&](LocalIndex a, LocalIndex b) { return leaves[a] < leaves[b]; });
  for_each_backend(
      [&](auto space) { CHECK(scheduled(space, visit_matrix(rows), 200) == expected); });
}

}  // namespace
}  // namespace copse::test
