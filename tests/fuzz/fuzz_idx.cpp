// Fuzz target of IDX files.
#include "every_number.hpp"
#include <copse/io/tables/array_table.hpp>

#include <memory>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  fuzz::read_or_refuse([&] {
    auto source = std::make_unique<io::MemorySource>(fuzz::source_name, bytes);
    io::probe_idx(*source);
    auto table = io::open_idx_table(std::move(source));
    fuzz::read_every_number(table);
  });
  return 0;
}
