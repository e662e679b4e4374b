// Oracle: a source whose bytes are known from their offset.
#include "byte_builder.hpp"
#include <copse/io/bytes/record_stream.hpp>

using namespace copse;
using namespace copse::test;

TEST_CASE("Records are streamed in order, also when they do not divide the buffer") {
  const Count record = 7;
  const Count count = 2 * io::stream_buffer_bytes / record + 3;
  std::vector<std::byte> bytes(5 + record * count);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(i % 251);
  io::MemorySource source("memory", bytes);
  Count next = 0;
  Count counted = 0;
  bool right = true;
  io::for_each_record(
      source, 5, record, count,
      [&](Count i, const std::byte* r) {
        right = right && i == next++ && r[0] == std::byte((5 + record * i) % 251) &&
                r[6] == std::byte((11 + record * i) % 251);
      },
      [&](Count n) { counted += n; });
  CHECK(right);
  CHECK(next == count);
  CHECK(counted == count);
  CHECK_THROWS_AS(io::for_each_record(source, 6, record, count, [](Count, const std::byte*) {}),
                  InputError);
}

TEST_CASE("Progress over several passes counts rows, not records") {
  std::vector<Count> told;
  const io::Progress progress = [&](Count done, Count rows) {
    CHECK(rows == 10);
    told.push_back(done);
  };
  io::RowProgress meter(progress, 10, 2);
  for (int i = 0; i < 4; ++i) meter.add(5);
  CHECK(told == std::vector<Count>{2, 5, 7, 10});
}

TEST_CASE("Disjoint row ranges have an empty intersection") {
  CHECK(io::intersect({0, 5}, {3, 9}).size() == 2);
  CHECK(io::intersect({0, 5}, {5, 9}).size() == 0);
  CHECK(io::intersect({7, 9}, {0, 2}).size() == 0);
}
