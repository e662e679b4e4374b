// Fuzz target of Tipsy array files, read as integers and as floating-point numbers.
#include "fuzz_harness.hpp"
#include <copse/io/tipsy_array.hpp>

#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  fuzz::read_or_refuse([&] {
    io::MemorySource source(fuzz::source_name, bytes);
    io::read_tipsy_integers(source);
  });
  fuzz::read_or_refuse([&] {
    io::MemorySource source(fuzz::source_name, bytes);
    io::read_tipsy_reals(source);
  });
  return 0;
}
