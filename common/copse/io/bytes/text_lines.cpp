#include <copse/backend/error.hpp>
#include <copse/io/bytes/text_lines.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace copse::io {

namespace {

constexpr std::string_view byte_order_mark{"\xEF\xBB\xBF"};

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

}  // namespace

TextLines::TextLines(ByteSource& source, LinePosition start)
    : source_(source),
      buffer_(std::min(2 * max_line_bytes, source.size() - start.offset)),
      buffer_offset_(start.offset),
      next_number_(start.number) {
  refill();
  if (start.offset == 0 && std::string_view(buffer_.data(), end_).starts_with(byte_order_mark))
    begin_ = byte_order_mark.size();
}

bool TextLines::refill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  buffer_offset_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  const Count left = source_.size() - (buffer_offset_ + end_);
  const std::size_t n = std::min<Count>(left, buffer_.size() - end_);
  if (n == 0) return false;
  source_.read(buffer_offset_ + end_, std::as_writable_bytes(std::span(buffer_).subspan(end_, n)));
  end_ += n;
  return true;
}

bool TextLines::next() {
  const auto find_end = [&](std::size_t from) {
    return static_cast<const char*>(std::memchr(buffer_.data() + from, '\n', end_ - from));
  };
  const char* line_end = begin_ < end_ ? find_end(begin_) : nullptr;
  if (!line_end) {
    const std::size_t searched = end_ - begin_;
    if (refill() && end_ > searched) line_end = find_end(searched);
    if (begin_ == end_) return false;
  }
  const char* const line_begin = buffer_.data() + begin_;
  const char* const stop = line_end ? line_end : buffer_.data() + end_;
  current_ = {buffer_offset_ + begin_, next_number_++};
  std::string_view line(line_begin, static_cast<std::size_t>(stop - line_begin));
  if (line.size() > max_line_bytes)
    throw InputError(fmt::format("{}: line {} is longer than {} bytes", source_.name(),
                                 current_.number, max_line_bytes));
  begin_ += line.size() + (line_end ? 1 : 0);

  const void* const hash = line.empty() ? nullptr : std::memchr(line.data(), '#', line.size());
  const std::size_t content_size =
      hash ? static_cast<std::size_t>(static_cast<const char*>(hash) - line.data()) : line.size();
  comment_ = hash ? line.substr(content_size + 1) : std::string_view{};
  content_ = trim(line.substr(0, content_size));
  if (!line_end && !content_.empty())
    throw InputError(fmt::format(
        "{}: line {} does not end with a line break, as if the file had been cut off there",
        source_.name(), current_.number));
  return true;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

void split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  if (separator != ' ') {
    for (;;) {
      const std::size_t end = line.find(separator);
      fields.push_back(trim(line.substr(0, end)));
      if (end == std::string_view::npos) return;
      line.remove_prefix(end + 1);
    }
  }
  for (std::size_t i = 0; i < line.size();) {
    while (i < line.size() && is_blank(line[i])) ++i;
    const std::size_t begin = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    if (i > begin) fields.push_back(line.substr(begin, i - begin));
  }
}

}  // namespace copse::io
