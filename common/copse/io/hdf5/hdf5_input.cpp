#include <copse/backend/error.hpp>
#include <copse/io/hdf5/hdf5_input.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace copse::io {

namespace {

constexpr std::string_view signature{"\x89HDF\r\n\x1a\n", 8};

/// No header attribute has more numbers; bounds the allocation for a damaged one.
constexpr hssize_t max_attribute_numbers = 64;

/// Above the best ratio of deflate, the strongest of the built-in filters (1032 : 1).
constexpr Count max_compression = 4096;

/// Filters with smaller numbers are part of the library; others are plug-ins, which are code.
constexpr H5Z_filter_t first_plugin_filter = 256;

/// The library's default chunk cache for one dataset.
constexpr Count default_chunk_cache_bytes = Count{1} << 20;

}  // namespace

bool has_hdf5_signature(ByteSource& source) {
  std::array<char, signature.size()> bytes;
  for (Count at = 0; at + bytes.size() <= source.size(); at = at == 0 ? 512 : 2 * at) {
    source.read(at, std::as_writable_bytes(std::span(bytes)));
    if (std::string_view(bytes.data(), bytes.size()) == signature) return true;
  }
  return false;
}

void Hdf5Dataset::read_rows(Count first, Count count, NumberType type, void* out) const {
  if (count == 0) return;
  const std::array<hsize_t, 2> start{first, 0};
  const std::array<hsize_t, 2> extent{count, columns_};
  const Hdf5Handle file_space(H5Dget_space(dataset_.get()));
  const Hdf5Handle memory(H5Screate_simple(list_ ? 1 : 2, extent.data(), nullptr));
  if (H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(),
                          nullptr) < 0 ||
      H5Dread(dataset_.get(), native_type(type), memory.get(), file_space.get(), H5P_DEFAULT, out) <
          0)
    throw InputError(fmt::format("{}: rows {} to {} cannot be read: {}", label_, first,
                                 first + count - 1, QuietHdf5::reason()));
}

Hdf5Input::Hdf5Input(ByteSource& source) : name_(source.name()), file_bytes_(source.size()) {
  // Filters that the library would load from shared objects are refused below; this also covers the
  // library's own uses of filters.
  H5PLset_loading_state(0);
  if (!has_hdf5_signature(source)) throw InputError(name_ + ": not an HDF5 file");
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  std::string path = name_;
  if (source.path()) {
    path = source.path()->string();
  } else {
    std::vector<std::byte> image(source.size());
    source.read(0, image);
    constexpr std::size_t growth = std::size_t{1} << 16;
    H5Pset_fapl_core(access.get(), growth, 0);
    H5Pset_file_image(access.get(), image.data(), image.size());
  }
  file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (!file_)
    throw InputError(fmt::format("{}: cannot be opened as HDF5: {}", name_, QuietHdf5::reason()));
}

bool Hdf5Input::has(const std::string& name) const {
  for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
    H5L_info_t link;
    if (H5Lget_info(file_.get(), name.substr(0, end).c_str(), &link, H5P_DEFAULT) < 0) return false;
    if (link.type != H5L_TYPE_HARD) return false;
    if (end == std::string::npos) return true;
  }
}

template <class T>
std::optional<std::vector<T>> Hdf5Input::attribute_values(const std::string& group,
                                                          const std::string& attribute) const {
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("{}: attribute {} of {} {}", name_, attribute, group, what));
  };
  if (group != "/" && !has(group))
    throw InputError(fmt::format("{}: group {} is missing", name_, group));
  const Hdf5Handle owner(H5Oopen(file_.get(), group.c_str(), H5P_DEFAULT));
  if (!owner) throw InputError(fmt::format("{}: group {} cannot be opened", name_, group));
  if (H5Aexists(owner.get(), attribute.c_str()) <= 0) return std::nullopt;
  const Hdf5Handle handle(H5Aopen(owner.get(), attribute.c_str(), H5P_DEFAULT));
  if (!handle) fail("cannot be opened: " + QuietHdf5::reason());
  const Hdf5Handle type(H5Aget_type(handle.get()));
  const Hdf5Handle space(H5Aget_space(handle.get()));
  const H5T_class_t kind = H5Tget_class(type.get());
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || H5Tget_size(type.get()) > 16)
    fail("is not a number");
  const hssize_t n = H5Sget_simple_extent_npoints(space.get());
  if (n < 1 || n > max_attribute_numbers)
    fail(fmt::format("has {} numbers, not 1 to {}", n, max_attribute_numbers));
  std::vector<T> values(static_cast<std::size_t>(n));
  if (H5Aread(handle.get(), native_type(number_type<T>()), values.data()) < 0)
    fail("cannot be read: " + QuietHdf5::reason());
  return values;
}

std::optional<std::vector<double>> Hdf5Input::numbers(const std::string& group,
                                                      const std::string& attribute) const {
  return attribute_values<double>(group, attribute);
}

std::optional<std::vector<Count>> Hdf5Input::counts(const std::string& group,
                                                    const std::string& attribute) const {
  return attribute_values<Count>(group, attribute);
}

