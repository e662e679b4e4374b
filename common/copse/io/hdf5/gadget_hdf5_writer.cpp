#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/hdf5/gadget_hdf5.hpp>
#include <copse/io/hdf5/hdf5_file.hpp>
#include <copse/io/species_rows.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace copse::io {

namespace {

constexpr std::size_t types = 6;
constexpr std::array<int, 4> gadget_type_of_species{0, 1, 4, 5};

/// Writes `value(row, column)` for the given rows, gathered through a bounded buffer.
template <class T, class F>
void write_gathered(Hdf5Writer& out, const std::string& name, const std::vector<LocalIndex>& rows,
                    Count columns, const F& value) {
  const int rank = columns == 1 ? 1 : 2;
  out.create<T>(name, rows.size(), rank == 1 ? 0 : columns);
  const Count per_chunk = stream_buffer_bytes / (columns * sizeof(T));
  std::vector<T> buffer(std::min<Count>(per_chunk, rows.size()) * columns);
  for (Count begin = 0; begin < rows.size(); begin += per_chunk) {
    const Count n = std::min<Count>(per_chunk, rows.size() - begin);
    for (Count i = 0; i < n; ++i)
      for (Count j = 0; j < columns; ++j) buffer[i * columns + j] = value(rows[begin + i], j);
    out.write_rows(
        name, begin,
        {number_type<T>(), buffer.data(), n, columns, rank, columns, rank == 1 ? 0u : 1u});
  }
}

void write_header(Hdf5Writer& out, const Box<3>& box, const std::array<Count, types>& counts,
                  double time) {
  const auto attribute = [&](const char* name, const auto& value) {
    out.attribute("Header", name, value);
  };
  std::array<std::uint32_t, types> low{};
  std::array<std::uint32_t, types> high{};
  for (std::size_t t = 0; t < types; ++t) {
    low[t] = static_cast<std::uint32_t>(counts[t]);
    high[t] = static_cast<std::uint32_t>(counts[t] >> 32);
  }
  bool at_origin = box.fully_periodic();
  bool cube = true;
  std::array<Real, 3> lower, upper;
  std::array<double, 3> size;
  std::array<std::int32_t, 3> periodic;
  for (int a = 0; a < 3; ++a) {
    const auto i = static_cast<std::size_t>(a);
    lower[i] = box.lower[a];
    upper[i] = box.upper[a];
    size[i] = static_cast<double>(box.upper[a]);
    periodic[i] = box.periodic[a] ? 1 : 0;
    at_origin = at_origin && box.lower[a] == Real{0} && box.upper[a] > Real{0};
    cube = cube && box.upper[a] == box.upper[0];
  }
  attribute("NumPart_ThisFile", counts);
  attribute("NumPart_Total", low);
  attribute("NumPart_Total_HighWord", high);
  attribute("NumFilesPerSnapshot", 1);
  attribute("MassTable", std::array<double, types>{});
  attribute("Time", time);
  if (!at_origin)
    attribute("BoxSize", 0.0);
  else if (cube)
    attribute("BoxSize", size[0]);
  else
    attribute("BoxSize", size);
  attribute("CopseBoxLower", lower);
  attribute("CopseBoxUpper", upper);
  attribute("CopseBoxPeriodic", periodic);
}

}  // namespace

void write_gadget_hdf5(const std::filesystem::path& path,
                       const Particles<Kokkos::HostSpace>& particles, double time) {
  Hdf5Writer out(path);
  const auto rows_of = rows_by_species(particles);
  std::array<Count, types> counts{};
  for (std::size_t s = 0; s < rows_of.size(); ++s)
    counts[static_cast<std::size_t>(gadget_type_of_species[s])] = rows_of[s].size();
  write_header(out, particles.box, counts, time);

  const ColumnSet columns = columns_of(particles);
  for (std::size_t s = 0; s < rows_of.size(); ++s) {
    const std::vector<LocalIndex>& rows = rows_of[s];
    if (rows.empty()) continue;
    const std::string group = fmt::format("PartType{}/", gadget_type_of_species[s]);
    write_gathered<Real>(out, group + "Coordinates", rows, 3,
                         [&](LocalIndex i, Count a) { return particles.position(i, a); });
    if (columns.velocity)
      write_gathered<Real>(out, group + "Velocities", rows, 3,
                           [&](LocalIndex i, Count a) { return particles.velocity(i, a); });
    if (columns.mass)
      write_gathered<Real>(out, group + "Masses", rows, 1,
                           [&](LocalIndex i, Count) { return particles.mass(i); });
    if (columns.id)
      write_gathered<GlobalId>(out, group + "ParticleIDs", rows, 1,
                               [&](LocalIndex i, Count) { return particles.id(i); });
    if (columns.softening)
      write_gathered<Real>(out, group + "Softenings", rows, 1,
                           [&](LocalIndex i, Count) { return particles.softening(i); });
  }
  out.commit();
}

}  // namespace copse::io
