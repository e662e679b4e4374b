#pragma once
/// \file
/// Corrects the checksums of a fuzzed file whose format has them: random mutation would never hit
/// them, and the code behind the checks would never run.

#include <cstddef>
#include <string_view>
#include <vector>

namespace copse::fuzz {

/// Does nothing to formats without checksums or to bytes it cannot interpret.
void repair(std::string_view format, std::vector<std::byte>& bytes);

}  // namespace copse::fuzz
