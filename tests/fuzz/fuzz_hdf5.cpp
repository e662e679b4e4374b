// Fuzz target of GADGET-style HDF5 snapshots, and of Hdf5Reader, which reads the same files name by
// name. The input is not a file but a sequence of decisions
// from which the HDF5 library itself creates a file in memory: every file is well-formed HDF5, and
// any object in it may be absent, of another kind, type, shape or layout, and hold any number.
// Damage to HDF5's own structures is excluded, because the library, not the reader, would have to
// survive it.
//
// A decision takes its ordinary outcome if the input byte is zero or the input is exhausted, so the
// empty input gives a readable snapshot, and a mutation of one byte changes one property of it.
#include "every_row.hpp"
#include <copse/io/hdf5/hdf5_handle.hpp>
#include <copse/io/hdf5/hdf5_reader.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fuzzer/FuzzedDataProvider.h>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace copse;
using io::Hdf5Handle;

/// Bounds the cost of creating a file: a larger dataset is neither filled nor allocated.
constexpr double max_dataset_bytes = 1 << 14;

class Decisions {
 public:
  Decisions(const std::uint8_t* data, std::size_t size) : data_(data, size) {}

  bool deviate() { return data_.ConsumeIntegral<std::uint8_t>() >= 0xE0; }
  std::uint8_t byte() { return data_.ConsumeIntegral<std::uint8_t>(); }
  unsigned below(unsigned n) { return data_.ConsumeIntegralInRange(0U, n - 1); }

  /// Returns the first option, or occasionally another one.
  template <class T>
  T choose(std::initializer_list<T> options) {
    return options.begin()[deviate() ? below(static_cast<unsigned>(options.size())) : 0];
  }

  double number(double ordinary) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (!deviate()) return ordinary;
    if (deviate()) return data_.ConsumeFloatingPoint<double>();
    constexpr std::array odd{-1.0, 0.0,  0.5,    1.0,    1e-320, 1e39,    1e300, 0x1p31, 0x1p32,
                             inf,  -inf, 0x1p53, 0x1p63, 0x1p64, -0x1p63, nan,   2.0,    6.0};
    return odd[below(odd.size())];
  }

  hsize_t extent(hsize_t ordinary) {
    if (!deviate()) return ordinary;
    constexpr std::array<hsize_t, 7> odd{
        0, 1, 3, 1 << 16, 1 << 22, hsize_t{1} << 31, hsize_t{1} << 62};
    return deviate() ? odd[below(odd.size())] : below(64);
  }

  std::vector<std::uint8_t> bytes(std::size_t n) {
    std::vector<std::uint8_t> all = data_.ConsumeBytes<std::uint8_t>(n);
    all.resize(n);
    return all;
  }

 private:
  FuzzedDataProvider data_;
};

/// The number types that programs commonly use.
const std::vector<hid_t>& usual_types() {
  static const std::vector<hid_t> types{
      H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE,    H5T_STD_I8LE,
      H5T_STD_U8LE,   H5T_STD_I16BE,  H5T_STD_U16LE,  H5T_STD_I32LE,     H5T_STD_U32BE,
      H5T_STD_I64LE,  H5T_STD_U64LE,  H5T_STD_U64BE,  H5T_NATIVE_LDOUBLE};
  return types;
}

