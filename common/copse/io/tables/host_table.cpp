#include <copse/io/tables/host_table.hpp>

#include <cstring>

namespace copse::io {

namespace {

template <class Word>
void pack(const HostTable& table, Count first, Count count, std::byte* out) {
  const Word* const begin = static_cast<const Word*>(table.data) + first * table.row_stride;
  if (table.columns == 1 && table.row_stride == 1) {
    std::memcpy(out, begin, count * sizeof(Word));
    return;
  }
  for (Count i = 0; i < count; ++i)
    for (Count j = 0; j < table.columns; ++j)
      std::memcpy(out + (i * table.columns + j) * sizeof(Word),
                  begin + i * table.row_stride + j * table.column_stride, sizeof(Word));
}

}  // namespace

void HostTable::pack_rows(Count first, Count count, std::span<std::byte> out) const {
  if (count == 0 || columns == 0) return;
  switch (bytes_of(type)) {
    case 1:
      return pack<std::uint8_t>(*this, first, count, out.data());
    case 2:
      return pack<std::uint16_t>(*this, first, count, out.data());
    case 4:
      return pack<std::uint32_t>(*this, first, count, out.data());
    default:
      return pack<std::uint64_t>(*this, first, count, out.data());
  }
}

}  // namespace copse::io
