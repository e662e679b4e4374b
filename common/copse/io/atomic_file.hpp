#pragma once
/// \file
/// Output files that appear whole or not at all.
///
/// Everything is written to a temporary name in the same folder, which `commit()` renames to the
/// wanted one in one step of the file system. A program that stops before that leaves the old file,
/// if there was one, untouched; an exception also removes the temporary.

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace copse::io {

/// The temporary name of one output file. For libraries that open files themselves; everyone else
/// uses AtomicFile.
class AtomicPath {
 public:
  /// Creates the temporary as an empty file, so that a folder one cannot write to is known before
  /// any work is done. A symbolic link is followed, not replaced.
  /// \throws InputError naming `target` if it is not a regular file or cannot be written.
  explicit AtomicPath(const std::filesystem::path& target);
  ~AtomicPath();
  AtomicPath(const AtomicPath&) = delete;
  AtomicPath& operator=(const AtomicPath&) = delete;

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& temporary() const { return temporary_; }

  /// Forces the temporary to the disk and gives it the wanted name. It must not be open for writing
  /// any more.
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
  /// \throws InputError as AtomicPath.
  explicit AtomicFile(const std::filesystem::path& target);

  /// \throws InputError naming the target and the system's reason, such as a full disk.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// Must be the last call. \throws InputError as `write`.
  void commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  // The file is declared last: it must be closed before the temporary is removed.
  AtomicPath path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace copse::io