/// A file type: the ordinary one, another number, a number with an odd bit layout, or not a number.
Hdf5Handle make_type(Decisions& d, hid_t ordinary) {
  if (!d.deviate()) return Hdf5Handle(H5Tcopy(ordinary));
  const std::vector<hid_t>& usual = usual_types();
  Hdf5Handle type(H5Tcopy(usual[d.below(static_cast<unsigned>(usual.size()))]));
  switch (d.choose({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})) {
    case 1:
      H5Tset_size(type.get(), 1 + d.below(20));
      break;
    case 2:
      H5Tset_precision(type.get(), 1 + d.below(64));
      H5Tset_offset(type.get(), d.below(64));
      break;
    case 3:
      H5Tset_fields(type.get(), d.below(64), d.below(64), d.below(32), d.below(64), d.below(64));
      H5Tset_ebias(type.get(), d.below(2048));
      break;
    case 4:
      type = Hdf5Handle(H5Tcopy(H5T_C_S1));
      H5Tset_size(type.get(), d.deviate() ? H5T_VARIABLE : 1 + d.below(20));
      break;
    case 5:
      type = Hdf5Handle(H5Tenum_create(H5T_NATIVE_INT));
      break;
    case 6: {
      Hdf5Handle compound(H5Tcreate(H5T_COMPOUND, H5Tget_size(type.get())));
      H5Tinsert(compound.get(), "x", 0, type.get());
      type = std::move(compound);
      break;
    }
    case 7: {
      const hsize_t n = 1 + d.below(4);
      type = Hdf5Handle(H5Tarray_create2(type.get(), 1, &n));
      break;
    }
    case 8:
      type = Hdf5Handle(H5Tvlen_create(type.get()));
      break;
    case 9:
      type = Hdf5Handle(H5Tcopy(d.deviate() ? H5T_STD_REF_OBJ : H5T_STD_B32LE));
      break;
    default:
      break;
  }
  return type;
}

/// True if the library may convert to this type. For some other types it writes outside its buffers
/// during conversion, so their bytes are generated here.
bool is_usual(hid_t type) {
  const std::vector<hid_t>& usual = usual_types();
  return std::any_of(usual.begin(), usual.end(), [&](hid_t t) { return H5Tequal(type, t) > 0; });
}

/// Writes one number per element through `write(memory type, buffer)`, or raw bytes.
template <class Write>
void fill(Decisions& d, hid_t type, std::vector<double> values, const Write& write) {
  if (H5Tget_class(type) != H5T_INTEGER && H5Tget_class(type) != H5T_FLOAT) return;
  if (d.deviate() || !is_usual(type)) {
    write(type, d.bytes(values.size() * H5Tget_size(type)).data());
  } else {
    if (!values.empty()) values[d.byte() % values.size()] = d.number(values.front());
    write(H5T_NATIVE_DOUBLE, values.data());
  }
}

void make_attribute(Decisions& d, hid_t owner, const char* name, hid_t ordinary_type,
                    std::vector<double> values, bool present = true) {
  if (d.deviate()) present = !present;
  if (!present) return;
  if (d.deviate()) values.resize(d.below(70), 1.0);
  const Hdf5Handle type = make_type(d, ordinary_type);
  const std::array<hsize_t, 2> shape{values.size(), 1};
  const Hdf5Handle space(values.empty() ? H5Screate(H5S_NULL)
                         : values.size() == 1 && !d.deviate()
                             ? H5Screate(H5S_SCALAR)
                             : H5Screate_simple(d.choose({1, 2}), shape.data(), nullptr));
  const Hdf5Handle attribute(
      H5Acreate2(owner, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
  if (d.deviate()) return;
  fill(d, type.get(), std::move(values), [&](hid_t memory_type, const void* numbers) {
    H5Awrite(attribute.get(), memory_type, numbers);
  });
}

/// Sets chunks, filters and the other storage properties of a dataset. Returns the bytes it takes
/// when it is allocated completely.
double set_layout(Decisions& d, hid_t creation, hid_t type, const std::vector<hsize_t>& shape,
                  bool chunked) {
  double bytes = static_cast<double>(H5Tget_size(type));
  std::vector<hsize_t> chunk = shape;
  for (hsize_t& c : chunk) c = d.extent(std::max<hsize_t>(c, 1));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto rows = static_cast<double>(shape[i]);
    const auto c = static_cast<double>(std::max<hsize_t>(chunk[i], 1));
    bytes *= chunked ? std::ceil(rows / c) * c : rows;
  }
  if (chunked) {
    H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    // In the order in which programs use them: the library itself writes outside its buffers when
    // the number-packing filters get data that are no longer numbers.
    const unsigned filters = d.byte();
    if (is_usual(type) && (filters & 1))
      H5Pset_nbit(creation);
    else if (is_usual(type) && (filters & 2))
      H5Pset_scaleoffset(creation,
                         H5Tget_class(type) == H5T_INTEGER ? H5Z_SO_INT : H5Z_SO_FLOAT_DSCALE, 2);
    if (filters & 4) H5Pset_shuffle(creation);
    if (filters & 8) H5Pset_deflate(creation, 1);
    if (filters & 16) H5Pset_fletcher32(creation);
    if (filters & 32) H5Pset_filter(creation, 300, H5Z_FLAG_OPTIONAL, 0, nullptr);
  } else if (d.deviate()) {
    H5Pset_layout(creation, H5D_COMPACT);
  } else if (d.deviate()) {
    H5Pset_external(creation, "elsewhere", 0, H5F_UNLIMITED);
    bytes = HUGE_VAL;
  } else if (d.deviate()) {
    const Hdf5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
    H5Pset_virtual(creation, space.get(), d.deviate() ? "." : "elsewhere", "x", space.get());
    bytes = HUGE_VAL;
  }
  if (d.deviate()) H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  if (d.deviate() && is_usual(type)) {
    const double value = d.number(1.0);
    H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &value);
  }
  if (bytes <= max_dataset_bytes && d.deviate()) H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
  return bytes;
}

