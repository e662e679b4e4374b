#pragma once
/// \file
/// A type-erased 1-D or 2-D array of numbers in host memory, in any layout, as input of writers.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace copse::io {

/// The numbers a file can hold.
enum class NumberType : std::uint8_t {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64
};

/// The NumberType of T; bool and enumerations map to the integer type that stores them.
template <class T>
constexpr NumberType number_type() {
  if constexpr (std::is_enum_v<T>) {
    return number_type<std::underlying_type_t<T>>();
  } else if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "only float and double");
    return sizeof(T) == 4 ? NumberType::float32 : NumberType::float64;
  } else {
    static_assert(std::is_integral_v<T>, "numbers only");
    constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<NumberType>((std::is_signed_v<T> ? 0 : 4) + log2_size);
  }
}

/// Bytes of one number.
constexpr std::size_t bytes_of(NumberType type) {
  switch (type) {
    case NumberType::float32:
      return 4;
    case NumberType::float64:
      return 8;
    default:
      return std::size_t{1} << (static_cast<int>(type) % 4);
  }
}

/// A rows x columns array, not owned. Element (i, j) is at `data` plus `i * row_stride + j *
/// column_stride` elements.
struct HostTable {
  NumberType type = NumberType::float32;
  const void* data = nullptr;
  Count rows = 0;
  Count columns = 1;
  int rank = 1;  ///< 1: a plain list (columns is 1), 2: a table
  std::size_t row_stride = 1;
  std::size_t column_stride = 0;

  /// Copies rows [first, first + count) to `out` without gaps. `out.size()` must be `count *
  /// columns * bytes_of(type)`.
  void pack_rows(Count first, Count count, std::span<std::byte> out) const;
};

/// The HostTable of a View of rank 1 or 2 in any layout.
template <class T, class... P>
HostTable table_of(const Kokkos::View<T, P...>& view) {
  using View = Kokkos::View<T, P...>;
  static_assert(View::rank() == 1 || View::rank() == 2, "writers take lists and tables");
  static_assert(
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible,
      "writers read host memory; copy the View there first");
  HostTable table{number_type<typename View::non_const_value_type>(), view.data(), view.extent(0)};
  table.row_stride = view.stride(0);
  if constexpr (View::rank() == 2) {
    table.rank = 2;
    table.columns = view.extent(1);
    table.column_stride = view.stride(1);
  }
  return table;
}

/// The HostTable of a contiguous list.
template <class T, std::size_t Extent>
HostTable table_of(std::span<T, Extent> list) {
  return {number_type<std::remove_const_t<T>>(), list.data(), list.size()};
}

}  // namespace copse::io
