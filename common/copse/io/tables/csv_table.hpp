#pragma once
/// \file
/// Chosen columns of a text file as a table of numbers.
///
/// The text format is that of bytes/text_rows.hpp. Quoted separators are not supported. Columns
/// that are not chosen may hold anything.
///
/// A choice of columns is a list such as "1-7", "3,1,5-6" or "lat,lon": numbers counted from 1,
/// ranges, and names in any case. Names come from the first line, or from the last comment line
/// before it if that has a name for each column. If the choice has no names, a first line without
/// numbers in the chosen columns is a header. An empty choice selects all columns.

#include <copse/io/bytes/text_rows.hpp>
#include <copse/io/tables/number_table.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace copse::io {

class CsvTable final : public NumberTable {
 public:
  /// Reads the file once to count its rows and to record where every 65,536th starts.
  /// \throws InputError naming the line if a chosen column does not exist, and naming the choice if
  ///         it cannot be parsed or contains a column twice.
  CsvTable(std::unique_ptr<ByteSource> source, std::string_view choice);

  const std::string& name() const override { return rows_.name(); }
  Count rows() const override { return rows_.rows(); }
  Count columns() const override { return chosen_.size(); }

  /// \throws InputError naming the line if it has another number of columns than the first, or a
  ///         chosen field that is not a finite number in the range of Real.
  void read_rows(Count first, Count count, Real* out, Count column_stride,
                 const Progress& progress) override;

 private:
  using Fields = TextRows::Fields;

  bool find_columns(const Fields& fields, Count line, const Fields& names, std::string_view choice);

  TextRows rows_;
  std::vector<std::size_t> chosen_;  ///< counted from 0
};

}  // namespace copse::io
