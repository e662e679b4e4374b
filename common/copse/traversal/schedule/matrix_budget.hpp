#pragma once
/// \file
/// How many queries are inspected at a time, so that the scheduling matrix fits into the memory
/// there is.
///
/// A million queries and 1024 top leaves make a matrix of 128 MiB of visits or, if every step is
/// recorded, 2 GiB of steps. (Seed 004 section 3.3.1 arrives at 4 GB of 4-byte elements.) The
/// matrix is a means, so it must not decide how large a problem fits: queries are inspected in
/// batches, and only what a scheduler needs of a batch is kept.
///
/// Batches are whole packets: their size is a multiple of 32, the width of a warp, so that the
/// inspection of a batch wastes no lanes.

#include <copse/backend/types.hpp>

namespace copse {

/// Which of the two matrices of `scheduling_matrix.hpp`.
enum class MatrixKind { visits, steps };

/// Bytes of one row: of `columns` top leaves for visits, of `columns` recorded steps for steps.
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

/// The fewest batches, but at least `wanted`, with which the matrices held at once take at most
/// `available` bytes. One batch needs one matrix, several need two, so that one is inspected into
/// while the other is read. More than one batch is worth asking for where the matrix goes to the
/// host. No more batches are made than there are packets of 32 queries.
/// \throws InputError if not even batches of 32 queries fit; the message has the bytes that do.
BatchPlan plan_batches(MatrixKind kind, Count queries, Count columns, Count available,
                       Count wanted = 1);

}  // namespace copse
