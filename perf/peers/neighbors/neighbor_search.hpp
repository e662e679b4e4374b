#pragma once
/// \file
/// The common interface of libraries for neighbour searches, for comparing them.
///
/// A library is one file that implements `NeighborSearch` and one line in libraries.cpp. Copse's
/// own search is one of them (copse_search.cpp).

#include <copse/backend/types.hpp>

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace copse::peers {

using Point = std::array<Real, 3>;

/// Points per leaf of the libraries' trees, unless the user chooses.
inline constexpr int usual_leaf_points = 10;

/// nanoflann's default is 10. With 16 all that is measured here takes less time: building by 18 %,
/// 8 neighbours by 6 %, counts of 34 by 9 % (10^6 uniform points in tree order, one core with
/// AVX-512); 8 and 24 are worse.
inline constexpr int nanoflann_leaf_points = 16;

/// Points in a leaf of Copse's trees, unless the user chooses: see copse_search.cpp.
inline constexpr int copse_leaf_points = 32;

/// A tree over points and the two searches. A search runs on as many threads as OpenMP has, unless
/// the library cannot.
class NeighborSearch {
 public:
  virtual ~NeighborSearch() = default;

  /// False for a library whose searches share hidden state: they run on one thread.
  virtual bool threaded() const { return true; }

  /// Builds the tree with at most `leaf_points` points per leaf; all but ArborX and Copse do this
  /// on one thread, and ArborX's leaves hold one point. `points` outlives the searches.
  virtual void build(const std::vector<Point>& points, int leaf_points) = 0;

  /// Stores the rows of the k nearest points of query q from `rows[q * k]` on, in any order. A
  /// query that is a point is its own nearest neighbour. k is at most the number of points.
  virtual void nearest(const std::vector<Point>& queries, int k,
                       std::vector<LocalIndex>& rows) const = 0;

  /// Stores the number of points within `radius` of query q in `counts[q]`. Whether points on the
  /// sphere count depends on the library's rounding.
  virtual void count(const std::vector<Point>& queries, Real radius,
                     std::vector<LocalIndex>& counts) const = 0;
};

struct Library {
  std::string_view name;
  std::unique_ptr<NeighborSearch> (*make)();
  int leaf_points = usual_leaf_points;
  Count most_neighbors = 1024;  ///< largest k that it supports
  bool ours = false;            ///< Copse's own, the reference for the others
};

/// The libraries that were found when this program was built.
std::span<const Library> libraries();

std::unique_ptr<NeighborSearch> make_nanoflann();
std::unique_ptr<NeighborSearch> make_ann();
std::unique_ptr<NeighborSearch> make_flann();

/// ArborX as it is by default, sorting the queries along a curve as part of the search; and with
/// queries in the given order.
std::unique_ptr<NeighborSearch> make_arborx();
std::unique_ptr<NeighborSearch> make_arborx_in_order();

/// Largest k for which Copse's search is compiled here.
inline constexpr Count copse_most_neighbors = 32;

/// Copse on one thread, and on all; and both with queries sorted into its own order first.
std::unique_ptr<NeighborSearch> make_copse_serial();
std::unique_ptr<NeighborSearch> make_copse_threads();
std::unique_ptr<NeighborSearch> make_copse_serial_scheduled();
std::unique_ptr<NeighborSearch> make_copse_threads_scheduled();

}  // namespace copse::peers
