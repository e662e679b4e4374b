#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/bytes/crc64.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/genericio_layout.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace copse::io::genericio {

namespace {

constexpr Count magic_bytes = 8;
constexpr Count fixed_header_bytes = 152;
constexpr Count name_bytes = 256;
constexpr Count variable_header_bytes = name_bytes + 16;
constexpr Count block_header_bytes = 40;
constexpr std::uint64_t float_flag = 1;

/// The fixed header: the integers from byte 8 on.
struct Header {
  Count bytes;  ///< of everything before the header's checksum
  Count rows;
  Count variables, variable_stride, variables_offset;
  Count blocks, block_stride, blocks_offset;
  Count fixed_bytes;
};

Header read_header(ByteSource& source, std::endian order) {
  const auto integer = [&](Count i) {
    return read_number<std::uint64_t>(source, magic_bytes + 8 * i, order);
  };
  // Integers 2 to 4 are the dimensions of the grid of ranks.
  return {integer(0), integer(1), integer(5),  integer(6), integer(7),
          integer(8), integer(9), integer(10), integer(11)};
}

/// Checks that `count` entries of `stride` bytes at `offset` end inside the header.
void require_table(const ByteSource& source, const Header& header, std::string_view what,
                   Count count, Count stride, Count minimum, Count offset) {
  if (stride < minimum)
    throw InputError(fmt::format("{}: the GenericIO header says {} bytes for a {}, but it takes {}",
                                 source.name(), stride, what, minimum));
  if (offset > header.bytes || count > (header.bytes - offset) / stride)
    throw InputError(fmt::format(
        "{}: the GenericIO header says {} {}s of {} bytes at byte {}, beyond its end at byte {}",
        source.name(), count, what, stride, offset, header.bytes));
}

void require_header_checksum(ByteSource& source, const Header& header, std::endian order) {
  Crc64 crc;
  std::vector<std::byte> buffer(std::min(header.bytes, stream_buffer_bytes));
  for (Count at = 0; at < header.bytes; at += buffer.size()) {
    const auto chunk = std::span(buffer).first(std::min<Count>(buffer.size(), header.bytes - at));
    source.read(at, chunk);
    crc.add(chunk);
  }
  if (!is_complement(read_number<std::uint64_t>(source, header.bytes, order), crc.value()))
    throw InputError(fmt::format("{}: the checksum of the GenericIO header at byte {} is wrong",
                                 source.name(), header.bytes));
}

std::vector<Variable> read_variables(ByteSource& source, const Header& header, std::endian order) {
  std::vector<Variable> variables;
  for (Count v = 0; v < header.variables; ++v) {
    const Count offset = header.variables_offset + v * header.variable_stride;
    std::array<char, name_bytes> name;
    source.read(offset, std::as_writable_bytes(std::span(name)));
    const auto flags = read_number<std::uint64_t>(source, offset + name_bytes, order);
    const auto width = read_number<std::uint64_t>(source, offset + name_bytes + 8, order);
    const auto end = std::find(name.begin(), name.end(), '\0');
    // Names appear in one-line messages.
    if (!std::all_of(name.begin(), end, [](char c) { return c >= ' ' && c <= '~'; }))
      throw InputError(fmt::format("{}: the name of GenericIO variable {} at byte {} is not text",
                                   source.name(), v, offset));
    variables.push_back({{name.begin(), end}, (flags & float_flag) != 0, width});
  }
  return variables;
}

/// Bytes of one row over all variables.
Count row_bytes(const ByteSource& source, const std::vector<Variable>& variables) {
  Count bytes = 0;
  for (const Variable& v : variables) {
    if (v.width > source.size())
      throw InputError(
          fmt::format("{}: the GenericIO variable '{}' has {} bytes a value, more than the file",
                      source.name(), v.name, v.width));
    bytes += v.width;
  }
  return bytes;
}

std::vector<Block> read_blocks(ByteSource& source, const Header& header, std::endian order,
                               const std::vector<Variable>& variables) {
  const Count per_row = row_bytes(source, variables);
  const Count checksums = variables.size() * checksum_bytes;
  std::vector<Block> blocks;
  Count rows = 0;
  Count bytes_left = source.size();
  for (Count b = 0; b < header.blocks; ++b) {
    const Count offset = header.blocks_offset + b * header.block_stride;
    const auto n = read_number<std::uint64_t>(source, offset + 24, order);
    const auto start = read_number<std::uint64_t>(source, offset + 32, order);
    // Blocks do not overlap, so together they cannot exceed the file size; this bounds the rows and
    // with them the memory.
    if (checksums > bytes_left ||
        (n > 0 && n > (bytes_left - checksums) / std::max<Count>(1, per_row)))
      throw InputError(fmt::format(
          "{}: GenericIO block {} says {} particles at byte {}, more than the file holds",
          source.name(), b, n, offset + 24));
    const Count bytes = n * per_row + checksums;
    if (start > source.size() || bytes > source.size() - start)
      throw InputError(
          fmt::format("{}: GenericIO block {} of {} particles takes {} bytes from byte {} on, but "
                      "the file ends at byte {}",
                      source.name(), b, n, bytes, start, source.size()));
    bytes_left -= bytes;
    blocks.push_back({rows, n, start});
    rows += n;
  }
  if (rows != header.rows)
    throw InputError(
        fmt::format("{}: the GenericIO header says {} particles at byte 16, but its blocks hold {}",
                    source.name(), header.rows, rows));
  return blocks;
}

}  // namespace

