#pragma once
/// \file
/// Numbers in a file's byte order.

#include <copse/io/bytes/byte_source.hpp>

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace copse::io {

/// Reads a T from the bytes at `bytes`, stored in byte order `order`. The address needs no
/// alignment.
template <class T>
T load(const std::byte* bytes, std::endian order) {
  static_assert(std::is_arithmetic_v<T>);
  std::array<std::byte, sizeof(T)> native;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    native[i] = bytes[order == std::endian::native ? i : sizeof(T) - 1 - i];
  T value;
  std::memcpy(&value, native.data(), sizeof(T));
  return value;
}

/// Writes `value` to `bytes` in byte order `order`; the inverse of `load`.
template <class T>
void store(T value, std::byte* bytes, std::endian order) {
  static_assert(std::is_arithmetic_v<T>);
  std::array<std::byte, sizeof(T)> native;
  std::memcpy(native.data(), &value, sizeof(T));
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[order == std::endian::native ? i : sizeof(T) - 1 - i] = native[i];
}

/// Reads the number at byte `offset` of the source.
/// \throws InputError if the source ends before it.
template <class T>
T read_number(ByteSource& source, Count offset, std::endian order) {
  std::array<std::byte, sizeof(T)> bytes;
  source.read(offset, bytes);
  return load<T>(bytes.data(), order);
}

/// "little-endian" or "big-endian".
constexpr const char* byte_order_name(std::endian order) {
  return order == std::endian::little ? "little-endian" : "big-endian";
}

}  // namespace copse::io
