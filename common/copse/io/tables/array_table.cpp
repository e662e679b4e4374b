#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/tables/array_table.hpp>
#include <copse/io/tables/npy_header.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace copse::io {

namespace {

constexpr Count idx_fixed_bytes = 4;  ///< two zeros, type and number of dimensions

template <class T>
Real load_real(const std::byte* bytes, std::endian order) {
  return static_cast<Real>(load<T>(bytes, order));
}

/// The numbers of these formats.
struct NumberFormat {
  NumberType type;
  int idx_code;
  Real (*load)(const std::byte*, std::endian);
};
constexpr std::array number_formats{NumberFormat{NumberType::uint8, 0x08, load_real<std::uint8_t>},
                                    NumberFormat{NumberType::int8, 0x09, load_real<std::int8_t>},
                                    NumberFormat{NumberType::int16, 0x0B, load_real<std::int16_t>},
                                    NumberFormat{NumberType::int32, 0x0C, load_real<std::int32_t>},
                                    NumberFormat{NumberType::float32, 0x0D, load_real<float>},
                                    NumberFormat{NumberType::float64, 0x0E, load_real<double>}};

const NumberFormat* idx_format(int code) {
  const auto format = std::find_if(number_formats.begin(), number_formats.end(),
                                   [&](const NumberFormat& f) { return f.idx_code == code; });
  return format == number_formats.end() ? nullptr : &*format;
}

std::array<int, idx_fixed_bytes> read_idx_start(ByteSource& source) {
  std::array<unsigned char, idx_fixed_bytes> bytes;
  source.read(0, std::as_writable_bytes(std::span(bytes)));
  return {bytes[0], bytes[1], bytes[2], bytes[3]};
}

/// Completes `layout` with the shape, flattened to rows and columns.
/// \throws InputError if the array does not fill the rest of the file.
ArrayTable fill_file(std::unique_ptr<ByteSource> source, const char* format, ArrayLayout layout,
                     const std::vector<Count>& shape) {
  const bool empty = std::find(shape.begin(), shape.end(), Count{0}) != shape.end();
  Count bytes = empty ? 0 : bytes_of(layout.type);
  for (const Count size : shape)
    if (__builtin_mul_overflow(bytes, size, &bytes))
      throw InputError(
          fmt::format("{}: the sizes in the {} header are those of an array larger "
                      "than any file",
                      source->name(), format));
  layout.rows = shape.front();
  for (std::size_t d = 1; d < shape.size(); ++d) layout.columns *= shape[d];
  const Count left = source->size() - layout.data_begin;
  if (bytes != left)
    throw InputError(fmt::format(
        "{}: the {} array of {} rows of {} numbers takes {} bytes, but {} follow its "
        "header, which ends at byte {}",
        source->name(), format, layout.rows, layout.columns, bytes, left, layout.data_begin));
  // Rows without columns take no bytes, so the file size cannot confirm their number.
  if (layout.columns == 0) layout.rows = 0;
  return ArrayTable(std::move(source), layout);
}

}  // namespace

bool probe_npy(ByteSource& source) {
  constexpr std::array<unsigned char, 6> magic{0x93, 'N', 'U', 'M', 'P', 'Y'};
  if (source.size() < magic.size()) return false;
  std::array<unsigned char, magic.size()> start;
  source.read(0, std::as_writable_bytes(std::span(start)));
  return start == magic;
}

bool probe_idx(ByteSource& source) {
  if (source.size() < idx_fixed_bytes) return false;
  const auto start = read_idx_start(source);
  return start[0] == 0 && start[1] == 0 && idx_format(start[2]) != nullptr && start[3] > 0;
}

ArrayTable open_npy_table(std::unique_ptr<ByteSource> source) {
  const NpyHeader header = read_npy_header(*source);
  const std::string& descr = header.descr;
  const bool known = descr.size() == 3 && std::string_view("<>=").find(descr[0]) != descr.npos &&
                     (descr.substr(1) == "f4" || descr.substr(1) == "f8");
  if (!known)
    throw InputError(
        fmt::format("{}: the .npy array is of type '{}'; only float32 and float64 "
                    "('<f4', '>f4', '<f8', '>f8') can be read",
                    source->name(), descr));
  if (header.shape.empty() || header.shape.size() > 2)
    throw InputError(fmt::format("{}: the .npy array has {} dimensions, not 1 or 2", source->name(),
                                 header.shape.size()));
  ArrayLayout layout{.type = descr[2] == '4' ? NumberType::float32 : NumberType::float64,
                     .fortran_order = header.fortran_order,
                     .data_begin = header.data_begin};
  if (descr[0] != '=') layout.order = descr[0] == '<' ? std::endian::little : std::endian::big;
  return fill_file(std::move(source), ".npy", layout, header.shape);
}

ArrayTable open_idx_table(std::unique_ptr<ByteSource> source) {
  const std::string& name = source->name();
  const auto start = read_idx_start(*source);
  if (start[0] != 0 || start[1] != 0)
    throw InputError(name + ": the first two bytes are not the zeros of an IDX file");
  const NumberFormat* const format = idx_format(start[2]);
  if (format == nullptr)
    throw InputError(fmt::format("{}: IDX type 0x{:02X} (byte 2) is unknown", name, start[2]));
  const Count dimensions = static_cast<Count>(start[3]);
  if (dimensions == 0) throw InputError(name + ": the IDX array (byte 3) has no dimensions");
  const Count data_begin = idx_fixed_bytes + 4 * dimensions;
  if (source->size() < data_begin)
    throw InputError(
        fmt::format("{}: the IDX header of {} bytes is cut off: the file ends at byte {}", name,
                    data_begin, source->size()));
  std::vector<Count> shape;
  for (Count d = 0; d < dimensions; ++d)
    shape.push_back(read_number<std::uint32_t>(*source, idx_fixed_bytes + 4 * d, std::endian::big));
  return fill_file(std::move(source), "IDX",
                   {.type = format->type, .order = std::endian::big, .data_begin = data_begin},
                   shape);
}

void ArrayTable::read_rows(Count first, Count count, Real* out, Count column_stride,
                           const Progress& progress) {
  if (count == 0) return;
  const auto number =
      std::find_if(number_formats.begin(), number_formats.end(), [&](const NumberFormat& f) {
        return f.type == layout_.type;
      })->load;
  const Count size = bytes_of(layout_.type);
  // Rows of the file: those of the table, or its columns one after the other.
  const Count passes = layout_.fortran_order ? layout_.columns : 1;
  const Count width = layout_.fortran_order ? 1 : layout_.columns;
  RowProgress done(progress, count, passes);
  for (Count pass = 0; pass < passes; ++pass)
    for_each_record(
        *source_, layout_.data_begin + (pass * layout_.rows + first) * width * size, width * size,
        count,
        [&](Count i, const std::byte* bytes) {
          for (Count j = 0; j < width; ++j)
            out[i + (pass + j) * column_stride] = number(bytes + j * size, layout_.order);
        },
        [&](Count records) { done.add(records); });
}

}  // namespace copse::io
