#include <copse/backend/error.hpp>
#include <copse/io/bytes/atomic_file.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/tipsy_writer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace copse::io {

namespace {

using Rows = std::vector<LocalIndex>;

constexpr Count max_count = std::numeric_limits<std::int32_t>::max();
constexpr std::array<Count, 3> record_bytes{48, 36, 44};  ///< gas, dark, star
constexpr std::array<int, 3> softening_slot{9, 7, 9};     ///< hsmooth, eps, eps
constexpr int formation_time_slot = 8;                    ///< of a star
constexpr std::size_t star_section = 2;

/// Rows of gas, dark and star, ascending; Tipsy has no fourth species.
std::array<Rows, 3> sections_of(const Particles<Kokkos::HostSpace>& particles) {
  std::array<Rows, 3> rows;
  const bool known = particles.species.extent(0) > 0;
  for (Count i = 0; i < particles.size(); ++i) {
    const Species species = known ? particles.species(i) : Species::dark;
    const std::size_t section = species == Species::gas    ? 0
                                : species == Species::star ? star_section
                                                           : 1;
    rows[section].push_back(static_cast<LocalIndex>(i));
  }
  return rows;
}

void require_countable(const std::filesystem::path& path, Count n) {
  if (n > max_count)
    throw InputError(fmt::format("{}: Tipsy files hold at most {} particles, not {}", path.string(),
                                 max_count, n));
}

/// Collects bytes and writes them to the file one buffer at a time.
class RecordBuffer {
 public:
  explicit RecordBuffer(AtomicFile& file) : file_(file) { bytes_.reserve(stream_buffer_bytes); }

  /// Room for the next record, zeroed; valid until the next call.
  std::byte* append(Count size) {
    if (bytes_.size() + size > stream_buffer_bytes) flush();
    bytes_.resize(bytes_.size() + size);
    return bytes_.data() + (bytes_.size() - size);
  }

  void flush() {
    file_.write(bytes_);
    bytes_.clear();
  }

 private:
  AtomicFile& file_;
  std::vector<std::byte> bytes_;
};

}  // namespace

void write_tipsy(const std::filesystem::path& path, const Particles<Kokkos::HostSpace>& particles,
                 const TipsyOptions& options) {
  const Count n = particles.size();
  require_countable(path, n);
  if (!options.softening.empty() && options.softening.size() != n)
    throw InputError(fmt::format("{}: the softening has {} rows for {} particles", path.string(),
                                 options.softening.size(), n));
  const std::array<Rows, 3> sections = sections_of(particles);
  AtomicFile file(path);
  RecordBuffer records(file);

  std::byte* const header = records.append(32);
  store(options.time, header, std::endian::big);
  const std::array<Count, 5> integers{n, 3, sections[0].size(), sections[1].size(),
                                      sections[2].size()};
  for (std::size_t i = 0; i < integers.size(); ++i)
    store(static_cast<std::int32_t>(integers[i]), header + 8 + 4 * i, std::endian::big);

  const std::span<const Real> softening =
      options.softening.empty()
          ? std::span<const Real>(particles.softening.data(), particles.softening.extent(0))
          : options.softening;
  const bool has_velocity = particles.velocity.extent(0) > 0;
  const bool has_mass = particles.mass.extent(0) > 0;
  const float equal_mass = n > 0 ? static_cast<float>(1.0 / static_cast<double>(n)) : 0.0f;
  for (std::size_t s = 0; s < sections.size(); ++s)
    for (const LocalIndex i : sections[s]) {
      std::byte* const record = records.append(record_bytes[s]);
      const auto put = [&](int slot, auto value) {
        store(static_cast<float>(value), record + 4 * slot, std::endian::big);
      };
      put(0, has_mass ? static_cast<float>(particles.mass(i)) : equal_mass);
      for (int a = 0; a < 3; ++a) put(1 + a, particles.position(i, a));
      if (has_velocity)
        for (int a = 0; a < 3; ++a) put(4 + a, particles.velocity(i, a));
      if (!softening.empty()) put(softening_slot[s], softening[i]);
      if (s == star_section) put(formation_time_slot, options.formation_time);
    }
  records.flush();
  file.commit();
}

}  // namespace copse::io
