#pragma once
/// \file
/// What libraries of neighbour searches have in common, so that they can be measured beside each
/// other.
///
/// A library is one file that implements `NeighborSearch` and one line in libraries.cpp. Copse's
/// own search belongs there as one more file.

#include <copse/backend/types.hpp>

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace copse::peers {

using Point = std::array<Real, 3>;

/// Points in a leaf of every tree, where the library lets one choose: nanoflann's default.
inline constexpr int leaf_points = 10;

/// A tree over points and the two searches. A search runs on as many threads as OpenMP has, unless
/// the library cannot.
class NeighborSearch {
 public:
  virtual ~NeighborSearch() = default;

  /// False for a library whose searches share hidden state: they run on one thread.
  virtual bool threaded() const { return true; }

  /// Builds the tree, on one thread. `points` outlives the searches.
  virtual void build(const std::vector<Point>& points) = 0;

  /// Stores the rows of the k nearest points of query q at `rows[q * k]` on, in any order. A query
  /// that is a point is its own nearest. k is at most the number of points.
  virtual void nearest(const std::vector<Point>& queries, int k,
                       std::vector<LocalIndex>& rows) const = 0;

  /// Stores the number of points within `radius` of query q in `counts[q]`. Whether points on the
  /// sphere count is up to the library's rounding.
  virtual void count(const std::vector<Point>& queries, Real radius,
                     std::vector<LocalIndex>& counts) const = 0;
};

struct Library {
  std::string_view name;
  std::unique_ptr<NeighborSearch> (*make)();
};

/// Those that were found when this program was built.
std::span<const Library> libraries();

std::unique_ptr<NeighborSearch> make_nanoflann();
std::unique_ptr<NeighborSearch> make_ann();
std::unique_ptr<NeighborSearch> make_flann();

}  // namespace copse::peers
