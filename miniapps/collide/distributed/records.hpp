#pragma once
/// \file
/// Particles as records of 32-bit words, which is how they travel: no padding is sent.

#include "../state.hpp"
#include <copse/backend/mpi/exchange_plan.hpp>

#include <Kokkos_Core.hpp>

namespace copse::collide {

/// The columns of a record besides the position.
struct RecordColumns {
  bool velocity = false, tag = false, size = false;

  template <int D>
  KOKKOS_FUNCTION Count words() const {
    return 2 * D * (velocity ? 2 : 1) + (tag ? 1 : 0) + (size ? 2 : 0);
  }
};

template <class MemorySpace>
using RecordWords = Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace>;
template <class MemorySpace>
using RowNumbers = Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

/// A plan in records, in words: `stride` words are a record.
inline ExchangePlan in_words(ExchangePlan plan, Count stride) {
  for (ExchangePlan::Side* side : {&plan.send, &plan.receive}) {
    for (Count& count : side->counts) count *= stride;
    for (Count& offset : side->offsets) offset *= stride;
  }
  return plan;
}

/// Record i is made of row rows(i).
template <int D, class MemorySpace>
struct PackRecords {
  State<D, MemorySpace> from;
  RowNumbers<MemorySpace> rows;
  RecordColumns columns;
  RecordWords<MemorySpace> words;

  KOKKOS_FUNCTION void operator()(Count i) const {
    std::uint32_t* word = words.data() + i * columns.template words<D>();
    const LocalIndex row = rows(i);
    for (int a = 0; a < D; ++a) word = put(word, from.position(row, a));
    if (columns.velocity)
      for (int a = 0; a < D; ++a) word = put(word, from.velocity(row, a));
    if (columns.size) word = put(word, from.size(row));
    if (columns.tag) *word = from.tag(row);
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t* put(std::uint32_t* word, double value) {
    const auto bits = Kokkos::bit_cast<std::uint64_t>(value);
    word[0] = static_cast<std::uint32_t>(bits);
    word[1] = static_cast<std::uint32_t>(bits >> 32);
    return word + 2;
  }
};

/// Record i becomes row first + rows(i), or first + i without `rows`. `mark` is set in its tag.
/// Columns that a record lacks keep their values.
template <int D, class MemorySpace>
struct UnpackRecords {
  RecordWords<MemorySpace> words;
  RecordColumns columns;
  State<D, MemorySpace> to;
  Count first;
  RowNumbers<MemorySpace> rows;
  Tag mark;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const std::uint32_t* word = words.data() + i * columns.template words<D>();
    const Count row = first + (rows.extent(0) > 0 ? rows(i) : i);
    for (int a = 0; a < D; ++a) word = take(word, to.position(row, a));
    if (columns.velocity)
      for (int a = 0; a < D; ++a) word = take(word, to.velocity(row, a));
    if (columns.size) word = take(word, to.size(row));
    if (columns.tag) to.tag(row) = *word | mark;
  }

 private:
  KOKKOS_FUNCTION static const std::uint32_t* take(const std::uint32_t* word, double& value) {
    value = Kokkos::bit_cast<double>(std::uint64_t{word[1]} << 32 | word[0]);
    return word + 2;
  }
};

}  // namespace copse::collide
