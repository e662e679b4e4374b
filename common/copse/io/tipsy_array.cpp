#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/bytes/text_lines.hpp>
#include <copse/io/tipsy_array.hpp>

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace copse::io {

namespace {

constexpr Count word_bytes = 4;

/// Byte order, N and number of components of a binary array whose size fits; empty for ASCII.
struct BinaryShape {
  std::endian order;
  Count particles;
  int components;
};

std::optional<BinaryShape> find_binary_shape(ByteSource& source) {
  if (source.size() < word_bytes) return std::nullopt;
  for (const std::endian order : {std::endian::big, std::endian::little}) {
    const Count n = read_number<std::uint32_t>(source, 0, order);
    for (const int components : {1, 3})
      if (source.size() == word_bytes * (1 + n * static_cast<Count>(components)))
        return BinaryShape{order, n, components};
  }
  return std::nullopt;
}

template <class T>
TipsyArray<T> read_binary(ByteSource& source, const BinaryShape& shape) {
  using Stored = std::conditional_t<std::is_integral_v<T>, std::int32_t, float>;
  TipsyArray<T> array{shape.particles, shape.components, {}};
  array.values.resize(shape.particles * static_cast<Count>(shape.components));
  for_each_record(source, word_bytes, word_bytes, array.values.size(),
                  [&](Count i, const std::byte* bytes) {
                    array.values[i] = static_cast<T>(load<Stored>(bytes, shape.order));
                  });
  return array;
}

template <class T>
T parse(const ByteSource& source, std::string_view text, Count line, const char* what) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InputError(fmt::format("{}: line {} is not {}", source.name(), line, what));
  return value;
}

template <class T>
TipsyArray<T> read_ascii(ByteSource& source) {
  constexpr const char* what = std::is_integral_v<T> ? "an integer" : "a number";
  TipsyArray<T> array;
  TextLines lines(source);
  while (lines.next()) {
    const std::string_view text = lines.content();
    const Count line = lines.position().number;
    if (line > 1) {
      if (text.empty() && array.values.size() >= array.particles) continue;
      array.values.push_back(parse<T>(source, text, line, what));
      continue;
    }
    array.particles = parse<Count>(source, text, line, "the number of particles");
    // A value takes at least one digit and a line end.
    if (array.particles > source.size() / 2)
      throw InputError(fmt::format("{}: line 1 says {} particles, more than {} bytes can hold",
                                   source.name(), array.particles, source.size()));
    array.values.reserve(array.particles);
  }
  const Count n = array.particles;
  if (array.values.size() == 3 * n && n > 0)
    array.components = 3;
  else if (array.values.size() != n || source.size() == 0)
    throw InputError(fmt::format("{}: line 1 says {} particles, but {} values follow",
                                 source.name(), n, array.values.size()));
  return array;
}

template <class T>
TipsyArray<T> read_array(ByteSource& source) {
  if (const auto shape = find_binary_shape(source)) return read_binary<T>(source, *shape);
  return read_ascii<T>(source);
}

}  // namespace

TipsyArray<double> read_tipsy_reals(ByteSource& source) {
  return read_array<double>(source);
}

TipsyArray<std::int64_t> read_tipsy_integers(ByteSource& source) {
  return read_array<std::int64_t>(source);
}

}  // namespace copse::io
