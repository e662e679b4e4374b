#include <copse/io/bytes/crc64.hpp>

#include <array>

namespace copse::io {

namespace {

constexpr std::array<std::uint64_t, 256> make_table() {
  constexpr std::uint64_t reflected_polynomial = 0xC96C5795D7870F42;
  std::array<std::uint64_t, 256> table{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? reflected_polynomial : 0);
    table[byte] = remainder;
  }
  return table;
}

constexpr std::array<std::uint64_t, 256> remainders = make_table();

}  // namespace

void Crc64::add(std::span<const std::byte> bytes) {
  std::uint64_t state = state_;
  for (const std::byte b : bytes)
    state = remainders[(state ^ static_cast<std::uint64_t>(b)) & 0xFF] ^ (state >> 8);
  state_ = state;
}

}  // namespace copse::io
