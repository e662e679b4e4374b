#pragma once
/// \file
/// Synthetic point sets in 1 to 8 dimensions for trees and traversals, seeded and bitwise
/// reproducible on every backend.
///
/// Invariants
///  - Row i of a set depends only on the model, the seed and i, and not on the number of points
///    (except for the particle models below). Any rows can be generated independently, and the
///    slices of any split together form the whole set.
///  - Rows are in random order: points adjacent in the list are not adjacent in space. A traversal
///    in input order is the unsorted case of the experiments.
///  - Every backend writes the same bits, by the rules of `generators.hpp`.
///  - All coordinates are finite. Units and ranges are those of each model.
///
/// | name         | dimensions | what it is                                                   |
/// |--------------|------------|--------------------------------------------------------------|
/// | uniform      | 1 to 8     | uniform in the unit cube (`uniform_points.hpp`)              |
/// | normal       | 1 to 8     | one Gaussian blob in the unit cube                           |
/// | clustered    | 1 to 8     | clusters in groups, of power-law sizes, over a thin background |
/// | geographic   | 2          | places in towns along coasts and roads; stands in for Geocity |
/// | covtype-like | 1 to 8     | terrain with integer coordinates; stands in for Covtype (7-D) |
/// | mnist-like   | 1 to 8     | projected images of ten classes; stands in for Mnist (7-D)   |
///
/// The last three stand in for the real data sets of [Liu 2019] section 3.4, which
/// `copse/io/point_reader.hpp` can read. They share the properties that affect a traversal, as each
/// model's header describes; results measured on them are not results for the real sets.
///
/// In 3-D the particle models of `generators.hpp` are also available, with identical rows: uniform
/// and normal are the same sets, and plummer, lattice, soneira-peebles and nfw are additional. Of
/// these, nfw is ordered by halo and lattice by site.

#include <copse/backend/dimensions.hpp>
#include <copse/particles/points.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace copse {

/// Which point set to generate.
struct PointModel {
  std::string name = "uniform";  ///< one of `point_model_names(Dim)`
  Count points = 0;              ///< size of the set: 1 to 2^48
  std::uint64_t seed = 42;
};

/// The models available in `dimension` dimensions, in the order of the documentation.
std::vector<std::string> point_model_names(int dimension);

/// One line about a model for `--list`.
/// \throws InputError for an unknown model; the message lists the known ones.
std::string point_model_description(const std::string& name);

/// Checks all properties of the model that do not depend on the requested rows.
/// \throws InputError for a model that is unknown or not available in this dimension (listing those
///         that are), and for 0 or more than 2^48 points.
void check_point_model(const PointModel& model, int dimension);

/// Rows [first, first + count) of the set in `space`'s memory, fenced. One data-parallel kernel,
/// O(count Dim); some models first build a table of at most a few thousand clusters on the host.
/// Instantiated for every backend and every dimension of COPSE_DIMENSIONS.
/// \throws InputError under the same conditions as `check_point_model`, for rows outside the set,
///         and for more rows than one rank can hold.
template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> generate_points(const ExecutionSpace& space,
                                                                   const PointModel& model,
                                                                   Count first, Count count);

#define COPSE_DECLARE_GENERATE_POINTS(ExecutionSpace, Dim)                        \
  extern template Points<Dim, ExecutionSpace::memory_space> generate_points<Dim>( \
      const ExecutionSpace&, const PointModel&, Count, Count);
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_DECLARE_GENERATE_POINTS)
#undef COPSE_DECLARE_GENERATE_POINTS

}  // namespace copse
