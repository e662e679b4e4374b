#pragma once
/// \file
/// Makes the checksums of a fuzzed file right, where its format has them: chance never would, and
/// nothing behind them would be reached.

#include <cstddef>
#include <string_view>
#include <vector>

namespace copse::fuzz {

/// Does nothing to formats without checksums, nor to bytes it can make no sense of.
void repair(std::string_view format, std::vector<std::byte>& bytes);

}  // namespace copse::fuzz
