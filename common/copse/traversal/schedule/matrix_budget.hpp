#pragma once
/// \file
/// Splits the inspection into batches of queries, so that the scheduling matrix fits into the
/// available memory.
///
/// With a million queries and 1024 top leaves the matrix takes 128 MiB of visits or, if every step
/// is recorded, 2 GiB of steps. ([Liu 2019] section 3.3.1 arrives at 4 GB of 4-byte elements.) The
/// matrix must not limit the problem size: queries are inspected in batches, and only the
/// scheduler's input is kept from each batch.
///
/// Batch sizes are multiples of 32, the warp width, so that inspection leaves no lanes idle.

#include <copse/backend/types.hpp>

namespace copse {

/// The two matrices of `scheduling_matrix.hpp`.
enum class MatrixKind { visits, steps };

/// Bytes of one matrix row; `columns` counts top leaves for visits and recorded steps for steps.
Count matrix_row_bytes(MatrixKind kind, Count columns);

/// Batch b is queries [begin(b), end(b)).
struct BatchPlan {
  Count queries = 0;
  Count batch = 0;    ///< queries of each batch but the last: a multiple of 32
  Count batches = 0;  ///< 0 only if there are no queries
  Count buffers = 0;  ///< matrices of `batch` rows held at once: 2 if there are several batches

  Count begin(Count b) const { return b * batch; }
  Count end(Count b) const { return b + 1 < batches ? (b + 1) * batch : queries; }
};

/// The smallest number of batches, at least `wanted`, whose matrices held at once take at most
/// `available` bytes. One batch needs one matrix; several need two, one being filled while the
/// other is read. Requesting more than one batch pays where the matrix is copied to the host. There
/// are never more batches than packets of 32 queries.
/// \throws InputError if not even batches of 32 queries fit; the message gives the bytes needed.
BatchPlan plan_batches(MatrixKind kind, Count queries, Count columns, Count available,
                       Count wanted = 1);

}  // namespace copse
