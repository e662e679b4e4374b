#pragma once
/// \file
/// The body of the fuzz targets for tables of numbers.

#include "fuzz_harness.hpp"
#include <copse/io/tables/table_points.hpp>

#include <algorithm>
#include <vector>

namespace copse::fuzz {

/// Reads every row, the later half twice, and projects all of them.
/// \throws InputError if the table rejects its file.
inline void read_every_number(io::NumberTable& table) {
  for (const Count first : {Count{0}, table.rows() / 2}) {
    const Count count = table.rows() - first;
    if (count == 0) continue;
    std::vector<Real> numbers(count * table.columns());
    table.read_rows(first, count, numbers.data(), count, {});
  }
  constexpr int dimension = std::max({COPSE_DIMENSIONS});
  io::project_table<dimension>(table, {}, {});
}

}  // namespace copse::fuzz
