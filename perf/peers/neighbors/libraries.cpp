#include "neighbor_search.hpp"

namespace copse::peers {

std::span<const Library> libraries() {
  static constexpr auto table = std::to_array<Library>({
#if defined(COPSE_HAVE_NANOFLANN)
    {"nanoflann", make_nanoflann, nanoflann_leaf_points},
#endif
#if defined(COPSE_HAVE_ANN)
        {"ann", make_ann},
#endif
#if defined(COPSE_HAVE_FLANN)
        {"flann", make_flann},
#endif
#if defined(COPSE_HAVE_ARBORX)
        {"arborx", make_arborx}, {"arborx_in_order", make_arborx_in_order},
#endif
#if defined(COPSE_HAVE_COPSE)
        {"copse_serial", make_copse_serial, copse_leaf_points, copse_most_neighbors, true},
        {"copse_threads", make_copse_threads, copse_leaf_points, copse_most_neighbors, true},
        {"copse_serial_scheduled", make_copse_serial_scheduled, copse_leaf_points,
         copse_most_neighbors, true},
        {"copse_threads_scheduled", make_copse_threads_scheduled, copse_leaf_points,
         copse_most_neighbors, true},
#endif
  });
  return table;
}

}  // namespace copse::peers