void make_dataset(Decisions& d, hid_t group, const char* name, hid_t ordinary_type, hsize_t rows,
                  hsize_t columns) {
  const Hdf5Handle type = make_type(d, ordinary_type);
  std::vector<hsize_t> shape{d.extent(rows)};
  if (columns > 1 || d.deviate()) shape.push_back(d.extent(columns));
  if (d.deviate()) shape.resize(d.below(4), 1);
  const bool chunked = d.deviate() && !shape.empty();
  const std::vector<hsize_t> limits(shape.size(), H5S_UNLIMITED);
  const Hdf5Handle space(d.deviate()
                             ? H5Screate(H5S_NULL)
                             : H5Screate_simple(static_cast<int>(shape.size()), shape.data(),
                                                chunked ? limits.data() : nullptr));
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE));
  const double bytes = set_layout(d, creation.get(), type.get(), shape, chunked);
  const Hdf5Handle dataset(
      H5Dcreate2(group, name, type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
  const hssize_t n = H5Sget_simple_extent_npoints(space.get());
  if (!dataset || bytes > max_dataset_bytes || n < 0 || d.deviate()) return;
  // Some of the chunks may be left out.
  if (chunked && d.deviate()) {
    const std::vector<hsize_t> start(shape.size(), 0);
    std::vector<hsize_t> part = shape;
    part[0] = d.below(64);
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr);
  }
  std::vector<double> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 * static_cast<double>(i % 7);
  fill(d, type.get(), std::move(values), [&](hid_t memory_type, const void* numbers) {
    H5Dwrite(dataset.get(), memory_type, space.get(), space.get(), H5P_DEFAULT, numbers);
  });
}

