#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/tables/idx_table.hpp>

#include <fmt/format.h>

#include <array>

namespace copse::io {

namespace {

constexpr Count fixed_bytes = 4;  ///< two zeros, type and number of dimensions

struct NumberFormat {
  int type;
  Count bytes;
  Real (*load)(const std::byte*);
};

template <class T>
Real load_real(const std::byte* bytes) {
  return static_cast<Real>(load<T>(bytes, std::endian::big));
}

constexpr std::array number_formats{
    NumberFormat{0x08, 1, load_real<std::uint8_t>}, NumberFormat{0x09, 1, load_real<std::int8_t>},
    NumberFormat{0x0B, 2, load_real<std::int16_t>}, NumberFormat{0x0C, 4, load_real<std::int32_t>},
    NumberFormat{0x0D, 4, load_real<float>},        NumberFormat{0x0E, 8, load_real<double>}};

const NumberFormat* format_of(int type) {
  for (const NumberFormat& format : number_formats)
    if (format.type == type) return &format;
  return nullptr;
}

std::array<int, fixed_bytes> read_start(ByteSource& source) {
  std::array<unsigned char, fixed_bytes> bytes;
  source.read(0, std::as_writable_bytes(std::span(bytes)));
  return {bytes[0], bytes[1], bytes[2], bytes[3]};
}

}  // namespace

bool probe_idx(ByteSource& source) {
  if (source.size() < fixed_bytes) return false;
  const auto start = read_start(source);
  return start[0] == 0 && start[1] == 0 && format_of(start[2]) != nullptr && start[3] > 0;
}

IdxTable::IdxTable(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
  const auto start = read_start(*source_);
  if (start[0] != 0 || start[1] != 0)
    throw InputError(name() + ": the first two bytes are not the zeros of an IDX file");
  type_ = start[2];
  const NumberFormat* const format = format_of(type_);
  if (format == nullptr)
    throw InputError(fmt::format("{}: IDX type 0x{:02X} (byte 2) is unknown", name(), type_));
  const Count dimensions = static_cast<Count>(start[3]);
  if (dimensions == 0) throw InputError(name() + ": the IDX array (byte 3) has no dimensions");
  data_begin_ = fixed_bytes + 4 * dimensions;
  if (source_->size() < data_begin_)
    throw InputError(
        fmt::format("{}: the IDX header of {} bytes is cut off: the file ends at byte {}", name(),
                    data_begin_, source_->size()));

  const Count left = source_->size() - data_begin_;
  Count bytes = format->bytes;
  for (Count d = 0; d < dimensions; ++d) {
    const Count size = read_number<std::uint32_t>(*source_, fixed_bytes + 4 * d, std::endian::big);
    if (d == 0)
      rows_ = size;
    else
      columns_ *= size;
    if (__builtin_mul_overflow(bytes, size, &bytes))
      throw InputError(
          fmt::format("{}: the sizes in the IDX header, up to byte {}, are those of an "
                      "array larger than any file",
                      name(), fixed_bytes + 4 * d + 3));
  }
  if (bytes != left)
    throw InputError(
        fmt::format("{}: an IDX array of {} rows of {} numbers takes {} bytes, but {} "
                    "follow its header, which ends at byte {}",
                    name(), rows_, columns_, bytes, left, data_begin_));
  // Rows without columns take no bytes, so the file size cannot confirm their number.
  if (columns_ == 0) rows_ = 0;
}

void IdxTable::read_rows(Count first, Count count, Real* out, Count column_stride,
                         const Progress& progress) {
  if (count == 0) return;
  const NumberFormat& format = *format_of(type_);
  const Count row_bytes = columns_ * format.bytes;
  RowProgress done(progress, count, 1);
  for_each_record(
      *source_, data_begin_ + first * row_bytes, row_bytes, count,
      [&](Count i, const std::byte* bytes) {
        for (Count j = 0; j < columns_; ++j)
          out[i + j * column_stride] = format.load(bytes + j * format.bytes);
      },
      [&](Count n) { done.add(n); });
}

}  // namespace copse::io
