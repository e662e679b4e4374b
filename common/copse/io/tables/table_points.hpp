#pragma once
/// \file
/// Points from a table of numbers: its columns, or a random projection of its rows.

#include <copse/backend/error.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/tables/number_table.hpp>
#include <copse/particles/points.hpp>
#include <copse/particles/random_projection.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace copse::io {

/// The longest row that can be projected: the weights of all its numbers are in memory.
inline constexpr Count max_projected_columns = Count{1} << 22;

/// Allocates one point per row of the table.
/// \throws InputError if the table has more rows than a rank may hold.
template <int Dim>
Points<Dim, Kokkos::HostSpace> room_for_rows(const NumberTable& table) {
  if (table.rows() > max_particles_per_rank)
    throw InputError(table.name() + ": the file has " + std::to_string(table.rows()) +
                     " rows, more than one rank may hold");
  return Points<Dim, Kokkos::HostSpace>(
      Kokkos::view_alloc("copse::io::points", Kokkos::WithoutInitializing), table.rows());
}

/// Row i of the table becomes point i.
/// \throws InputError if the table has another number of columns than Dim, more rows than a rank
///         may hold, damage, or a coordinate that is not finite.
template <int Dim>
Points<Dim, Kokkos::HostSpace> points_of_table(NumberTable& table, const Progress& progress) {
  if (table.columns() != Dim)
    throw InputError(table.name() + ": rows have " + std::to_string(table.columns()) +
                     " columns, but points in " + std::to_string(Dim) + "-D are wanted");
  const auto points = room_for_rows<Dim>(table);
  table.read_rows(0, table.rows(), points.data(), points.stride(1), progress);
  require_finite_numbers(table.name(), points.data(), table.rows(), Dim, points.stride(1));
  return points;
}

/// Projects row i of the table, which may have any number of columns, to point i. `seed` draws the
/// weights. Dim is one of COPSE_DIMENSIONS.
/// \throws InputError if the table has more rows than a rank may hold, rows of more numbers than
///         `max_projected_columns`, damage, or a number or sum that is not finite.
template <int Dim>
Points<Dim, Kokkos::HostSpace> project_table(NumberTable& table, std::uint64_t seed,
                                             const Progress& progress) {
  const Count columns = table.columns();
  if (columns > max_projected_columns)
    throw InputError(table.name() + ": rows have " + std::to_string(columns) +
                     " numbers, more than can be projected");
  const auto points = room_for_rows<Dim>(table);
  if (table.rows() == 0) return points;
  const RandomProjection<Dim> projection(columns, seed);
  const Count per_chunk = std::clamp<Count>(
      stream_buffer_bytes / (sizeof(Real) * std::max<Count>(1, columns)), 1, table.rows());
  std::vector<Real> chunk(per_chunk * columns);
  for (Count first = 0; first < table.rows(); first += per_chunk) {
    const Count count = std::min(per_chunk, table.rows() - first);
    table.read_rows(first, count, chunk.data(), per_chunk, {});
    require_finite_numbers(table.name(), chunk.data(), count, columns, per_chunk, first);
    projection.project(chunk.data(), count, per_chunk, points, first);
    if (progress) progress(first + count, table.rows());
  }
  require_finite_numbers(table.name() + " (projected)", points.data(), table.rows(), Dim,
                         points.stride(1));
  return points;
}

}  // namespace copse::io
