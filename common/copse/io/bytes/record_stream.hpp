#pragma once
/// \file
/// Streams fixed-size records from a ByteSource through a bounded buffer, and counts progress.

#include <copse/io/bytes/byte_source.hpp>
#include <copse/io/snapshot_reader.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace copse::io {

/// Buffer size of a reader. Large enough that the cost of a seek is negligible compared with the
/// transfer.
inline constexpr Count stream_buffer_bytes = Count{1} << 20;

/// Calls `f(i, bytes)` for i = 0..count-1, where `bytes` points at record i. Records have
/// `record_bytes` bytes; the first is at byte `offset`. After each buffer, `after_chunk(n)` is
/// called with the number of its records.
/// \throws InputError if the source ends early.
template <class F, class AfterChunk>
void for_each_record(ByteSource& source, Count offset, Count record_bytes, Count count, F&& f,
                     AfterChunk&& after_chunk) {
  const Count per_chunk = std::max<Count>(1, stream_buffer_bytes / record_bytes);
  std::vector<std::byte> buffer(std::min(per_chunk, count) * record_bytes);
  for (Count begin = 0; begin < count; begin += per_chunk) {
    const Count n = std::min(per_chunk, count - begin);
    source.read(offset + begin * record_bytes, std::span(buffer).first(n * record_bytes));
    for (Count i = 0; i < n; ++i) f(begin + i, buffer.data() + i * record_bytes);
    after_chunk(n);
  }
}

template <class F>
void for_each_record(ByteSource& source, Count offset, Count record_bytes, Count count, F&& f) {
  for_each_record(source, offset, record_bytes, count, f, [](Count) {});
}

/// Converts records read to rows done for a Progress. Every row is read in `passes` passes (one per
/// column of a file that stores its columns one after another).
class RowProgress {
 public:
  RowProgress(const Progress& progress, Count rows, Count passes)
      : progress_(progress), rows_(rows), passes_(std::max<Count>(1, passes)) {}

  void add(Count records) {
    records_ += records;
    if (progress_) progress_(std::min(rows_, records_ / passes_), rows_);
  }

 private:
  const Progress& progress_;
  Count rows_;
  Count passes_;
  Count records_ = 0;
};

/// Rows [begin, end) of a table.
struct RowRange {
  Count begin = 0;
  Count end = 0;
  Count size() const { return end > begin ? end - begin : 0; }
};

inline RowRange intersect(RowRange a, RowRange b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace copse::io
