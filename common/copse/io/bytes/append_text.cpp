#include <copse/io/bytes/append_text.hpp>

#include <iterator>

namespace copse::io {

void append_formatted(std::string& text, fmt::string_view format, fmt::format_args values) {
  fmt::vformat_to(std::back_inserter(text), format, values);
}

}  // namespace copse::io
