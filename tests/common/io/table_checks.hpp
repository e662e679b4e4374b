#pragma once
/// \file
/// Shared helpers of the table reader tests.

#include "byte_builder.hpp"
#include "file_checks.hpp"
#include <copse/io/tables/number_table.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace copse::test {

using OpenTable = std::function<std::unique_ptr<io::NumberTable>(std::unique_ptr<io::ByteSource>)>;

inline std::vector<std::byte> bytes_of_text(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Rows [first, first + count) of the table in `bytes`, one after the other.
inline std::vector<std::vector<Real>> rows_of(const std::vector<std::byte>& bytes,
                                              const OpenTable& open, Count first, Count count) {
  const auto table = open(std::make_unique<io::MemorySource>("memory", bytes));
  std::vector<Real> columns(count * table->columns());
  table->read_rows(first, count, columns.data(), count, {});
  std::vector<std::vector<Real>> rows(count);
  for (Count i = 0; i < count; ++i)
    for (Count j = 0; j < table->columns(); ++j) rows[i].push_back(columns[i + j * count]);
  return rows;
}

inline std::vector<std::vector<Real>> rows_of(const std::vector<std::byte>& bytes,
                                              const OpenTable& open) {
  return rows_of(bytes, open, 0, open(std::make_unique<io::MemorySource>("memory", bytes))->rows());
}

/// The message with which reading the table in `bytes` fails; empty if it succeeds.
inline std::string refusal_of_table(const std::vector<std::byte>& bytes, const OpenTable& open) {
  return sentence_of([&] { rows_of(bytes, open); });
}

}  // namespace copse::test