/// Decides what the name of an object refers to. True if the caller must create the object itself.
bool make_link(Decisions& d, hid_t file, hid_t group, const char* name, const std::string& other) {
  switch (d.choose({0, 1, 2, 3, 4, 5, 6})) {
    case 1:
      return false;
    case 2:
      H5Lcreate_soft(other.c_str(), group, name, H5P_DEFAULT, H5P_DEFAULT);
      return false;
    case 3:
      H5Lcreate_external("elsewhere", other.c_str(), group, name, H5P_DEFAULT, H5P_DEFAULT);
      return false;
    case 4:
      H5Lcreate_hard(file, other.c_str(), group, name, H5P_DEFAULT, H5P_DEFAULT);
      return false;
    case 5:
      H5Gclose(H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      return false;
    case 6: {
      const Hdf5Handle type = make_type(d, H5T_IEEE_F32LE);
      H5Tcommit2(group, name, type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      return false;
    }
    default:
      return true;
  }
}

void make_header(Decisions& d, hid_t file, const std::vector<double>& rows) {
  if (make_link(d, file, file, "Header", "/PartType0"))
    H5Gclose(H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const Hdf5Handle header(H5Oopen(file, "Header", H5P_DEFAULT));
  if (!header) return;
  const std::vector<double> none(rows.size(), 0.0);
  make_attribute(d, header.get(), "NumPart_ThisFile", H5T_STD_I32LE, rows);
  make_attribute(d, header.get(), "NumPart_Total", H5T_STD_U32LE, rows);
  make_attribute(d, header.get(), "NumPart_Total_HighWord", H5T_STD_U32LE, none);
  make_attribute(d, header.get(), "MassTable", H5T_IEEE_F64LE, {0.0, 0.25, 0.0});
  make_attribute(d, header.get(), "NumFilesPerSnapshot", H5T_STD_I32LE, {1.0});
  make_attribute(d, header.get(), "BoxSize", H5T_IEEE_F64LE, {4.0});
  make_attribute(d, header.get(), "Time", H5T_IEEE_F64LE, {0.5});
}

void make_particles(Decisions& d, hid_t file, std::size_t type, hsize_t rows) {
  const std::string name = "PartType" + std::to_string(type);
  const std::string first = "/PartType0/";
  if (make_link(d, file, file, name.c_str(), "/PartType0"))
    H5Gclose(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const Hdf5Handle group(H5Gopen2(file, name.c_str(), H5P_DEFAULT));
  if (!group) return;
  const auto dataset = [&](const char* quantity, hid_t stored, hsize_t columns) {
    if (make_link(d, file, group.get(), quantity, first + quantity))
      make_dataset(d, group.get(), quantity, stored, rows, columns);
  };
  dataset("Coordinates", H5T_IEEE_F32LE, 3);
  dataset("Velocities", H5T_IEEE_F32LE, 3);
  dataset("ParticleIDs", H5T_STD_U64LE, 1);
  dataset(d.choose({"Masses", "Mass"}), H5T_IEEE_F32LE, 1);
}

std::vector<std::byte> make_file(Decisions& d) {
  const io::QuietHdf5 quiet;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  constexpr std::size_t growth = 4096;
  H5Pset_fapl_core(access.get(), growth, 0);
  // Not a newer version: the library corrupts the checksum of that superblock when it returns the
  // image.
  H5Pset_libver_bounds(access.get(), d.choose({H5F_LIBVER_EARLIEST, H5F_LIBVER_V18}),
                       H5F_LIBVER_LATEST);
  const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE));
  if (d.deviate()) H5Pset_userblock(creation.get(), 512);
  const Hdf5Handle file(H5Fcreate(fuzz::source_name, H5F_ACC_TRUNC, creation.get(), access.get()));

  std::vector<double> rows{2, 3, 0, 0, 1, 0};
  if (d.deviate()) rows.resize(d.below(18), 1.0);
  for (double& r : rows)
    if (d.deviate()) r = d.below(40);
  for (std::size_t type = 0; type < rows.size(); ++type)
    if (rows[type] > 0 || d.deviate())
      make_particles(d, file.get(), type, static_cast<hsize_t>(rows[type]));
  make_header(d, file.get(), rows);

  H5Fflush(file.get(), H5F_SCOPE_GLOBAL);
  const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
  fuzz::require(size > 0, "the HDF5 library could not create the file");
  std::vector<std::byte> image(static_cast<std::size_t>(size));
  H5Fget_file_image(file.get(), image.data(), image.size());
  return image;
}

/// Reads objects of names that make_file gives, and one that it never gives, as integers and as
/// floating-point numbers. Each is read or refused on its own.
void read_by_name(const std::vector<std::byte>& image) {
  const io::Hdf5Reader in(std::make_unique<io::MemorySource>(fuzz::source_name, image));
  for (const char* quantity : {"Coordinates", "ParticleIDs", "Masses", "Nothing"}) {
    const std::string name = std::string("PartType0/") + quantity;
    const Count columns = *quantity == 'C' ? 3 : 1;
    fuzz::read_or_refuse([&] { in.read<double>(name, columns); });
    fuzz::read_or_refuse([&] { in.read<std::uint8_t>(name, columns); });
  }
  for (const char* attribute : {"Time", "NumFilesPerSnapshot", "MassTable"}) {
    fuzz::read_or_refuse([&] { in.number("Header", attribute); });
    fuzz::read_or_refuse([&] { in.count("Header", attribute); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Decisions decisions(data, size);
  const std::vector<std::byte> image = make_file(decisions);
  fuzz::require(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "the maker left objects open");
  fuzz::read_or_refuse([&] { fuzz::read_every_row("gadget-hdf5", image); });
  fuzz::read_or_refuse([&] { read_by_name(image); });
  // The leak sanitizer does not see these, because the library still refers to them.
  fuzz::require(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "the reader left objects open");
  return 0;
}
