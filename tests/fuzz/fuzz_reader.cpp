// Fuzz target of the snapshot format COPSE_FUZZ_FORMAT: opens the bytes and reads every row.
#include "every_row.hpp"
#include "repair.hpp"

#include <algorithm>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  std::vector<std::byte> bytes(size);
  std::copy_n(reinterpret_cast<const std::byte*>(data), size, bytes.begin());
  fuzz::repair(COPSE_FUZZ_FORMAT, bytes);
  fuzz::read_or_refuse([&] { fuzz::read_every_row(COPSE_FUZZ_FORMAT, bytes); });
  return 0;
}
