#pragma once
/// \file
/// The columns of the catalogue in output files: names, units and meanings in one list.

#include "catalogue.hpp"
#include <copse/io/tables/host_table.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace copse::fof {

/// What the particles must provide for a column to exist.
enum class ColumnNeeds { nothing, velocity, species, levels };

struct CatalogueColumn {
  std::string_view name;                 ///< name of the dataset
  std::vector<std::string_view> fields;  ///< one name per number, for text output
  std::string_view unit;
  std::string_view meaning;
  io::NumberType type;   ///< uint64 or float64
  std::size_t position;  ///< byte offset in GroupProperties
  ColumnNeeds needs;

  /// The values of this column for all groups.
  io::HostTable table(const Catalogue& catalogue) const;
};

/// All available columns, in file order.
std::vector<CatalogueColumn> catalogue_columns(const Catalogue& catalogue);

}  // namespace copse::fof
