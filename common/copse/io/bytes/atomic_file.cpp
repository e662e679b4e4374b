#include <copse/backend/error.hpp>
#include <copse/io/bytes/atomic_file.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <random>
#include <system_error>
#include <unistd.h>

namespace copse::io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

[[noreturn]] void refuse(const fs::path& target, int error) {
  throw InputError(fmt::format("{}: cannot be written: {}", target.string(),
                               std::generic_category().message(error)));
}

/// The path that writing to `target` reaches. Devices and pipes are refused: a rename would replace
/// them.
fs::path resolve(const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw InputError(target.string() + ": cannot be written: not a regular file");
  if (target.filename().empty())
    throw InputError(target.string() + ": cannot be written: not the name of a file");
  if (!fs::exists(status)) {
    if (status.type() != fs::file_type::not_found ||
        !fs::is_symlink(fs::symlink_status(target, error)))
      return target;
    const fs::path to = fs::read_symlink(target, error);  // of a file that does not exist yet
    return error ? target : resolve(to.is_absolute() ? to : target.parent_path() / to);
  }
  const fs::path resolved = fs::canonical(target, error);
  return error ? target : resolved;
}

/// Closes the file descriptor on destruction.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

AtomicPath::AtomicPath(const fs::path& target) : target_(resolve(target)) {
  // The name is random because ranks on several hosts may share a folder and a process id.
  std::random_device random;
  for (int attempt = 0; attempt < 16; ++attempt) {
    temporary_ = target_;
    temporary_ += fmt::format(".partial-{:08x}", random());
    const Descriptor file{
        ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666)};
    if (file.number >= 0) return;
    if (errno != EEXIST) break;
  }
  refuse(target_, errno);
}

AtomicPath::~AtomicPath() {
  if (committed_) return;
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

void AtomicPath::commit() {
  {
    const Descriptor file{::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC)};
    if (file.number < 0 || ::fsync(file.number) != 0) refuse(target_, errno);
  }
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) refuse(target_, error.value());
  committed_ = true;
}

AtomicFile::AtomicFile(const fs::path& target)
    : path_(target), file_(std::fopen(path_.temporary().c_str(), "wb")) {
  if (!file_) refuse(path_.target(), errno);
  std::setvbuf(file_.get(), nullptr, _IOFBF, buffer_bytes);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    refuse(path_.target(), errno);
}

void AtomicFile::commit() {
  if (std::fclose(file_.release()) != 0) refuse(path_.target(), errno);
  path_.commit();
}

}  // namespace copse::io
