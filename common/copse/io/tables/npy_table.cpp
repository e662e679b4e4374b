#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/tables/npy_header.hpp>
#include <copse/io/tables/npy_table.hpp>

#include <fmt/format.h>

namespace copse::io {

namespace {

/// a * b, or no value if the product exceeds 64 bits.
std::optional<Count> product(Count a, Count b) {
  Count result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

template <class T>
Real to_real(const std::byte* bytes, std::endian order) {
  return static_cast<Real>(load<T>(bytes, order));
}

}  // namespace

bool probe_npy(ByteSource& source) {
  constexpr std::array<unsigned char, 6> magic{0x93, 'N', 'U', 'M', 'P', 'Y'};
  if (source.size() < magic.size()) return false;
  std::array<unsigned char, magic.size()> start;
  source.read(0, std::as_writable_bytes(std::span(start)));
  return start == magic;
}

NpyTable::NpyTable(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
  const NpyHeader header = read_npy_header(*source_);
  const std::string& descr = header.descr;
  const bool known = descr.size() == 3 && std::string_view("<>=").find(descr[0]) != descr.npos &&
                     (descr.substr(1) == "f4" || descr.substr(1) == "f8");
  if (!known)
    throw InputError(
        fmt::format("{}: the .npy array is of type '{}'; only float32 and float64 "
                    "('<f4', '>f4', '<f8', '>f8') can be read",
                    name(), descr));
  bytes_per_number_ = descr[2] - '0';
  if (descr[0] != '=') order_ = descr[0] == '<' ? std::endian::little : std::endian::big;
  fortran_order_ = header.fortran_order;
  if (header.shape.empty() || header.shape.size() > 2)
    throw InputError(fmt::format("{}: the .npy array has {} dimensions, not 1 or 2", name(),
                                 header.shape.size()));
  rows_ = header.shape[0];
  columns_ = header.shape.size() == 2 ? header.shape[1] : 1;
  data_begin_ = header.data_begin;

  const Count left = source_->size() - data_begin_;
  const std::optional<Count> numbers = product(rows_, columns_);
  const std::optional<Count> bytes =
      numbers ? product(*numbers, static_cast<Count>(bytes_per_number_)) : std::nullopt;
  if (!bytes)
    throw InputError(fmt::format("{}: the .npy shape ({}, {}) is larger than any file", name(),
                                 rows_, columns_));
  if (*bytes != left)
    throw InputError(
        fmt::format("{}: a .npy array of shape ({}, {}) takes {} bytes, but {} follow "
                    "its header, which ends at byte {}",
                    name(), rows_, columns_, *bytes, left, data_begin_));
  // An array without columns takes no bytes, so the file size cannot confirm its number of rows.
  if (columns_ == 0) rows_ = 0;
}

void NpyTable::read_rows(Count first, Count count, Real* out, Count column_stride,
                         const Progress& progress) {
  const auto number = bytes_per_number_ == 4 ? to_real<float> : to_real<double>;
  const Count size = static_cast<Count>(bytes_per_number_);
  if (count == 0) return;
  RowProgress done(progress, count, fortran_order_ ? columns_ : 1);
  const auto count_rows = [&](Count records) { done.add(records); };
  if (fortran_order_) {
    for (Count j = 0; j < columns_; ++j)
      for_each_record(
          *source_, data_begin_ + (j * rows_ + first) * size, size, count,
          [&](Count i, const std::byte* bytes) {
            out[i + j * column_stride] = number(bytes, order_);
          },
          count_rows);
    return;
  }
  for_each_record(
      *source_, data_begin_ + first * columns_ * size, columns_ * size, count,
      [&](Count i, const std::byte* bytes) {
        for (Count j = 0; j < columns_; ++j)
          out[i + j * column_stride] = number(bytes + j * size, order_);
      },
      count_rows);
}

}  // namespace copse::io