Hdf5Dataset Hdf5Input::open(const std::string& name, Kind kind, Count columns) const {
  Hdf5Dataset result;
  result.label_ = fmt::format("{}: dataset {}", name_, name);
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("{} {}", result.label_, what));
  };
  if (!has(name)) fail("is missing");
  Hdf5Handle dataset(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT));
  if (!dataset) fail("cannot be opened: " + QuietHdf5::reason());

  const Hdf5Handle type(H5Dget_type(dataset.get()));
  const H5T_class_t type_class = H5Tget_class(type.get());
  const Count element_bytes = H5Tget_size(type.get());
  if (type_class != (kind == Kind::integer ? H5T_INTEGER : H5T_FLOAT) || element_bytes < 1 ||
      element_bytes > 16)
    fail(kind == Kind::integer ? "does not hold integers" : "does not hold floating-point numbers");

  const Hdf5Handle space(H5Dget_space(dataset.get()));
  const int rank = H5Sget_simple_extent_ndims(space.get());
  std::array<hsize_t, 2> shape{0, 1};
  if (rank == 1 || rank == 2) H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr);
  if (rank < 1 || rank > 2 || shape[1] != columns)
    fail(columns == 1 ? std::string("is not a list")
                      : fmt::format("is not a table of {} columns", columns));
  if (shape[0] > max_compression * file_bytes_ / (columns * element_bytes))
    fail(fmt::format("claims {} rows, more than a file of {} bytes can hold", shape[0],
                     file_bytes_));
  check_storage(result.label_, dataset.get(), shape, element_bytes);

  // A chunk larger than the library's cache would be read again for each of its rows.
  const Hdf5Handle creation(H5Dget_create_plist(dataset.get()));
  if (H5Pget_layout(creation.get()) == H5D_CHUNKED) {
    std::array<hsize_t, 2> chunk{1, 1};
    H5Pget_chunk(creation.get(), rank, chunk.data());
    const Count chunk_bytes = chunk[0] * chunk[1] * element_bytes;
    if (chunk_bytes > default_chunk_cache_bytes) {
      const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS));
      H5Pset_chunk_cache(access.get(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 2 * chunk_bytes, 1.0);
      dataset.close();
      dataset = Hdf5Handle(H5Dopen2(file_.get(), name.c_str(), access.get()));
      if (!dataset) fail("cannot be opened: " + QuietHdf5::reason());
    }
  }
  result.dataset_ = std::move(dataset);
  result.rows_ = shape[0];
  result.columns_ = columns;
  result.list_ = rank == 1;
  return result;
}

/// The numbers must be stored in this file, and the file must be large enough for them.
void Hdf5Input::check_storage(const std::string& label, hid_t dataset,
                              const std::array<hsize_t, 2>& shape, Count element_bytes) const {
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("{} {}", label, what));
  };
  const Hdf5Handle creation(H5Dget_create_plist(dataset));
  if (!creation) fail("cannot be opened: " + QuietHdf5::reason());
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (layout == H5D_VIRTUAL || H5Pget_external_count(creation.get()) > 0)
    fail("stores its numbers in other files; open one of those instead");
  if (layout == H5D_CHUNKED) {
    const auto chunk = check_chunks(label, creation.get(), element_bytes);
    return require_every_chunk(label, dataset, shape, chunk);
  }
  if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) fail("has an unknown storage layout");
  const Count bytes = shape[0] * shape[1] * element_bytes;
  const Count stored = H5Dget_storage_size(dataset);
  if (bytes > 0 && stored == 0) fail("has a shape but no data");
  if (stored < bytes || stored > file_bytes_)
    fail(fmt::format("takes {} bytes, but {} are stored in a file of {}", bytes, stored,
                     file_bytes_));
}

/// Returns the shape of a chunk.
std::array<hsize_t, 2> Hdf5Input::check_chunks(const std::string& label, hid_t creation,
                                               Count element_bytes) const {
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("{} {}", label, what));
  };
  for (int i = 0; i < H5Pget_nfilters(creation); ++i) {
    unsigned flags = 0;
    unsigned config = 0;
    std::size_t parameters = 0;
    std::array<char, 64> filter_name{};
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &parameters, nullptr,
                       filter_name.size(), filter_name.data(), &config);
    if (filter < 0 || filter >= first_plugin_filter || H5Zfilter_avail(filter) <= 0)
      fail(fmt::format("is packed with filter number {}, which is not built into HDF5", filter));
  }
  std::array<hsize_t, 2> chunk{1, 1};
  const int rank = H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  if (rank < 1 || rank > 2 || chunk[0] == 0 || chunk[1] == 0 || chunk[0] > UINT32_MAX ||
      chunk[1] > UINT32_MAX || chunk[0] > max_compression * file_bytes_ / element_bytes / chunk[1])
    fail(fmt::format("has chunks larger than a file of {} bytes can hold", file_bytes_));
  return chunk;
}

/// The library reads missing chunks as zeros, so a few bytes could claim many particles.
void Hdf5Input::require_every_chunk(const std::string& label, hid_t dataset,
                                    const std::array<hsize_t, 2>& shape,
                                    const std::array<hsize_t, 2>& chunk) {
  Count needed = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    needed *= shape[i] / chunk[i] + (shape[i] % chunk[i] == 0 ? 0 : 1);
  hsize_t found = 0;
  const Hdf5Handle space(H5Dget_space(dataset));
  if (H5Dget_num_chunks(dataset, space.get(), &found) < 0)
    throw InputError(fmt::format("{} cannot be opened: {}", label, QuietHdf5::reason()));
  if (found < needed)
    throw InputError(
        fmt::format("{} has {} chunks, but only {} of them hold data", label, needed, found));
}

}  // namespace copse::io
