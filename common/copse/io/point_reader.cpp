#include <copse/backend/error.hpp>
#include <copse/io/csv_reader.hpp>
#include <copse/io/point_reader.hpp>
#include <copse/io/snapshot.hpp>
#include <copse/io/tables/array_table.hpp>
#include <copse/io/tables/csv_table.hpp>
#include <copse/io/tables/table_points.hpp>

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

namespace copse::io {

namespace {

enum class Content { npy, idx, text, snapshot, unknown };

struct Detected {
  Content content;
  std::string_view format;  ///< name of the format in messages
};

Detected detect(ByteSource& source) {
  if (probe_npy(source)) return {Content::npy, ".npy"};
  if (probe_idx(source)) return {Content::idx, "IDX"};
  for (const SnapshotFormat& format : formats())
    if (format.probe(source))
      return {format.probe == probe_csv ? Content::text : Content::snapshot, format.name};
  return {Content::unknown, ""};
}

/// \throws InputError if an option does not fit the format
void check_options(const std::string& file, const Detected& detected, int dimension,
                   const PointFileOptions& options) {
  if (detected.content == Content::unknown)
    throw InputError(file + ": the content is neither .npy nor IDX nor text nor a snapshot");
  if (!options.columns.empty() && detected.content != Content::text)
    throw InputError(
        fmt::format("{}: columns can be chosen in a text file, not in {}", file, detected.format));
  if (detected.content == Content::snapshot && (dimension != 3 || options.projection))
    throw InputError(fmt::format(
        "{}: a snapshot of format {} can be read only as 3-D points without a projection", file,
        detected.format));
}

std::unique_ptr<NumberTable> open_table(Content content, std::unique_ptr<ByteSource> source,
                                        const std::string& columns) {
  if (content == Content::npy)
    return std::make_unique<ArrayTable>(open_npy_table(std::move(source)));
  if (content == Content::idx)
    return std::make_unique<ArrayTable>(open_idx_table(std::move(source)));
  return std::make_unique<CsvTable>(std::move(source), columns);
}

}  // namespace

template <int Dim>
Points<Dim, Kokkos::HostSpace> read_points(const std::filesystem::path& path,
                                           const PointFileOptions& options) {
  auto source = std::make_unique<FileSource>(path);
  if (source->size() == 0) throw InputError(source->name() + ": the file is empty");
  const Detected detected = detect(*source);
  check_options(source->name(), detected, Dim, options);
  if constexpr (Dim == 3) {
    const bool plain_text =
        detected.content == Content::text && options.columns.empty() && !options.projection;
    if (plain_text || detected.content == Content::snapshot) {
      ReadOptions reading;
      reading.progress = options.progress;
      return read_snapshot(path, reading).particles.position;
    }
  }
  const auto table = open_table(detected.content, std::move(source), options.columns);
  if (options.projection) return project_table<Dim>(*table, *options.projection, options.progress);
  return points_of_table<Dim>(*table, options.progress);
}

#define COPSE_INSTANTIATE_READ_POINTS(Dim)                                               \
  template Points<Dim, Kokkos::HostSpace> read_points<Dim>(const std::filesystem::path&, \
                                                           const PointFileOptions&);
COPSE_FOR_EACH_DIMENSION(COPSE_INSTANTIATE_READ_POINTS)

}  // namespace copse::io
