#pragma once
/// \file
/// The interface of every snapshot format, and the table of formats.
///
/// A reader is opened on a ByteSource, describes the contents of the file, and then fills any slice
/// of rows of a particle table. Adding a format takes one pair of files with a `probe` and an
/// `open` and one line in `formats()`.

#include <copse/io/bytes/byte_source.hpp>
#include <copse/particles/particles.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace copse::io {

/// The contents of a snapshot, from its header and its size alone.
struct SnapshotInfo {
  std::string format;                 ///< "tipsy", "gadget2", ...
  std::string detail;                 ///< byte order, version, number of files: for the report
  Count particles = 0;                ///< rows over all species
  std::array<Count, 4> by_species{};  ///< rows per Species, in enum order
  ColumnSet columns;                  ///< which optional columns the file can fill
  std::optional<Box<3>> box;          ///< the domain, if the file declares one
  double time = 0.0;                  ///< time or scale factor as the file states it
};

/// Called occasionally with (rows done, total rows) while rows are read.
using Progress = std::function<void(Count, Count)>;

class SnapshotReader {
 public:
  virtual ~SnapshotReader() = default;
  virtual const SnapshotInfo& info() const = 0;

  /// Fills every allocated column of `into` with rows [first, first + into.size()) of the snapshot,
  /// in file order. Streams through a bounded buffer. Columns that the file lacks must not be
  /// allocated.
  /// \throws InputError on damaged data, with the file and byte offset or record.
  virtual void read_rows(Count first, const Particles<Kokkos::HostSpace>& into,
                         const Progress& progress) = 0;
};

/// One supported format.
struct SnapshotFormat {
  std::string_view name;
  std::string_view description;
  /// True if the content (never the name) identifies this format.
  bool (*probe)(ByteSource&);
  /// \throws InputError if the header is damaged or contradicts the size.
  std::unique_ptr<SnapshotReader> (*open)(std::unique_ptr<ByteSource>);
};

/// All formats, in the order in which they are probed (strong magic numbers first, text last).
std::span<const SnapshotFormat> formats();

/// Detects the format from the content and opens the file.
/// \throws InputError if the file cannot be opened, no format fits, or its header is damaged.
std::unique_ptr<SnapshotReader> open_snapshot(const std::filesystem::path& path);
std::unique_ptr<SnapshotReader> open_snapshot(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
