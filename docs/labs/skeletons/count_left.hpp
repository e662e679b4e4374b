#pragma once
#include "lab.hpp"

namespace copse::labs {

// [begin lab]
/// left(c) = the number of keys of cell c at or below cut(c). Cell c has the keys [begin(c),
/// begin(c + 1)). Waits for the result.
template <class Space>
void count_left(const Space& space, [[maybe_unused]] const Array<Space, const Real>& keys,
                [[maybe_unused]] const Array<Space, const Count>& begin,
                [[maybe_unused]] const Array<Space, const Real>& cut,
                const Array<Space, Count>& left) {
  Kokkos::deep_copy(space, left, Count{0});
  // Count here.
  space.fence("copse::labs::count_left");
}
// [end lab]

}  // namespace copse::labs
