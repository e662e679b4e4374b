#include <copse/backend/error.hpp>
#include <copse/io/csv_reader.hpp>
#include <copse/io/gadget_reader.hpp>
#include <copse/io/genericio_reader.hpp>
#include <copse/io/hdf5/gadget_hdf5.hpp>
#include <copse/io/npy_reader.hpp>
#include <copse/io/snapshot_reader.hpp>
#include <copse/io/tables/array_table.hpp>
#include <copse/io/tipsy_reader.hpp>

namespace copse::io {

std::span<const SnapshotFormat> formats() {
  // Formats with a magic number first, then those identified by a consistent header, text last:
  // almost any file can look like text.
  static constexpr std::array table{
      SnapshotFormat{"gadget-hdf5", "HDF5 of GADGET, AREPO and SWIFT, one or several files",
                     probe_gadget_hdf5, open_gadget_hdf5},
      SnapshotFormat{"npy", "NumPy .npy, float32 or float64 of shape [n][3]", probe_npy, open_npy},
      SnapshotFormat{"genericio", "HACC GenericIO", probe_genericio, open_genericio},
      SnapshotFormat{"gadget", "GADGET-1/2 binary, format 1 or 2, one or several files",
                     probe_gadget, open_gadget},
      SnapshotFormat{"tipsy", "Tipsy binary, standard or native byte order", probe_tipsy,
                     open_tipsy},
      SnapshotFormat{"csv", "text with columns x, y, z and more, separated by , ; or blanks",
                     probe_csv, open_csv},
  };
  return table;
}

std::unique_ptr<SnapshotReader> open_snapshot(std::unique_ptr<ByteSource> source) {
  if (source->size() == 0) throw InputError(source->name() + ": the file is empty");
  for (const SnapshotFormat& format : formats())
    if (format.probe(*source)) return format.open(std::move(source));
  std::string known;
  for (const SnapshotFormat& format : formats())
    known += (known.empty() ? "" : ", ") + std::string(format.name);
  throw InputError(source->name() + ": the content matches no known format (" + known + ")");
}

std::unique_ptr<SnapshotReader> open_snapshot(const std::filesystem::path& path) {
  return open_snapshot(std::make_unique<FileSource>(path));
}

}  // namespace copse::io
