#include <copse/backend/error.hpp>
#include <copse/io/hdf5/run_options.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <sstream>
#include <vector>

namespace copse::io {

void write_run_options(Hdf5Writer& file, const std::string& options) {
  const std::vector<std::uint8_t> bytes(options.begin(), options.end());
  file.write("options", table_of(std::span(bytes)));
}

void require_run_options(const Hdf5Reader& in, const std::string& file,
                         const std::string& options) {
  const auto bytes = in.read<std::uint8_t>("options");
  const std::string written(bytes.begin(), bytes.end());
  if (written == options) return;
  std::istringstream before(written), now(options);
  std::string a, b;
  while (std::getline(now, b) && std::getline(before, a) && a == b) {
  }
  throw InputError(fmt::format("--restart {} was written by a run with '{}', but this one has '{}'",
                               file, a, b));
}

}  // namespace copse::io
