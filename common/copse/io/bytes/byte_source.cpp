#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_source.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace copse::io {

namespace {

void require_range(const ByteSource& source, Count offset, Count bytes) {
  const Count size = source.size();
  if (offset <= size && bytes <= size - offset) return;
  throw InputError(
      fmt::format("{}: {} bytes are needed from byte {} on, but the file ends at byte {}",
                  source.name(), bytes, offset, size));
}

}  // namespace

FileSource::FileSource(const std::filesystem::path& path) : name_(path.string()) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw InputError(name_ + ": no such file");
  if (status.type() != std::filesystem::file_type::regular)
    throw InputError(name_ + ": not a regular file");
  size_ = std::filesystem::file_size(path, error);
  if (!error) file_.open(path, std::ios::binary);
  if (error || !file_) throw InputError(name_ + ": cannot be opened for reading");
}

void FileSource::read(Count offset, std::span<std::byte> out) {
  require_range(*this, offset, out.size());
  if (out.empty()) return;
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(offset));
  file_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  if (!file_)
    throw InputError(
        fmt::format("{}: reading {} bytes from byte {} on failed", name_, out.size(), offset));
}

void MemorySource::read(Count offset, std::span<std::byte> out) {
  require_range(*this, offset, out.size());
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
}

}  // namespace copse::io
