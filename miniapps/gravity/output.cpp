#include "output.hpp"

#include <copse/io/bytes/atomic_file.hpp>

#include <fmt/format.h>

#include <iterator>

namespace copse::gravity {
namespace {

/// Lines are handed to the file in blocks of about this size.
constexpr std::size_t block_bytes = std::size_t{1} << 20;

template <class Value>
void write_lines(io::AtomicFile& file, Count n, const Value& value) {
  std::string block;
  for (Count i = 0; i < n; ++i) {
    fmt::format_to(std::back_inserter(block), "{}\n", value(i));
    if (block.size() < block_bytes && i + 1 < n) continue;
    file.write(block);
    block.clear();
  }
}

}  // namespace

void write_fields(const std::filesystem::path& stem,
                  const GravityFields<Kokkos::HostSpace>& fields) {
  const auto named = [&](const char* ending) {
    std::filesystem::path path = stem;
    return path += ending;
  };
  const Count n = fields.potential.extent(0);
  io::AtomicFile acceleration(named(".acc"));
  io::AtomicFile potential(named(".pot"));
  for (io::AtomicFile* file : {&acceleration, &potential}) file->write(fmt::format("{}\n", n));
  for (int a = 0; a < 3; ++a)
    write_lines(acceleration, n, [&](Count i) { return fields.acceleration(i, a); });
  write_lines(potential, n, [&](Count i) { return fields.potential(i); });
  acceleration.commit();
  potential.commit();
}

}  // namespace copse::gravity
