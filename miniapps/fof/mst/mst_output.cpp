#include "mst_output.hpp"

#include <copse/config.hpp>
#include <copse/io/atomic_file.hpp>
#include <copse/io/hdf5_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace copse::fof {
namespace {

/// Edges that are converted at a time.
constexpr Count chunk = Count{1} << 16;

}  // namespace

void write_mst_hdf5(const std::filesystem::path& path, std::span<const TreeEdge> edges,
                    Count particles, Real velocity_factor) {
  using Host = Kokkos::HostSpace;
  io::Hdf5Writer file(path);
  file.attribute("/", "copse_version", COPSE_VERSION);
  file.attribute("/", "particles", particles);
  file.attribute("/", "velocity_factor", velocity_factor);
  file.create<LocalIndex>("edges", edges.size(), 2);
  file.create<Real>("length", edges.size());
  file.create<Real>("distance2", edges.size());
  for (Count first = 0; first < edges.size(); first += chunk) {
    const auto part = edges.subspan(first, std::min<Count>(chunk, edges.size() - first));
    Kokkos::View<LocalIndex* [2], Kokkos::LayoutRight, Host> ends("copse::fof::output::edges",
                                                                  part.size());
    Kokkos::View<Real*, Host> length("copse::fof::output::length", part.size());
    Kokkos::View<Real*, Host> distance2("copse::fof::output::distance2", part.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
      ends(i, 0) = part[i].a;
      ends(i, 1) = part[i].b;
      length(i) = std::sqrt(part[i].distance2);
      distance2(i) = part[i].distance2;
    }
    file.write_rows("edges", first, ends);
    file.write_rows("length", first, length);
    file.write_rows("distance2", first, distance2);
  }
  file.commit();
}

void write_mst_csv(const std::filesystem::path& path, std::span<const TreeEdge> edges) {
  io::AtomicFile file(path);
  fmt::memory_buffer lines;
  fmt::format_to(std::back_inserter(lines), "a,b,length\n");
  for (const TreeEdge& edge : edges) {
    fmt::format_to(std::back_inserter(lines), "{},{},{}\n", edge.a, edge.b,
                   std::sqrt(edge.distance2));
    if (lines.size() < chunk) continue;
    file.write(std::string_view(lines.data(), lines.size()));
    lines.clear();
  }
  file.write(std::string_view(lines.data(), lines.size()));
  file.commit();
}

}  // namespace copse::fof
