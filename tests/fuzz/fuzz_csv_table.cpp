// Fuzz target of text with chosen columns: the first line is the choice, the others are the file.
#include "every_number.hpp"
#include <copse/io/tables/column_choice.hpp>
#include <copse/io/tables/csv_table.hpp>

#include <memory>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view choice = all.substr(0, all.find('\n'));
  try {
    io::parse_column_choice(choice);
  } catch (const InputError& error) {
    fuzz::require(std::string_view(error.what()).find('\n') == std::string_view::npos,
                  "a refusal has more than one line");
    return 0;
  }
  const std::size_t begin = std::min(choice.size() + 1, size);
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(begin);
  fuzz::read_or_refuse([&] {
    io::CsvTable table(std::make_unique<io::MemorySource>(fuzz::source_name, bytes), choice);
    fuzz::read_every_number(table);
  });
  return 0;
}
