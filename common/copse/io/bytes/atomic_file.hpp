#pragma once
/// \file
/// Output files that appear complete or not at all.
///
/// All bytes go to a temporary file in the same folder; `commit()` renames it to the target in one
/// atomic step. A program that stops before `commit()` leaves an existing target untouched; an
/// exception also removes the temporary file.

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace copse::io {

/// The temporary name of one output file. Libraries that open files themselves write to it; all
/// other code uses AtomicFile.
class AtomicPath {
 public:
  /// Creates the temporary as an empty file, so that a folder without write permission is reported
  /// before any work is done. A symbolic link is followed, not replaced.
  /// \throws InputError naming `target` if it is not a regular file or cannot be written.
  explicit AtomicPath(const std::filesystem::path& target);
  ~AtomicPath();
  AtomicPath(const AtomicPath&) = delete;
  AtomicPath& operator=(const AtomicPath&) = delete;

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& temporary() const { return temporary_; }

  /// Flushes the temporary to disk and renames it to the target. The file must be closed before.
  /// \throws InputError naming `target` if the disk is full or the rename fails.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

/// A buffered, sequential output file.
class AtomicFile {
 public:
  /// \throws InputError under the same conditions as AtomicPath.
  explicit AtomicFile(const std::filesystem::path& target);

  /// \throws InputError naming the target and the system's reason, such as a full disk.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// Must be the last call. \throws InputError under the same conditions as `write`.
  void commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  // The file is declared last so that it is closed before the temporary is removed.
  AtomicPath path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace copse::io
