#include <copse/backend/error.hpp>
#include <copse/io/tables/number_table.hpp>

#include <fmt/format.h>

#include <cmath>

namespace copse::io {

void require_finite_numbers(const std::string& file, const Real* data, Count rows, Count columns,
                            Count column_stride, Count first_row) {
  for (Count i = 0; i < rows; ++i)
    for (Count j = 0; j < columns; ++j)
      if (!std::isfinite(data[i + j * column_stride]))
        throw InputError(
            fmt::format("{}: row {}, column {} (counted from 0) is not a finite number", file,
                        first_row + i, j));
}

}  // namespace copse::io
