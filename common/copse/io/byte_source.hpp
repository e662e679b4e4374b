#pragma once
/// \file
/// Where a reader gets its bytes: a file, or memory (for tests and fuzzing).

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

  /// What to call this source in a message: the file's path.
  virtual const std::string& name() const = 0;

  /// Where the bytes lie in the file system, for formats that span several files or are read by a
  /// library of their own; empty for bytes in memory.
  virtual std::optional<std::filesystem::path> path() const { return std::nullopt; }

  /// Number of bytes.
  virtual Count size() const = 0;

  /// Fills `out` with the bytes from `offset` on.
  /// \throws InputError naming the source and the offset if fewer bytes than that remain.
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
