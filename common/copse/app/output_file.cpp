#include <copse/app/output_file.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace copse::app {
namespace {

[[noreturn]] void refuse(std::string_view option, const std::filesystem::path& path,
                         const std::string& why) {
  throw InputError(fmt::format("{} '{}' cannot be written: {}", option, path.string(), why));
}

void remove_quietly(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

}  // namespace

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  return path.string() + fmt::format(".partial-{}", getpid());
}

void require_writable(std::string_view option, const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse(option, path, "it is a directory");
  const auto trial = temporary_name(path);
  errno = 0;
  const bool opened = std::ofstream(trial).is_open();
  const int reason = errno;
  if (!opened) refuse(option, path, std::strerror(reason));
  remove_quietly(trial);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  const auto partial = temporary_name(path);
  errno = 0;
  std::ofstream file(partial, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    const std::string why = errno != 0 ? std::strerror(errno) : "the disk took only a part";
    remove_quietly(partial);
    throw InputError(fmt::format("'{}' cannot be written: {}", path.string(), why));
  }
  std::error_code error;
  std::filesystem::rename(partial, path, error);
  if (error) {
    remove_quietly(partial);
    throw InputError(fmt::format("'{}' cannot be written: {}", path.string(), error.message()));
  }
}

}  // namespace copse::app
