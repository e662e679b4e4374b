#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/gadget_part.hpp>
#include <copse/io/gadget_reader.hpp>
#include <copse/io/hdf5/gadget_hdf5.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

namespace copse::io {

namespace {

using gadget::Block;
using gadget::Part;
using HostParticles = Particles<Kokkos::HostSpace>;

Real load_real(const std::byte* bytes, Count width, std::endian order) {
  return static_cast<Real>(width == 4 ? static_cast<double>(load<float>(bytes, order))
                                      : load<double>(bytes, order));
}

GlobalId load_id(const std::byte* bytes, Count width, std::endian order) {
  return width == 4 ? load<std::uint32_t>(bytes, order) : load<std::uint64_t>(bytes, order);
}

/// The paths of all files of the snapshot, derived from the name of one of them.
std::vector<std::filesystem::path> part_paths(const ByteSource& source, int files) {
  const auto path = source.path();
  const std::string number = path ? path->extension().string() : "";
  if (number.size() < 2 || !std::all_of(number.begin() + 1, number.end(),
                                        [](unsigned char c) { return c >= '0' && c <= '9'; }))
    throw InputError(fmt::format(
        "{}: the snapshot has {} files, but the file name does not end in a file number",
        source.name(), files));
  std::filesystem::path stem = *path;
  stem.replace_extension();
  std::vector<std::filesystem::path> paths;
  for (int i = 0; i < files; ++i) {
    paths.emplace_back(fmt::format("{}.{}", stem.string(), i));
    std::error_code error;
    if (!std::filesystem::exists(paths.back(), error))
      throw InputError(fmt::format("{}: the snapshot has {} files, but there is no {}",
                                   source.name(), files, paths.back().string()));
  }
  return paths;
}

class GadgetReader final : public SnapshotReader {
 public:
  explicit GadgetReader(std::unique_ptr<ByteSource> source) {
    const Part opened = gadget::scan_part(*source);
    if (opened.header.files > 1) {
      paths_ = part_paths(*source, opened.header.files);
      for (const auto& path : paths_) {
        FileSource file(path);
        parts_.push_back(gadget::scan_part(file));
        require_same_snapshot(opened, parts_.back(), file.name());
      }
      require_totals(source->name());
    } else {
      source_ = std::move(source);
      parts_.push_back(opened);
    }
    describe();
  }

  const SnapshotInfo& info() const override { return info_; }

  void read_rows(Count first, const HostParticles& into, const Progress& progress) override {
    const RowRange wanted{first, first + into.size()};
    const Count passes = Count{1} + (into.velocity.extent(0) > 0) + (into.id.extent(0) > 0);
    RowProgress meter(progress, into.size(), passes);
    Count part_begin = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const RowRange range = intersect(wanted, {part_begin, part_begin + parts_[i].rows});
      // Files are opened one at a time: a snapshot may have more files than a process may open.
      if (range.size() > 0) {
        const RowRange in_part{range.begin - part_begin, range.end - part_begin};
        if (source_) {
          read_part(*source_, parts_[i], in_part, range.begin - first, into, meter);
        } else {
          FileSource file(paths_[i]);
          read_part(file, parts_[i], in_part, range.begin - first, into, meter);
        }
      }
      part_begin += parts_[i].rows;
    }
  }

 private:
  static void require_same_snapshot(const Part& first, const Part& other, const std::string& file) {
    if (other.header.files != first.header.files ||
        other.header.total_count != first.header.total_count ||
        other.header.box_size != first.header.box_size)
      throw InputError(file +
                       ": the header does not belong to the same snapshot as the other files");
  }

  /// The header's totals hold the lower 32 bits.
  void require_totals(const std::string& file) const {
    for (int t = 0; t < gadget::types; ++t) {
      Count sum = 0;
      for (const Part& part : parts_) sum += static_cast<Count>(part.header.count[t]);
      const std::uint32_t total = parts_.front().header.total_count[t];
      if (static_cast<std::uint32_t>(sum) != total)
        throw InputError(fmt::format(
            "{}: the header says {} particles of type {} in all files, but they hold {}", file,
            total, t, sum));
    }
  }

