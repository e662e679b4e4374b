#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/tables/npy_header.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace copse::io {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr Count version_bytes = 8;  ///< magic and version

/// NumPy itself refuses headers of more than 10,000 characters unless told to trust the file.
constexpr Count max_header_bytes = 1 << 16;

/// Parses the dictionary from left to right. Supports only what numpy.save writes: string, boolean
/// and tuple-of-integers values.
class HeaderParser {
 public:
  HeaderParser(const std::string& file, std::string_view text, Count begin)
      : file_(file), text_(text), begin_(begin) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !has_descr) {
        header.descr = string();
        has_descr = true;
      } else if (key == "fortran_order" && !has_order) {
        header.fortran_order = boolean();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = tuple();
        has_shape = true;
      } else {
        fail(fmt::format("has the unexpected key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (skip_spaces(); at_ != text_.size()) fail("does not end after its dictionary");
    if (!has_descr || !has_order || !has_shape)
      fail("lacks one of the keys 'descr', 'fortran_order' and 'shape'");
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: the .npy header {} (byte {})", file_, what, begin_ + at_));
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }

  bool accept(char c) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("lacks a '{}'", c));
  }

  std::string string() {
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote == '[') fail("describes records of several fields; only plain numbers can be read");
    if (quote != '\'' && quote != '"') fail("lacks a quoted string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("has a string without end");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    for (const char c : value)
      if (c < ' ' || c > '~') fail("has a string with unprintable characters");
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    skip_spaces();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("lacks True or False");
  }

  std::vector<Count> tuple() {
    std::vector<Count> values;
    expect('(');
    while (!accept(')')) {
      skip_spaces();
      Count value = 0;
      const char* const end = text_.data() + text_.size();
      const auto [next, error] = std::from_chars(text_.data() + at_, end, value);
      if (error != std::errc{}) fail("has a shape that is not a tuple of 64-bit counts");
      at_ = static_cast<std::size_t>(next - text_.data());
      accept('L');  // Python 2 wrote long integers with this suffix.
      values.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  const std::string& file_;
  std::string_view text_;
  Count begin_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader read_npy_header(ByteSource& source) {
  std::array<char, version_bytes> start;
  source.read(0, std::as_writable_bytes(std::span(start)));
  if (std::string_view(start.data(), magic.size()) != magic)
    throw InputError(source.name() + ": the first six bytes are not those of a .npy file");
  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    throw InputError(fmt::format("{}: .npy version {}.{} (byte 6) is not 1.0, 2.0 or 3.0",
                                 source.name(), major, minor));

  const Count length_bytes = major == 1 ? 2 : 4;
  const Count length =
      major == 1 ? Count{read_number<std::uint16_t>(source, version_bytes, std::endian::little)}
                 : Count{read_number<std::uint32_t>(source, version_bytes, std::endian::little)};
  if (length > max_header_bytes)
    throw InputError(fmt::format("{}: the .npy header claims {} bytes (byte {}), more than {}",
                                 source.name(), length, version_bytes, max_header_bytes));
  const Count begin = version_bytes + length_bytes;
  if (length > source.size() - begin)
    throw InputError(
        fmt::format("{}: the .npy header of {} bytes from byte {} on is cut off: the "
                    "file ends at byte {}",
                    source.name(), length, begin, source.size()));
  std::string text(length, '\0');
  source.read(begin, std::as_writable_bytes(std::span(text)));
  NpyHeader header = HeaderParser(source.name(), text, begin).parse();
  header.data_begin = begin + length;
  return header;
}

}  // namespace copse::io