int Layout::find(std::string_view name) const {
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (variables[v].name == name) return static_cast<int>(v);
  return -1;
}

Count Layout::array_offset(const Block& block, int v) const {
  Count offset = block.offset;
  for (int u = 0; u < v; ++u)
    offset += block.rows * variables[static_cast<std::size_t>(u)].width + checksum_bytes;
  return offset;
}

bool has_magic(ByteSource& source) {
  std::array<char, magic_bytes> magic;
  if (source.size() < magic.size()) return false;
  source.read(0, std::as_writable_bytes(std::span(magic)));
  return std::memcmp(magic.data(), "HACC01L", 8) == 0 ||
         std::memcmp(magic.data(), "HACC01B", 8) == 0;
}

bool is_complement(std::uint64_t stored, std::uint64_t checksum) {
  std::array<std::byte, 8> bytes;
  store(~checksum, bytes.data(), std::endian::little);
  return stored == ~checksum || stored == load<std::uint64_t>(bytes.data(), std::endian::big);
}

Layout read_layout(ByteSource& source) {
  if (!has_magic(source))
    throw InputError(source.name() + ": the first bytes are not the GenericIO magic");
  Layout layout;
  const auto letter = read_number<char>(source, 6, std::endian::native);
  layout.order = letter == 'L' ? std::endian::little : std::endian::big;
  const Header header = read_header(source, layout.order);
  if (header.fixed_bytes < fixed_header_bytes || header.bytes < header.fixed_bytes ||
      header.bytes > source.size() || source.size() - header.bytes < checksum_bytes)
    throw InputError(fmt::format(
        "{}: the GenericIO header says {} bytes with a fixed part of {}, but the file has {}",
        source.name(), header.bytes, header.fixed_bytes, source.size()));
  require_table(source, header, "variable", header.variables, header.variable_stride,
                variable_header_bytes, header.variables_offset);
  require_table(source, header, "block", header.blocks, header.block_stride, block_header_bytes,
                header.blocks_offset);
  require_header_checksum(source, header, layout.order);
  // Later versions may compress blocks; their header then has a table of compressed blocks, whose
  // entry size is here.
  if (header.fixed_bytes >= fixed_header_bytes + 16 &&
      read_number<std::uint64_t>(source, fixed_header_bytes, layout.order) != 0)
    throw InputError(source.name() + ": compressed GenericIO files are not supported");

  layout.rows = header.rows;
  for (Count a = 0; a < 3; ++a) {
    layout.origin[a] = read_number<double>(source, 104 + 8 * a, layout.order);
    layout.edge[a] = read_number<double>(source, 128 + 8 * a, layout.order);
    if (!std::isfinite(layout.origin[a]) || !std::isfinite(layout.edge[a]))
      throw InputError(
          fmt::format("{}: the physical box in the GenericIO header at byte {} is not finite",
                      source.name(), 104 + 8 * a));
  }
  layout.variables = read_variables(source, header, layout.order);
  layout.blocks = read_blocks(source, header, layout.order, layout.variables);
  return layout;
}

}  // namespace copse::io::genericio
