#pragma once
/// \file
/// Byte sources for readers: a file, or memory (for tests and fuzzing).

#include <copse/backend/types.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace copse::io {

/// Random access to a fixed number of bytes. Readers never trust a count found in a file: they
/// compare it with `size()` before they allocate or seek.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// The name of this source in messages: the file's path.
  virtual const std::string& name() const = 0;

  /// The path in the file system, for formats that span several files or are read by a library;
  /// empty for bytes in memory.
  virtual std::optional<std::filesystem::path> path() const { return std::nullopt; }

  /// Number of bytes.
  virtual Count size() const = 0;

  /// Fills `out` with the bytes starting at `offset`.
  /// \throws InputError naming the source and the offset if fewer bytes remain.
  virtual void read(Count offset, std::span<std::byte> out) = 0;
};

/// The bytes of a regular file.
class FileSource final : public ByteSource {
 public:
  /// \throws InputError if the file does not exist, is not a regular file or cannot be opened.
  explicit FileSource(const std::filesystem::path& path);
  const std::string& name() const override { return name_; }
  std::optional<std::filesystem::path> path() const override { return name_; }
  Count size() const override { return size_; }
  void read(Count offset, std::span<std::byte> out) override;

 private:
  std::string name_;
  Count size_ = 0;
  std::ifstream file_;
};

/// Bytes in memory, not owned.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::span<const std::byte> bytes)
      : name_(std::move(name)), bytes_(bytes) {}
  const std::string& name() const override { return name_; }
  Count size() const override { return bytes_.size(); }
  void read(Count offset, std::span<std::byte> out) override;

 private:
  std::string name_;
  std::span<const std::byte> bytes_;
};

}  // namespace copse::io
