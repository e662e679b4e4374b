#include "tolerance.hpp"

namespace copse::gravity {

Tolerance tolerance_of(const Request&, const std::string&) {
  return {1, 1, 1, 1};
}

}  // namespace copse::gravity
