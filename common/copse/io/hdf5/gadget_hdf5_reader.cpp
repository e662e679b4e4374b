#include <copse/backend/error.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/hdf5/gadget_hdf5.hpp>
#include <copse/io/hdf5/hdf5_input.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace copse::io {

namespace {

constexpr std::size_t max_types = 16;
constexpr NumberType real = number_type<Real>();

/// The rows of one particle type in one file; they are consecutive.
struct Segment {
  Count file = 0;
  int type = 0;
  RowRange rows;
  Real table_mass = 0;       ///< mass of each particle; 0: see mass_dataset
  std::string mass_dataset;  ///< "Masses", "Mass", or empty if there is none
};

std::string dataset_name(int type, std::string_view quantity) {
  return fmt::format("PartType{}/{}", type, quantity);
}

/// Splits "snap.3.hdf5" into "snap." and ".hdf5"; empty if the name has no number.
std::optional<std::pair<std::string, std::string>> split_numbered(const std::string& path) {
  const std::size_t extension = path.rfind('.');
  if (extension == std::string::npos || extension == 0) return std::nullopt;
  std::size_t digits = extension;
  while (digits > 0 && path[digits - 1] >= '0' && path[digits - 1] <= '9') --digits;
  if (digits == extension || digits == 0 || path[digits - 1] != '.') return std::nullopt;
  return std::pair{path.substr(0, digits), path.substr(extension)};
}

class GadgetHdf5Reader final : public SnapshotReader {
 public:
  explicit GadgetHdf5Reader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    file_.emplace(*source_);
    require_header();
    read_header();
    find_files();
    info_.columns = {
        .velocity = true, .mass = true, .id = true, .species = true, .softening = true};
    for (Count f = 0; f < file_count_; ++f) add_file(f);
    check_totals();
    info_.format = "gadget-hdf5";
    info_.detail = fmt::format("{} file{}", file_count_, file_count_ == 1 ? "" : "s");
  }

  const SnapshotInfo& info() const override { return info_; }

  void read_rows(Count first, const Particles<Kokkos::HostSpace>& into,
                 const Progress& progress) override {
    const RowRange wanted{first, first + into.size()};
    for (const Segment& segment : segments_) {
      const RowRange range = intersect(wanted, segment.rows);
      if (range.size() == 0) continue;
      open_file(segment.file);
      read_segment(segment, range, range.begin - first, into, progress);
    }
  }

 private:
  const std::string& name() const { return source_->name(); }

  void require_header() const {
    if (!file_->has("Header"))
      throw InputError(
          source_->name() +
          ": the HDF5 file has no group /Header, so it is not a GADGET-style snapshot");
  }

  std::vector<Count> particle_counts(const char* attribute, bool required) const {
    std::optional<std::vector<Count>> counts = file_->counts("Header", attribute);
    if (!counts && required)
      throw InputError(fmt::format("{}: group Header lacks the attribute {}", name(), attribute));
    if (counts && counts->size() > max_types)
      throw InputError(fmt::format("{}: attribute {} of Header has {} particle types, more than {}",
                                   name(), attribute, counts->size(), max_types));
    return counts.value_or(std::vector<Count>{});
  }

  void read_header() {
    mass_table_ = file_->numbers("Header", "MassTable").value_or(std::vector<double>{});
    totals_ = particle_counts("NumPart_Total", false);
    const std::vector<Count> high = particle_counts("NumPart_Total_HighWord", false);
    for (std::size_t t = 0; t < std::min(totals_.size(), high.size()); ++t)
      totals_[t] += high[t] << 32;
    file_count_ = file_->counts("Header", "NumFilesPerSnapshot").value_or(std::vector<Count>{1})[0];
    if (file_count_ == 0) file_count_ = 1;
    info_.time = file_->numbers("Header", "Time").value_or(std::vector<double>{0.0})[0];
    info_.box = read_box();
  }

  std::optional<Box<3>> read_box() const {
    Box<3> box;
    const auto size = file_->numbers("Header", "BoxSize");
    if (!size) return std::nullopt;
    if (size->size() != 1 && size->size() != 3)
      throw InputError(fmt::format("{}: attribute BoxSize of Header has {} numbers, not 1 or 3",
                                   name(), size->size()));
    for (std::size_t a = 0; a < 3; ++a) {
      const double edge = (*size)[size->size() == 3 ? a : 0];
      if (!std::isfinite(edge) || edge < 0.0)
        throw InputError(fmt::format("{}: attribute BoxSize of Header is {}", name(), edge));
      if (edge == 0.0) return std::nullopt;
      box.upper[a] = static_cast<Real>(edge);
      box.periodic[a] = true;
    }
    return box;
  }

  void find_files() {
    if (file_count_ == 1) return;
    const std::optional<std::filesystem::path> path = source_->path();
    name_parts_ = path ? split_numbered(path->string()) : std::nullopt;
    if (!name_parts_)
      throw InputError(
          fmt::format("{}: the header says that the snapshot has {} files, but the "
                      "name is not of the form NAME.0.hdf5",
                      name(), file_count_));
    open_file_ = file_count_;  // The name does not tell which file is open.
  }

  void open_file(Count f) {
    if (f == open_file_) return;
    file_.reset();
    source_ = std::make_unique<FileSource>(
        fmt::format("{}{}{}", name_parts_->first, f, name_parts_->second));
    file_.emplace(*source_);
    require_header();
    open_file_ = f;
  }

  void add_file(Count f) {
    open_file(f);
    const std::vector<Count> counts = particle_counts("NumPart_ThisFile", true);
    for (std::size_t t = 0; t < counts.size(); ++t)
      if (counts[t] > 0) add_segment(f, static_cast<int>(t), counts[t]);
  }

