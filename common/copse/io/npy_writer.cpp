#include <copse/io/atomic_file.hpp>
#include <copse/io/npy_header.hpp>
#include <copse/io/npy_writer.hpp>
#include <copse/io/record_stream.hpp>

#include <fmt/format.h>

#include <bit>

namespace copse::io {

namespace {

/// NumPy's code for the type: byte order ('|' for single bytes), kind, bytes.
std::string descr_of(NumberType type) {
  const bool floating = type == NumberType::float32 || type == NumberType::float64;
  const char kind = floating ? 'f' : type < NumberType::uint8 ? 'i' : 'u';
  const char native = std::endian::native == std::endian::little ? '<' : '>';
  return fmt::format("{}{}{}", bytes_of(type) == 1 ? '|' : native, kind, bytes_of(type));
}

}  // namespace

void write_npy(const std::filesystem::path& path, const HostTable& table) {
  AtomicFile file(path);
  std::vector<Count> shape{table.rows};
  if (table.rank == 2) shape.push_back(table.columns);
  file.write(format_npy_header(descr_of(table.type), shape));

  const Count row_bytes = table.columns * bytes_of(table.type);
  const Count per_chunk = std::max<Count>(1, stream_buffer_bytes / std::max<Count>(1, row_bytes));
  std::vector<std::byte> buffer(std::min(per_chunk, table.rows) * row_bytes);
  for (Count begin = 0; begin < table.rows; begin += per_chunk) {
    const Count n = std::min(per_chunk, table.rows - begin);
    const std::span chunk = std::span(buffer).first(n * row_bytes);
    table.pack_rows(begin, n, chunk);
    file.write(chunk);
  }
  file.commit();
}

}  // namespace copse::io
