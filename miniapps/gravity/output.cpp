#include "output.hpp"

#include <copse/backend/error.hpp>
#include <copse/config.hpp>
#include <copse/io/bytes/append_text.hpp>
#include <copse/io/bytes/atomic_file.hpp>
#include <copse/io/hdf5/hdf5_file.hpp>

#include <fmt/format.h>

#include <vector>

namespace copse::gravity {
namespace {

/// Lines are handed to the file in blocks of about this size.
constexpr std::size_t block_bytes = std::size_t{1} << 20;

template <class Value>
void write_lines(io::AtomicFile& file, Count n, const Value& value) {
  std::string block;
  for (Count i = 0; i < n; ++i) {
    io::append_text(block, "{}\n", value(i));
    if (block.size() < block_bytes && i + 1 < n) continue;
    file.write(block);
    block.clear();
  }
}

void write_tipsy_arrays(const std::filesystem::path& stem,
                        const GravityFields<Kokkos::HostSpace>& fields) {
  const Count n = fields.potential.extent(0);
  io::AtomicFile acceleration(with_ending(stem, ".acc"));
  io::AtomicFile potential(with_ending(stem, ".pot"));
  for (io::AtomicFile* file : {&acceleration, &potential}) file->write(fmt::format("{}\n", n));
  for (int a = 0; a < 3; ++a)
    write_lines(acceleration, n, [&](Count i) { return fields.acceleration(i, a); });
  write_lines(potential, n, [&](Count i) { return fields.potential(i); });
  acceleration.commit();
  potential.commit();
}

void write_hdf5(const std::filesystem::path& path, const Request& request,
                const Solution& solution) {
  const auto& [bodies, fields] = *solution.output;
  io::Hdf5Writer file(path);
  file.attribute("/", "copse_version", COPSE_VERSION);
  file.attribute("/", "particles", bodies.size());
  file.attribute("/", "method", solution.method);
  file.attribute("/", "bucket_size", solution.bucket_size);
  file.attribute("/", "tree", request.tree);
  file.attribute("/", "order", request.order);
  file.attribute("/", "theta", request.theta);
  file.attribute("/", "mac", request.mac);
  if (request.is_relative()) file.attribute("/", "alpha", request.alpha);
  if (request.inclusion_kind != Inclusion::none)
    file.attribute("/", "inclusion", request.inclusion);
  file.attribute("/", "periodic_side", solution.side);
  file.attribute("/", "softening", request.softening);
  file.attribute("/", "softening_kernel", request.softening_kernel);
  file.attribute("/", "G", request.g);
  const auto write = [&](const char* name, const auto& values, const char* unit,
                         const char* meaning) {
    file.write(name, values);
    file.describe(name, unit, meaning);
  };
  write("position", bodies.position, "length",
        "positions of the bodies, in the order of the input");
  write("mass", bodies.mass, "mass", "masses of the bodies");
  if (request.needs_lengths())
    write("softening", bodies.softening, "length", "softening lengths of the bodies");
  write("acceleration", fields.acceleration, "unit of G * mass / length^2",
        "gravitational acceleration of the bodies");
  write("potential", fields.potential, "unit of G * mass / length",
        "gravitational potential at the bodies, without their own");
  file.commit();
}

}  // namespace

std::filesystem::path with_ending(std::filesystem::path stem, const std::string& ending) {
  return stem += ending;
}

bool names_hdf5(const std::filesystem::path& path) {
  return path.extension() == ".h5" || path.extension() == ".hdf5";
}

void check_output(const std::filesystem::path& path, const Request& request) {
  std::vector<std::filesystem::path> files{path};
  if (request.steps > 0)
    files = {with_ending(path, restart_ending)};
  else if (!names_hdf5(path))
    files = {with_ending(path, ".acc"), with_ending(path, ".pot")};
  for (const auto& file : files) {
    try {
      const io::AtomicPath trial(file);
    } catch (const InputError& error) {
      throw InputError(fmt::format("--output: {}", error.what()));
    }
  }
}

void write_fields(const std::filesystem::path& path, const Request& request,
                  const Solution& solution) {
  if (names_hdf5(path)) return write_hdf5(path, request, solution);
  write_tipsy_arrays(path, solution.output->fields);
}

}  // namespace copse::gravity
