#include <copse/backend/error.hpp>
#include <copse/io/bytes/atomic_file.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/hdf5/hdf5_file.hpp>
#include <copse/io/hdf5/hdf5_handle.hpp>

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace copse::io {

/// The file is declared last, so that it is closed before its temporary name is removed.
struct Hdf5Writer::State {
  explicit State(const std::filesystem::path& target) : path(target) {
    file = Hdf5Handle(H5Fcreate(path.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    if (!file) fail("the file");
    make_groups = Hdf5Handle(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(make_groups.get(), 1);
    // Without the time of writing, equal contents are equal files.
    make_datasets = Hdf5Handle(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_obj_track_times(make_datasets.get(), false);
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: {} cannot be written: {}", path.target().string(), what,
                                 QuietHdf5::reason()));
  }

  void check(herr_t status, std::string_view what) const {
    if (status < 0) fail(what);
  }

  /// True if the link and all groups along its path exist. H5Lexists fails if an intermediate group
  /// is missing, so each is checked.
  bool exists(const std::string& name) const {
    for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
      const std::string part = name.substr(0, end);
      if (part != "/" && H5Lexists(file.get(), part.c_str(), H5P_DEFAULT) <= 0) return false;
      if (end == std::string::npos) return true;
    }
  }

  Hdf5Handle open_or_make_group(const std::string& name) const {
    if (name.empty() || name == "/") return Hdf5Handle(H5Gopen2(file.get(), "/", H5P_DEFAULT));
    Hdf5Handle object(exists(name) ? H5Oopen(file.get(), name.c_str(), H5P_DEFAULT)
                                   : H5Gcreate2(file.get(), name.c_str(), make_groups.get(),
                                                H5P_DEFAULT, H5P_DEFAULT));
    if (!object) fail("group " + name);
    return object;
  }

  AtomicPath path;
  QuietHdf5 quiet;
  Hdf5Handle make_groups;
  Hdf5Handle make_datasets;
  Hdf5Handle file;
};

Hdf5Writer::Hdf5Writer(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {}

Hdf5Writer::~Hdf5Writer() = default;

void Hdf5Writer::create(const std::string& name, NumberType type, Count rows, Count columns) {
  const std::array<hsize_t, 2> shape{rows, columns};
  const Hdf5Handle space(H5Screate_simple(columns == 0 ? 1 : 2, shape.data(), nullptr));
  const Hdf5Handle dataset(H5Dcreate2(state_->file.get(), name.c_str(), native_type(type),
                                      space.get(), state_->make_groups.get(),
                                      state_->make_datasets.get(), H5P_DEFAULT));
  if (!dataset) state_->fail("dataset " + name);
}

void Hdf5Writer::write(const std::string& name, const HostTable& table) {
  create(name, table.type, table.rows, table.rank == 2 ? table.columns : 0);
  write_rows(name, 0, table);
}

void Hdf5Writer::write_rows(const std::string& name, Count first, const HostTable& table) {
  const std::string what = "dataset " + name;
  const Hdf5Handle dataset(H5Dopen2(state_->file.get(), name.c_str(), H5P_DEFAULT));
  if (!dataset) state_->fail(what);
  const Hdf5Handle space(H5Dget_space(dataset.get()));
  std::array<hsize_t, 2> shape{0, 1};
  if (H5Sget_simple_extent_ndims(space.get()) != table.rank ||
      H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr) < 0 ||
      shape[1] != table.columns || first > shape[0] || table.rows > shape[0] - first)
    throw std::logic_error(what +
                           " was created with a different shape from the rows written to it");
  const Count row_bytes = table.columns * bytes_of(table.type);
  if (table.rows == 0 || row_bytes == 0) return;

  const bool packed = table.rank == 1
                          ? table.row_stride == 1
                          : table.column_stride == 1 && table.row_stride == table.columns;
  const Count per_chunk = packed ? table.rows : std::max<Count>(1, stream_buffer_bytes / row_bytes);
  std::vector<std::byte> buffer(packed ? 0 : std::min(per_chunk, table.rows) * row_bytes);
  for (Count begin = 0; begin < table.rows; begin += per_chunk) {
    const Count n = std::min(per_chunk, table.rows - begin);
    if (!packed) table.pack_rows(begin, n, std::span(buffer).first(n * row_bytes));
    const std::array<hsize_t, 2> start{first + begin, 0};
    const std::array<hsize_t, 2> count{n, table.columns};
    const Hdf5Handle memory(H5Screate_simple(table.rank, count.data(), nullptr));
    state_->check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr,
                                      count.data(), nullptr),
                  what);
    state_->check(H5Dwrite(dataset.get(), native_type(table.type), memory.get(), space.get(),
                           H5P_DEFAULT, packed ? table.data : buffer.data()),
                  what);
  }
}

void Hdf5Writer::group(const std::string& name) {
  state_->open_or_make_group(name);
}

void Hdf5Writer::text_attribute(const std::string& object, const std::string& name,
                                std::string_view text) {
  // Variable-length, because readers then get a string and not an array of bytes.
  const Hdf5Handle owner = state_->open_or_make_group(object);
  const Hdf5Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(
      H5Acreate2(owner.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
  const std::string terminated(text);
  const char* const pointer = terminated.c_str();
  if (!attribute || H5Awrite(attribute.get(), type.get(), &pointer) < 0)
    state_->fail(fmt::format("attribute {} of {}", name, object));
}

void Hdf5Writer::number_attribute(const std::string& object, const std::string& name,
                                  const HostTable& values, bool scalar) {
  const Hdf5Handle owner = state_->open_or_make_group(object);
  const hsize_t size = values.rows;
  const Hdf5Handle space(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr));
  const Hdf5Handle attribute(H5Acreate2(owner.get(), name.c_str(), native_type(values.type),
                                        space.get(), H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute || H5Awrite(attribute.get(), native_type(values.type), values.data) < 0)
    state_->fail(fmt::format("attribute {} of {}", name, object));
}

void Hdf5Writer::describe(const std::string& dataset, std::string_view unit,
                          std::string_view meaning) {
  if (!unit.empty()) attribute(dataset, "unit", unit);
  attribute(dataset, "meaning", meaning);
}

void Hdf5Writer::box_attributes(const std::string& object, const Box<3>& box) {
  std::array<Real, 3> lower, upper;
  std::array<std::int32_t, 3> periodic;
  for (int a = 0; a < 3; ++a) {
    const auto i = static_cast<std::size_t>(a);
    lower[i] = box.lower[a];
    upper[i] = box.upper[a];
    periodic[i] = box.periodic[a] ? 1 : 0;
  }
  attribute(object, "box_lower", lower);
  attribute(object, "box_upper", upper);
  attribute(object, "periodic", periodic);
}

void Hdf5Writer::commit() {
  if (H5Fflush(state_->file.get(), H5F_SCOPE_GLOBAL) < 0 || !state_->file.close())
    state_->fail("the file");
  state_->path.commit();
}

}  // namespace copse::io
