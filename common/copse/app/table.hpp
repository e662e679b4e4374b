#pragma once
/// \file
/// A small aligned table for the terminal.

#include <cstddef>
#include <string>
#include <vector>

namespace copse::app {

/// Rows of text cells. Columns are as wide as their widest cell; cells that are numbers are aligned
/// to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}

  /// \throws std::invalid_argument unless there is one cell per column of the header
  void add_row(std::vector<std::string> cells);
  std::string to_string() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// Seconds with a suitable unit: "12.3 ms".
std::string format_seconds(double seconds);
/// Bytes in KiB, MiB, ...: "1.50 GiB".
std::string format_bytes(double bytes);
/// A number with three significant digits and a decimal prefix: "12.3 M".
std::string format_rate(double value);

}  // namespace copse::app
