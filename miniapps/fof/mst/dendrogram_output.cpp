#include "dendrogram_output.hpp"

#include <copse/io/atomic_file.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <iterator>
#include <string_view>

namespace copse::fof {

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
      // Friends at one place are friends for every linking length: this is how it begins.
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
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "length,{}groups,components,largest\n", relative ? "b," : "");
  for (const DendrogramRow& row : rows) {
    fmt::format_to(out, "{},", row.length);
    if (relative) fmt::format_to(out, "{},", row.length / scale.mean_separation);
    fmt::format_to(out, "{},{},{}\n", row.counts.groups, row.counts.components, row.counts.largest);
  }
  io::AtomicFile file(path);
  file.write(std::string_view(text.data(), text.size()));
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
