#include "output.hpp"

#include <copse/config.hpp>
#include <copse/io/bytes/append_text.hpp>
#include <copse/io/bytes/atomic_file.hpp>
#include <copse/io/hdf5/hdf5_file.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace copse::fof {
namespace {

/// Edges converted at a time.
constexpr Count edges_at_once = Count{1} << 16;

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
  for (Count first = 0; first < edges.size(); first += edges_at_once) {
    const auto part = edges.subspan(first, std::min<Count>(edges_at_once, edges.size() - first));
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
  std::string lines = "a,b,length\n";
  for (const TreeEdge& edge : edges) {
    io::append_text(lines, "{},{},{}\n", edge.a, edge.b, std::sqrt(edge.distance2));
    if (lines.size() < edges_at_once) continue;
    file.write(lines);
    lines.clear();
  }
  file.write(lines);
  file.commit();
}

std::vector<DendrogramRow> dendrogram_rows(const Dendrogram& dendrogram) {
  const std::vector<MergeEvent> events = merge_events(dendrogram);
  const bool alone = dendrogram.particles > 0;
  std::vector<DendrogramRow> rows{
      {0.0,
       {dendrogram.particles, dendrogram.min_members <= 1 ? dendrogram.particles : 0,
        alone ? Count{1} : Count{0}}}};
  for (const MergeEvent& event : events) {
    const DendrogramRow row{std::sqrt(static_cast<double>(event.distance2)), event.after};
    if (event.distance2 == 0) {
      // Particles at the same position are friends for every linking length: they belong to the
      // first step.
      rows.back() = row;
      continue;
    }
    const bool last = &event == &events.back();
    if (last || event.after.groups != rows.back().counts.groups) rows.push_back(row);
  }
  return rows;
}

void write_dendrogram_csv(const std::filesystem::path& path, const std::vector<DendrogramRow>& rows,
                          const DendrogramScale& scale) {
  const bool relative = scale.mean_separation > 0.0;
  std::string text;
  io::append_text(text, "length,{}groups,components,largest\n", relative ? "b," : "");
  for (const DendrogramRow& row : rows) {
    io::append_text(text, "{},", row.length);
    if (relative) io::append_text(text, "{},", row.length / scale.mean_separation);
    io::append_text(text, "{},{},{}\n", row.counts.groups, row.counts.components,
                    row.counts.largest);
  }
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

void write_dendrogram_json(const std::filesystem::path& path,
                           const std::vector<DendrogramRow>& rows, const DendrogramScale& scale) {
  std::vector<double> length, b;
  std::vector<Count> groups, components, largest;
  for (const DendrogramRow& row : rows) {
    length.push_back(row.length);
    b.push_back(row.length / scale.mean_separation);
    groups.push_back(row.counts.groups);
    components.push_back(row.counts.components);
    largest.push_back(row.counts.largest);
  }
  nlohmann::json document{{"particles", scale.particles},
                          {"min_members", scale.min_members},
                          {"mean_separation", scale.mean_separation},
                          {"velocity_factor", scale.velocity_factor},
                          {"length", length},
                          {"groups", groups},
                          {"components", components},
                          {"largest", largest}};
  if (scale.mean_separation > 0.0) document["b"] = b;
  io::AtomicFile file(path);
  file.write(document.dump(1) + '\n');
  file.commit();
}

}  // namespace copse::fof
