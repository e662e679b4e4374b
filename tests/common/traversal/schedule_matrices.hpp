#pragma once
/// \file
/// Scheduling matrices for tests, on the host and on a backend.

#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace copse::test {

using Host = Kokkos::HostSpace;

/// Rows of 0 and 1, one per query, independent of the packing into words.
using BitRows = std::vector<std::vector<int>>;
using StepRows = std::vector<std::vector<Step>>;

inline VisitMatrix<Host> visit_matrix(const BitRows& rows) {
  const Count columns = rows.empty() ? 0 : rows[0].size();
  VisitMatrix<Host> visits("copse::test::visits", rows.size(), visit_words(columns));
  for (Count q = 0; q < rows.size(); ++q)
    for (Count c = 0; c < columns; ++c)
      if (rows[q][c] != 0) visits(q, c / 64) |= VisitWord{1} << c % 64;
  return visits;
}

/// Rows of `width` steps, padded with 0.
inline StepMatrix<Host> step_matrix(const StepRows& rows, Count width) {
  StepMatrix<Host> steps("copse::test::steps", rows.size(), width);
  for (Count q = 0; q < rows.size(); ++q)
    for (Count i = 0; i < std::min<Count>(width, rows[q].size()); ++i) steps(q, i) = rows[q][i];
  return steps;
}

/// Random visits whose probability depends on the leaf and on the group of queries, so that some
/// columns are full, some are empty and many rows are equal.
inline BitRows random_bit_rows(Count queries, Count columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<double>> share(5, std::vector<double>(columns));
  for (auto& group : share)
    for (auto& s : group) s = 1.5 * static_cast<double>(random() % 1000) / 1000 - 0.25;
  BitRows rows(queries, std::vector<int>(columns));
  for (auto& row : rows) {
    const auto& group = share[random() % share.size()];
    for (Count c = 0; c < columns; ++c)
      row[c] = static_cast<double>(random() % 1000) / 1000 < group[c];
  }
  return rows;
}

/// Sequences of distinct leaves with different lengths; many share a prefix.
inline StepRows random_step_rows(Count queries, Count columns, Count longest, unsigned seed) {
  std::mt19937_64 random(seed);
  StepRows rows(queries);
  for (auto& row : rows) {
    std::vector<Step> leaves(columns);
    std::iota(leaves.begin(), leaves.end(), Step{1});
    const Count length = std::min<Count>(random() % (longest + 1), columns);
    for (Count i = 0; i < length; ++i) {
      // One of the next few remaining leaves, mostly the first.
      const Count pick = random() % std::min<Count>(1 + random() % 3, leaves.size());
      row.push_back(leaves[pick]);
      leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(pick));
    }
  }
  return rows;
}

template <class ViewT, class MemorySpace>
auto copy_to(const ViewT& host, MemorySpace) {
  Kokkos::View<typename ViewT::data_type, Kokkos::LayoutLeft, MemorySpace> there(
      "copse::test::matrix", host.layout());
  Kokkos::deep_copy(there, host);
  return there;
}

template <class MemorySpace>
std::vector<LocalIndex> to_vector(const ScheduleView<MemorySpace>& order) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, order);
  return {host.data(), host.data() + host.extent(0)};
}

/// The queries 0 to n - 1, stably sorted by `less(query, query)`.
template <class Less>
std::vector<LocalIndex> stably_sorted(Count n, const Less& less) {
  std::vector<LocalIndex> order(n);
  std::iota(order.begin(), order.end(), LocalIndex{0});
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}

/// Table 3.1 of [Liu 2019]: which of the top leaves 8 to 15 the points A to H reach. Stored as
/// text, because gcc 12.2 with AVX-512 miscompiles the constant array {1, 1, 1, 1, 0, 0, 0, 0} to
/// eight ones.
inline BitRows published_rows() {
  BitRows rows;
  for (const std::string text : {"11000011", "00111100", "11001100", "00111111", "11000011",
                                 "00110000", "11110000", "00001111"}) {
    rows.emplace_back();
    for (const char c : text) rows.back().push_back(c == '1');
  }
  return rows;
}

/// "DHAEBCGF" for queries 3, 7, 0, ...
inline std::string letters(const std::vector<LocalIndex>& order) {
  std::string text;
  for (const LocalIndex q : order) text += static_cast<char>('A' + q);
  return text;
}

}  // namespace copse::test
