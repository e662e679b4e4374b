// Oracle: bytes written by the test.
#include "byte_builder.hpp"
#include "scratch_folder.hpp"
#include <copse/io/bytes/byte_source.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("A file and memory give the same bytes at any offset") {
  const ScratchFolder folder;
  std::vector<std::byte> bytes;
  for (int i = 0; i < 100; ++i) bytes.push_back(std::byte(i));
  io::FileSource file(folder.write("bytes", bytes));
  io::MemorySource memory("memory", bytes);
  CHECK(file.size() == 100);
  CHECK(memory.size() == 100);
  for (Count offset = 0; offset <= 100; offset += 7) {
    std::vector<std::byte> from_file(100 - offset);
    std::vector<std::byte> from_memory(100 - offset);
    file.read(offset, from_file);
    memory.read(offset, from_memory);
    CHECK(from_file ==
          std::vector<std::byte>(bytes.begin() + static_cast<std::ptrdiff_t>(offset), bytes.end()));
    CHECK(from_memory == from_file);
  }
}

TEST_CASE("Reading beyond the end is refused with the offset, and the source stays usable") {
  const ScratchFolder folder;
  const std::vector<std::byte> bytes(10, std::byte{1});
  io::FileSource file(folder.write("bytes", bytes));
  io::MemorySource memory("memory", bytes);
  std::array<std::byte, 4> out{};
  for (io::ByteSource* source :
       {static_cast<io::ByteSource*>(&file), static_cast<io::ByteSource*>(&memory)}) {
    CHECK_THROWS_WITH(source->read(7, out),
                      ContainsSubstring("4 bytes are needed from byte 7 on") &&
                          ContainsSubstring("ends at byte 10"));
    CHECK_THROWS_AS(source->read(~Count{0}, out), InputError);
    CHECK_NOTHROW(source->read(6, out));
  }
}

TEST_CASE("A path that is not a readable regular file is refused by name") {
  const ScratchFolder folder;
  const auto path = folder.write("bytes", {});
  CHECK_THROWS_WITH(io::FileSource("/nonexistent/file"),
                    ContainsSubstring("/nonexistent/file: no such file"));
  CHECK_THROWS_WITH(io::FileSource(path.parent_path()), ContainsSubstring("not a regular file"));
}
