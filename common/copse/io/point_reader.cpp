#include <copse/backend/error.hpp>
#include <copse/io/csv_reader.hpp>
#include <copse/io/csv_table.hpp>
#include <copse/io/idx_table.hpp>
#include <copse/io/npy_table.hpp>
#include <copse/io/point_reader.hpp>
#include <copse/io/snapshot.hpp>
#include <copse/io/table_points.hpp>

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace copse::io {

namespace {

/// The snapshot format of the content; null if it is of none.
const SnapshotFormat* snapshot_format(ByteSource& source) {
  for (const SnapshotFormat& format : formats())
    if (format.probe(source)) return &format;
  return nullptr;
}

/// The file as a table; null if it is of another kind.
std::unique_ptr<NumberTable> open_table(std::unique_ptr<ByteSource> source,
                                        const PointFileOptions& options) {
  const bool npy = probe_npy(*source);
  if (npy || probe_idx(*source)) {
    if (!options.columns.empty())
      throw InputError(fmt::format("{}: columns can be chosen of a text file, not of {}",
                                   source->name(), npy ? ".npy" : "IDX"));
    if (npy) return std::make_unique<NpyTable>(std::move(source));
    return std::make_unique<IdxTable>(std::move(source));
  }
  const SnapshotFormat* const format = snapshot_format(*source);
  if (format == nullptr || format->probe != probe_csv) return nullptr;
  return std::make_unique<CsvTable>(std::move(source), options.columns);
}

template <int Dim>
Points<Dim, Kokkos::HostSpace> points_of_any_table(NumberTable& table,
                                                   const PointFileOptions& options) {
  if (options.projection) return project_table<Dim>(table, *options.projection, options.progress);
  return points_of_table<Dim>(table, options.progress);
}

/// Whether the file is to be read as particles: any snapshot, but for text of chosen columns.
bool reads_as_particles(ByteSource& source, const PointFileOptions& options) {
  if (!options.columns.empty() || options.projection || probe_npy(source) || probe_idx(source))
    return false;
  return snapshot_format(source) != nullptr;
}

}  // namespace

template <int Dim>
Points<Dim, Kokkos::HostSpace> read_points(const std::filesystem::path& path,
                                           const PointFileOptions& options) {
  auto source = std::make_unique<FileSource>(path);
  const std::string name = source->name();
  if (source->size() == 0) throw InputError(name + ": the file is empty");
  if constexpr (Dim == 3) {
    if (reads_as_particles(*source, options)) {
      ReadOptions reading;
      reading.progress = options.progress;
      return read_snapshot(path, reading).particles.position;
    }
  }
  const SnapshotFormat* const snapshot = snapshot_format(*source);
  const auto table = open_table(std::move(source), options);
  if (table) return points_of_any_table<Dim>(*table, options);
  if (snapshot == nullptr)
    throw InputError(name + ": the content is neither .npy nor IDX nor text nor a snapshot");
  throw InputError(
      fmt::format("{}: a snapshot of format {} is read as 3-D points, without a choice "
                  "of columns and without a projection",
                  name, snapshot->name));
}

template <int Dim>
Points<Dim, Kokkos::HostSpace> read_csv_points(const std::filesystem::path& path,
                                               const std::string& columns) {
  CsvTable table(std::make_unique<FileSource>(path), columns);
  return points_of_table<Dim>(table, {});
}

template <int Dim>
Points<Dim, Kokkos::HostSpace> read_idx_projected(const std::filesystem::path& path,
                                                  const ProjectionOptions& projection) {
  IdxTable table(std::make_unique<FileSource>(path));
  return project_table<Dim>(table, projection, {});
}

#define COPSE_INSTANTIATE_READ_POINTS(Dim)                                                      \
  template Points<Dim, Kokkos::HostSpace> read_points<Dim>(const std::filesystem::path&,        \
                                                           const PointFileOptions&);            \
  template Points<Dim, Kokkos::HostSpace> read_csv_points<Dim>(const std::filesystem::path&,    \
                                                               const std::string&);             \
  template Points<Dim, Kokkos::HostSpace> read_idx_projected<Dim>(const std::filesystem::path&, \
                                                                  const ProjectionOptions&);
COPSE_FOR_EACH_DIMENSION(COPSE_INSTANTIATE_READ_POINTS)

}  // namespace copse::io