  void add_segment(Count f, int type, Count count) {
    using Kind = Hdf5Input::Kind;
    Segment segment{f, type, {info_.particles, info_.particles + count}, 0, ""};
    require_rows(type, "Coordinates", Kind::floating_point, 3, count);
    const auto optional_column = [&](std::string_view quantity, Kind kind, Count columns) {
      const bool present = file_->has(dataset_name(type, quantity));
      if (present) require_rows(type, quantity, kind, columns, count);
      return present;
    };
    ColumnSet& columns = info_.columns;
    columns.velocity &= optional_column("Velocities", Kind::floating_point, 3);
    columns.id &= optional_column("ParticleIDs", Kind::integer, 1);
    columns.softening &= optional_column("Softenings", Kind::floating_point, 1);
    const auto t = static_cast<std::size_t>(type);
    if (t < mass_table_.size() && mass_table_[t] != 0.0)
      segment.table_mass = static_cast<Real>(mass_table_[t]);
    else if (optional_column("Masses", Kind::floating_point, 1))
      segment.mass_dataset = "Masses";
    else if (optional_column("Mass", Kind::floating_point, 1))
      segment.mass_dataset = "Mass";
    else
      columns.mass = false;
    info_.particles += count;
    info_.by_species[static_cast<std::size_t>(species_of_gadget_type(type))] += count;
    segments_.push_back(std::move(segment));
  }

  void require_rows(int type, std::string_view quantity, Hdf5Input::Kind kind, Count columns,
                    Count count) const {
    const std::string dataset = dataset_name(type, quantity);
    const Count rows = file_->open(dataset, kind, columns).rows();
    if (rows != count)
      throw InputError(
          fmt::format("{}: dataset {} has {} rows, but NumPart_ThisFile of Header says "
                      "{} particles",
                      name(), dataset, rows, count));
  }

  void check_totals() const {
    if (totals_.empty()) return;
    std::vector<Count> found(max_types, 0);
    for (const Segment& s : segments_) found[static_cast<std::size_t>(s.type)] += s.rows.size();
    for (std::size_t t = 0; t < max_types; ++t) {
      const Count total = t < totals_.size() ? totals_[t] : 0;
      if (found[t] != total)
        throw InputError(
            fmt::format("{}: NumPart_Total of Header says {} particles of type {}, but "
                        "the {} file{} hold {}",
                        name(), total, t, file_count_, file_count_ == 1 ? "" : "s", found[t]));
    }
  }

  void read_segment(const Segment& segment, RowRange range, Count row0,
                    const Particles<Kokkos::HostSpace>& into, const Progress& progress) const {
    const Count first = range.begin - segment.rows.begin;
    const Count n = range.size();
    const auto open = [&](std::string_view quantity, Hdf5Input::Kind kind, Count columns) {
      return file_->open(dataset_name(segment.type, quantity), kind, columns);
    };
    constexpr auto floating_point = Hdf5Input::Kind::floating_point;
    if (into.velocity.extent(0) > 0)
      read_vectors(open("Velocities", floating_point, 3), first, n, row0, into.velocity, {}, 0);
    if (into.mass.extent(0) > 0) {
      if (segment.mass_dataset.empty())
        std::fill_n(into.mass.data() + row0, n, segment.table_mass);
      else
        open(segment.mass_dataset, floating_point, 1)
            .read_rows(first, n, real, into.mass.data() + row0);
    }
    if (into.id.extent(0) > 0)
      open("ParticleIDs", Hdf5Input::Kind::integer, 1)
          .read_rows(first, n, NumberType::uint64, into.id.data() + row0);
    if (into.softening.extent(0) > 0)
      open("Softenings", floating_point, 1).read_rows(first, n, real, into.softening.data() + row0);
    if (into.species.extent(0) > 0)
      std::fill_n(into.species.data() + row0, n, species_of_gadget_type(segment.type));
    read_vectors(open("Coordinates", floating_point, 3), first, n, row0, into.position, progress,
                 into.size());
  }

  /// Reads rows of three numbers into three columns through a bounded buffer.
  static void read_vectors(const Hdf5Dataset& dataset, Count first, Count n, Count row0,
                           const Points<3, Kokkos::HostSpace>& into, const Progress& progress,
                           Count total) {
    constexpr Count per_chunk = stream_buffer_bytes / (3 * sizeof(Real));
    std::vector<Real> buffer(3 * std::min(per_chunk, n));
    for (Count begin = 0; begin < n; begin += per_chunk) {
      const Count rows = std::min(per_chunk, n - begin);
      dataset.read_rows(first + begin, rows, real, buffer.data());
      for (Count i = 0; i < rows; ++i)
        for (int a = 0; a < 3; ++a)
          into(row0 + begin + i, a) = buffer[3 * i + static_cast<Count>(a)];
      if (progress) progress(row0 + begin + rows, total);
    }
  }

  std::unique_ptr<ByteSource> source_;  ///< the open file
  std::optional<Hdf5Input> file_;
  Count open_file_ = 0;
  Count file_count_ = 1;
  std::optional<std::pair<std::string, std::string>> name_parts_;  ///< around the file number
  std::vector<double> mass_table_;
  std::vector<Count> totals_;
  std::vector<Segment> segments_;
  SnapshotInfo info_;
};

}  // namespace

bool probe_gadget_hdf5(ByteSource& source) {
  return has_hdf5_signature(source);
}

std::unique_ptr<SnapshotReader> open_gadget_hdf5(std::unique_ptr<ByteSource> source) {
  return std::make_unique<GadgetHdf5Reader>(std::move(source));
}

}  // namespace copse::io
