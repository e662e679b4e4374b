#include "repair.hpp"

#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/bytes/crc64.hpp>
#include <copse/io/genericio_layout.hpp>

#include <span>

namespace copse::fuzz {

namespace {

/// A GenericIO file states at byte 8 where its header ends and the header's checksum begins; a
/// checksum also follows each array of its blocks.
void repair_genericio(std::vector<std::byte>& bytes) {
  if (bytes.size() < 16) return;
  const auto order = bytes[6] == std::byte{'B'} ? std::endian::big : std::endian::little;
  const auto header = io::load<std::uint64_t>(bytes.data() + 8, order);
  if (header > bytes.size() || bytes.size() - header < 8) return;
  io::Crc64 crc;
  crc.add(std::span(bytes).first(header));
  io::store(~crc.value(), bytes.data() + header, order);

  io::MemorySource source("fuzzed", bytes);
  io::genericio::Layout layout;
  try {
    layout = io::genericio::read_layout(source);
  } catch (const InputError&) {
    return;
  }
  for (const auto& block : layout.blocks)
    for (std::size_t v = 0; v < layout.variables.size(); ++v) {
      const Count begin = layout.array_offset(block, static_cast<int>(v));
      const Count length = block.rows * layout.variables[v].width;
      io::Crc64 array;
      array.add(std::span(bytes).subspan(begin, length));
      io::store(~array.value(), bytes.data() + begin + length, order);
    }
}

}  // namespace

void repair(std::string_view format, std::vector<std::byte>& bytes) {
  if (format == "genericio") repair_genericio(bytes);
}

}  // namespace copse::fuzz
