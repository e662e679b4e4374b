#pragma once
/// \file
/// The columns of the catalogue as files have them: names, units and meanings in one list.

#include "catalogue.hpp"
#include <copse/io/host_table.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace copse::fof {

/// What the particles must have for a column to be known.
enum class ColumnNeeds { nothing, velocity, species, levels };

struct CatalogueColumn {
  std::string_view name;                 ///< of the dataset
  std::vector<std::string_view> fields;  ///< a name for each number, for text
  std::string_view unit;
  std::string_view meaning;
  io::NumberType type;   ///< uint64 or float64
  std::size_t position;  ///< byte in GroupProperties
  ColumnNeeds needs;

  /// The numbers of all groups.
  io::HostTable table(const Catalogue& catalogue) const;
};

/// All columns that are known, in the order of files.
std::vector<CatalogueColumn> catalogue_columns(const Catalogue& catalogue);

}  // namespace copse::fof
