#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/gadget_part.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>

namespace copse::io::gadget {

namespace {

constexpr Count marker_bytes = 4;
constexpr Count header_bytes = 256;
constexpr Count name_bytes = 8;

/// The bytes between the two counts of a Fortran record.
struct Record {
  Count offset;
  Count bytes;
  Count next() const { return offset + bytes + marker_bytes; }
};

/// The record whose first count is at byte `at`. GADGET writes blocks of 4 GiB and more as one
/// record whose counts hold the lower 32 bits of the length. The shortest length that is followed
/// by an equal count is taken.
Record read_record(ByteSource& source, Count at, std::endian order) {
  const Count lead = read_number<std::uint32_t>(source, at, order);
  const Count begin = at + marker_bytes;
  for (Count bytes = lead; bytes + marker_bytes <= source.size() - begin; bytes += Count{1} << 32)
    if (read_number<std::uint32_t>(source, begin + bytes, order) == lead) return {begin, bytes};
  if (lead + marker_bytes > source.size() - begin)
    throw InputError(fmt::format(
        "{}: the record of {} bytes at byte {} goes beyond the end of the file at byte {}",
        source.name(), lead, at, source.size()));
  throw InputError(fmt::format(
      "{}: the record at byte {} says {} bytes before its data, but {} after them at byte {}",
      source.name(), at, lead, read_number<std::uint32_t>(source, begin + lead, order),
      begin + lead));
}

struct Start {
  std::endian order;
  int format;
};

std::optional<Start> find_start(ByteSource& source) {
  if (source.size() < marker_bytes) return std::nullopt;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const auto length = read_number<std::uint32_t>(source, 0, order);
    if (length == header_bytes) return Start{order, 1};
    if (length != name_bytes || source.size() < 2 * marker_bytes) continue;
    std::array<std::byte, 4> name;
    source.read(marker_bytes, name);
    if (std::memcmp(name.data(), "HEAD", 4) == 0) return Start{order, 2};
  }
  return std::nullopt;
}

Header read_header(ByteSource& source, const Record& record, std::endian order) {
  if (record.bytes != header_bytes)
    throw InputError(fmt::format("{}: the GADGET header at byte {} has {} bytes, not 256",
                                 source.name(), record.offset, record.bytes));
  std::array<std::byte, header_bytes> bytes;
  source.read(record.offset, bytes);
  Header h;
  for (int t = 0; t < types; ++t) {
    h.count[t] = load<std::int32_t>(bytes.data() + 4 * t, order);
    h.mass[t] = load<double>(bytes.data() + 24 + 8 * t, order);
    h.total_count[t] = load<std::uint32_t>(bytes.data() + 96 + 4 * t, order);
    if (h.count[t] < 0)
      throw InputError(fmt::format("{}: the GADGET header says {} particles of type {} at byte {}",
                                   source.name(), h.count[t], t, record.offset + 4 * t));
  }
  h.time = load<double>(bytes.data() + 72, order);
  h.files = load<std::int32_t>(bytes.data() + 124, order);
  h.box_size = load<double>(bytes.data() + 128, order);
  if (h.files < 0)
    throw InputError(fmt::format("{}: the GADGET header says {} files at byte {}", source.name(),
                                 h.files, record.offset + 124));
  if (!(std::isfinite(h.box_size) && h.box_size >= 0.0))
    throw InputError(fmt::format("{}: the GADGET header says a box of size {} at byte {}",
                                 source.name(), h.box_size, record.offset + 128));
  return h;
}

/// Checks that the record holds `rows` items of `components` numbers of 4 or 8 bytes.
Block as_block(const ByteSource& source, const Record& record, std::string_view name, Count rows,
               Count components) {
  for (const Count width : {Count{4}, Count{8}})
    if (record.bytes == rows * components * width) return {record.offset, width};
  throw InputError(fmt::format(
      "{}: the {} block at byte {} has {} bytes, but {} particles need {} or {}", source.name(),
      name, record.offset, record.bytes, rows, rows * components * 4, rows * components * 8));
}

}  // namespace

bool starts_like_gadget(ByteSource& source) {
  return find_start(source).has_value();
}

Part scan_part(ByteSource& source) {
  const std::optional<Start> start = find_start(source);
  if (!start) throw InputError(source.name() + ": the first bytes are not a GADGET header");
  Part part;
  part.order = start->order;
  part.format = start->format;

  Count at = 0;
  // Reads the name of the next block in format 2, nothing in format 1; the record follows.
  const auto read_name = [&] {
    std::array<char, 4> name{};
    if (part.format == 2) {
      const Record record = read_record(source, at, part.order);
      if (record.bytes != name_bytes)
        throw InputError(fmt::format("{}: the block name at byte {} has {} bytes, not 8",
                                     source.name(), record.offset, record.bytes));
      source.read(record.offset, std::as_writable_bytes(std::span(name)));
      at = record.next();
    }
    return std::string(name.begin(), name.end());
  };
  const auto read_block = [&] {
    const Record record = read_record(source, at, part.order);
    at = record.next();
    return record;
  };

  read_name();
  part.header = read_header(source, read_block(), part.order);
  for (int t = 0; t < types; ++t) {
    const Count n = static_cast<Count>(part.header.count[t]);
    part.rows += n;
    if (part.has_mass_per_particle(t)) part.rows_with_mass += n;
  }

  struct Wanted {
    std::string_view name;
    Count rows;
    Count components;
    Block* block;
    bool found;
  };
  std::array wanted{Wanted{"POS ", part.rows, 3, &part.position, false},
                    Wanted{"VEL ", part.rows, 3, &part.velocity, false},
                    Wanted{"ID  ", part.rows, 1, &part.id, false},
                    Wanted{"MASS", part.rows_with_mass, 1, &part.mass, false}};
  // Format 1 has no names: blocks come in this order, and empty blocks are absent.
  const auto next_wanted = [&](const std::string& name) -> Wanted* {
    for (Wanted& w : wanted) {
      if (w.found || w.rows == 0) continue;
      if (part.format == 1 || name == w.name) return &w;
    }
    return nullptr;
  };
  while (at < source.size()) {
    const std::string name = read_name();
    const Record record = read_block();
    if (Wanted* w = next_wanted(name)) {
      *w->block = as_block(source, record, w->name, w->rows, w->components);
      w->found = true;
    }
  }
  for (const Wanted& w : wanted)
    if (!w.found && w.rows > 0)
      throw InputError(
          fmt::format("{}: the file ends at byte {} without a {} block of {} particles",
                      source.name(), source.size(), w.name, w.rows));
  return part;
}

}  // namespace copse::io::gadget
