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
        {"arborx", make_arborx, 1}, {"arborx_in_order", make_arborx_in_order, 1},
        {"arborx_backend", make_arborx_backend, 1, 1024, false, true},
        {"arborx_backend_in_order", make_arborx_backend_in_order, 1, 1024, false, true},
#endif
#if defined(COPSE_HAVE_COPSE)
        {"copse_serial", make_copse_serial, copse_leaf_points, copse_most_neighbors, true},
        {"copse_threads", make_copse_threads, copse_leaf_points, copse_most_neighbors, true},
        {"copse_serial_scheduled", make_copse_serial_scheduled, copse_leaf_points,
         copse_most_neighbors, true},
        {"copse_threads_scheduled", make_copse_threads_scheduled, copse_leaf_points,
         copse_most_neighbors, true},
        {"copse_backend", make_copse_backend, copse_leaf_points, copse_most_neighbors, true, true},
        {"copse_backend_in_order",
         make_copse_backend_in_order,
         copse_leaf_points,
         copse_most_neighbors,
         true,
         true},
#endif
  });
  return table;
}

}  // namespace copse::peers
