#pragma once
/// \file
/// The common interface of libraries for neighbour searches, for comparing them.
///
/// A library is one file that implements `NeighborSearch` and one line in libraries.cpp. Copse's
/// own search is one of them (copse_search.cpp).

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

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
///
/// The searches of a backend copy points, queries and answers between the host and
/// the memory of the backend. They do so in `send_*` and `fetch_*`, which are not timed; those of
/// other searches do nothing.
class NeighborSearch {
 public:
  virtual ~NeighborSearch() = default;

  /// One for a library whose searches share hidden state.
  virtual int threads() const { return Kokkos::DefaultHostExecutionSpace().concurrency(); }

  /// Called before `build` with the same points.
  virtual void send_points(const std::vector<Point>&) {}
  /// Called before searches with the same queries.
  virtual void send_queries(const std::vector<Point>&) {}
  /// Called after the last of several calls of `nearest` or `count`, with their answers.
  virtual void fetch_rows(std::vector<LocalIndex>&) const {}
  virtual void fetch_counts(std::vector<LocalIndex>&) const {}

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
  /// `backend` is the name of a backend of this build; only searches of backends read it.
  std::unique_ptr<NeighborSearch> (*make)(std::string_view backend);
  int leaf_points = usual_leaf_points;
  Count most_neighbors = 1024;  ///< largest k that it supports
  bool ours = false;            ///< Copse's own, the reference for the others
  bool on_backend = false;      ///< runs on the backend, not always on the host
};

/// The libraries that were found when this program was built.
std::span<const Library> libraries();

std::unique_ptr<NeighborSearch> make_nanoflann(std::string_view backend);
std::unique_ptr<NeighborSearch> make_ann(std::string_view backend);
std::unique_ptr<NeighborSearch> make_flann(std::string_view backend);

/// ArborX as it is by default, sorting the queries along a curve as part of the search; and with
/// queries in the given order.
std::unique_ptr<NeighborSearch> make_arborx(std::string_view backend);
std::unique_ptr<NeighborSearch> make_arborx_in_order(std::string_view backend);
std::unique_ptr<NeighborSearch> make_arborx_backend(std::string_view backend);
std::unique_ptr<NeighborSearch> make_arborx_backend_in_order(std::string_view backend);

/// Largest k for which Copse's search is compiled here.
inline constexpr Count copse_most_neighbors = 32;

/// Copse on one thread, and on all; and both with queries sorted into its own order first.
std::unique_ptr<NeighborSearch> make_copse_serial(std::string_view backend);
std::unique_ptr<NeighborSearch> make_copse_threads(std::string_view backend);
std::unique_ptr<NeighborSearch> make_copse_serial_scheduled(std::string_view backend);
std::unique_ptr<NeighborSearch> make_copse_threads_scheduled(std::string_view backend);

/// Copse on the backend, sorting the queries along a curve as part of the search; and with queries
/// in the given order.
std::unique_ptr<NeighborSearch> make_copse_backend(std::string_view backend);
std::unique_ptr<NeighborSearch> make_copse_backend_in_order(std::string_view backend);

}  // namespace copse::peers
