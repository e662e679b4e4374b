#pragma once
/// \file
/// What the environment asks the sabotaged peers to corrupt: COPSE_SABOTAGE, of the library, method
/// or finder COPSE_SABOTAGE_OF, by COPSE_AMOUNT.

#include <cstdlib>
#include <string>
#include <string_view>

namespace copse::peers {

inline std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

class Asked {
 public:
  explicit Asked(std::string_view name) : here_(name == variable("COPSE_SABOTAGE_OF")) {}

  bool to(std::string_view what) const { return here_ && what == variable("COPSE_SABOTAGE"); }
  static double amount() { return std::stod(variable("COPSE_AMOUNT")); }

 private:
  bool here_;
};

}  // namespace copse::peers
