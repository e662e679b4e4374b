#include "neighbor_search.hpp"

namespace copse::peers {

std::span<const Library> libraries() {
  static constexpr auto table = std::to_array<Library>({
#if defined(COPSE_HAVE_NANOFLANN)
    {"nanoflann", make_nanoflann},
#endif
#if defined(COPSE_HAVE_ANN)
        {"ann", make_ann},
#endif
#if defined(COPSE_HAVE_FLANN)
        {"flann", make_flann},
#endif
  });
  return table;
}

}  // namespace copse::peers