  void describe() {
    const Part& front = parts_.front();
    info_.format = "gadget";
    info_.detail =
        fmt::format("format {}, {}, {} file{}", front.format, byte_order_name(front.order),
                    parts_.size(), parts_.size() == 1 ? "" : "s");
    for (const Part& part : parts_) {
      info_.particles += part.rows;
      for (int t = 0; t < gadget::types; ++t)
        info_.by_species[static_cast<std::size_t>(species_of_gadget_type(t))] +=
            static_cast<Count>(part.header.count[t]);
    }
    info_.columns.velocity = info_.columns.mass = info_.columns.id = info_.columns.species = true;
    info_.time = front.header.time;
    if (front.header.box_size > 0.0) {
      Box<3> box = unit_box<3>(true);
      for (int a = 0; a < 3; ++a) box.upper[a] = static_cast<Real>(front.header.box_size);
      info_.box = box;
    }
  }

  /// Copies rows `rows` of one file to the rows of the table starting at `row0`.
  static void read_part(ByteSource& source, const Part& part, RowRange rows, Count row0,
                        const HostParticles& into, RowProgress& meter) {
    const auto vectors = [&](const Block& block, const Points<3, Kokkos::HostSpace>& to) {
      for_each_record(
          source, block.offset + rows.begin * 3 * block.width, 3 * block.width, rows.size(),
          [&](Count i, const std::byte* record) {
            for (int a = 0; a < 3; ++a)
              to(row0 + i, a) = load_real(record + a * block.width, block.width, part.order);
          },
          [&](Count n) { meter.add(n); });
    };
    vectors(part.position, into.position);
    if (into.velocity.extent(0) > 0) vectors(part.velocity, into.velocity);
    if (into.id.extent(0) > 0)
      for_each_record(
          source, part.id.offset + rows.begin * part.id.width, part.id.width, rows.size(),
          [&](Count i, const std::byte* record) {
            into.id(row0 + i) = load_id(record, part.id.width, part.order);
          },
          [&](Count n) { meter.add(n); });
    if (into.mass.extent(0) > 0 || into.species.extent(0) > 0)
      read_by_type(source, part, rows, row0, into);
  }

  /// Mass and species depend on the particle type; the rows of a type are consecutive.
  static void read_by_type(ByteSource& source, const Part& part, RowRange rows, Count row0,
                           const HostParticles& into) {
    Count type_begin = 0;
    Count masses_before = 0;
    for (int t = 0; t < gadget::types; ++t) {
      const Count n = static_cast<Count>(part.header.count[t]);
      const RowRange range = intersect(rows, {type_begin, type_begin + n});
      const Count to = row0 + (range.begin - rows.begin);
      if (range.size() > 0 && into.species.extent(0) > 0)
        for (Count i = 0; i < range.size(); ++i) into.species(to + i) = species_of_gadget_type(t);
      if (range.size() > 0 && into.mass.extent(0) > 0) {
        if (part.has_mass_per_particle(t)) {
          const Count skipped = masses_before + (range.begin - type_begin);
          for_each_record(source, part.mass.offset + skipped * part.mass.width, part.mass.width,
                          range.size(), [&](Count i, const std::byte* record) {
                            into.mass(to + i) = load_real(record, part.mass.width, part.order);
                          });
        } else {
          for (Count i = 0; i < range.size(); ++i)
            into.mass(to + i) = static_cast<Real>(part.header.mass[t]);
        }
      }
      type_begin += n;
      if (part.has_mass_per_particle(t)) masses_before += n;
    }
  }

  std::unique_ptr<ByteSource> source_;        ///< the one file, or null
  std::vector<std::filesystem::path> paths_;  ///< of several files
  std::vector<Part> parts_;
  SnapshotInfo info_;
};

}  // namespace

bool probe_gadget(ByteSource& source) {
  return gadget::starts_like_gadget(source);
}

std::unique_ptr<SnapshotReader> open_gadget(std::unique_ptr<ByteSource> source) {
  return std::make_unique<GadgetReader>(std::move(source));
}

}  // namespace copse::io
