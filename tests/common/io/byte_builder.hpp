#pragma once
/// \file
/// Hand-built files for reader tests, assembled number by number, independently of the code that
/// reads or writes the formats.

#include <copse/backend/error.hpp>
#include <copse/io/snapshot_reader.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace copse::test {

/// Appends numbers in one byte order.
class ByteBuilder {
 public:
  explicit ByteBuilder(std::endian order) : order_(order) {}

  template <class T>
  ByteBuilder& put(T value) {
    bytes.resize(bytes.size() + sizeof(T));
    write(bytes.size() - sizeof(T), value);
    return *this;
  }

  /// The characters of `text`, then zeros up to `width` bytes.
  ByteBuilder& put_text(const std::string& text, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
      bytes.push_back(std::byte(i < text.size() ? text[i] : 0));
    return *this;
  }

  /// Overwrites the bytes at `offset`.
  template <class T>
  void write(std::size_t offset, T value) {
    std::byte raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (order_ != std::endian::native) std::reverse(raw, raw + sizeof(T));
    std::copy(raw, raw + sizeof(T), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  }

  std::vector<std::byte> bytes;

 private:
  std::endian order_;
};

inline std::unique_ptr<io::SnapshotReader> open_bytes(const std::vector<std::byte>& bytes) {
  return io::open_snapshot(std::make_unique<io::MemorySource>("memory", bytes));
}

/// Rows [first, first + count) with every column the snapshot has.
inline Particles<Kokkos::HostSpace> read_slice(io::SnapshotReader& reader, Count first,
                                               Count count) {
  auto particles = allocate_particles<Kokkos::HostSpace>(count, reader.info().columns);
  reader.read_rows(first, particles, {});
  return particles;
}

inline Particles<Kokkos::HostSpace> read_all(io::SnapshotReader& reader) {
  return read_slice(reader, 0, reader.info().particles);
}

/// The message with which opening and reading `bytes` fails; empty if it succeeds.
inline std::string refusal(const std::vector<std::byte>& bytes) {
  try {
    read_all(*open_bytes(bytes));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Every proper prefix of a valid file must be rejected with one line that names the file.
inline void require_no_prefix_is_read(const std::vector<std::byte>& bytes) {
  REQUIRE(refusal(bytes).empty());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    // A copy of exact size, so that a sanitizer sees a read beyond its end.
    const std::vector<std::byte> prefix(bytes.begin(),
                                        bytes.begin() + static_cast<std::ptrdiff_t>(length));
    const std::string sentence = refusal(prefix);
    INFO("length " << length << ": " << sentence);
    REQUIRE(sentence.starts_with("memory: "));
    REQUIRE(sentence.find('\n') == std::string::npos);
  }
}

}  // namespace copse::test
