#include "output.hpp"

#include "group_properties.hpp"
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/rank_agreement.hpp>
#include <copse/config.hpp>
#include <copse/io/bytes/append_text.hpp>
#include <copse/io/bytes/atomic_file.hpp>
#include <copse/io/hdf5/hdf5_file.hpp>
#include <copse/io/tables/host_table.hpp>
#include <copse/io/tipsy_writer.hpp>
#include <copse/particles/particles.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse::fof {
namespace {

template <class T>
void write_list(io::Hdf5Writer& file, const std::string& name, const std::vector<T>& values,
                std::string_view unit, std::string_view meaning) {
  file.write(name, io::table_of(std::span<const T>(values)));
  file.describe(name, unit, meaning);
}

void write_mass_function(io::Hdf5Writer& file, const MassFunction& function) {
  std::vector<double> lower, upper, per_decade;
  std::vector<Count> groups, above;
  for (const MassBin& bin : function.bins) {
    lower.push_back(bin.lower);
    upper.push_back(bin.upper);
    per_decade.push_back(bin.per_decade);
    groups.push_back(bin.groups);
    above.push_back(bin.groups_above);
  }
  const bool members = function.measure == MassMeasure::members;
  const std::string_view unit = members ? "1" : "mass";
  file.attribute("mass_function", "measure", members ? "members" : "mass");
  write_list(file, "mass_function/lower", lower, unit, "lower mass edge of the bin");
  write_list(file, "mass_function/upper", upper, unit, "upper mass edge of the bin");
  write_list(file, "mass_function/groups", groups, "1", "groups in the bin");
  write_list(file, "mass_function/groups_above", above, "1",
             "groups with at least the lower mass edge");
  write_list(file, "mass_function/per_decade", per_decade, "length^-3",
             "dn / dlog10 M: groups per volume of the box and decade of mass");
}

/// Appends one 8-byte number of a table as text.
void append_number(std::string& line, const io::HostTable& table, Count row, Count column) {
  const auto* bytes = static_cast<const std::byte*>(table.data) +
                      8 * (row * table.row_stride + column * table.column_stride);
  if (table.type == io::NumberType::uint64) {
    Count value;
    std::memcpy(&value, bytes, sizeof value);
    io::append_text(line, "{}", value);
  } else {
    double value;
    std::memcpy(&value, bytes, sizeof value);
    io::append_text(line, "{}", value);
  }
}

void describe_membership(io::Hdf5Writer& file, bool has_ids) {
  file.describe("membership/offsets", "",
                "group number g + 1 has entries offsets(g) to offsets(g + 1) of the other lists");
  file.describe("membership/particles", "", "input rows of the members, from 0, group by group");
  if (has_ids) file.describe("membership/ids", "1", "ids of the members, group by group");
  file.describe("membership/position", "", "positions of the members, group by group");
  file.describe("labels", "",
                "smallest input row of the group of each particle, whatever the group's size");
}

void write_catalogue_tables(io::Hdf5Writer& file, const Catalogue& catalogue,
                            const GroupTotals& totals, const MassFunction* mass_function) {
  file.attribute("/", "copse_version", COPSE_VERSION);
  file.attribute("/", "particles", totals.particles);
  file.attribute("/", "groups", totals.groups);
  file.attribute("/", "particles_in_groups", totals.particles_in_groups);
  file.attribute("/", "min_members", totals.min_members);
  file.attribute("/", "components", totals.components);
  file.attribute("/", "largest", totals.largest);
  file.box_attributes("/", catalogue.box);
  for (const CatalogueColumn& column : catalogue_columns(catalogue)) {
    const std::string name = "groups/" + std::string(column.name);
    file.write(name, column.table(catalogue));
    file.describe(name, column.unit, column.meaning);
  }
  if (mass_function != nullptr) write_mass_function(file, *mass_function);
}

template <class T>
using HostList = Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

/// A member of a group in the list of all groups' members.
struct Member {
  Count place;
  GlobalId row;
  GlobalId id;
  Real position[3];
};

/// The owned members in list order.
class MemberStream {
 public:
  explicit MemberStream(const OwnedGroups& owned) : owned_(owned), order_(owned.place.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return owned.place[a] < owned.place[b]; });
  }

  /// Members with list positions in [begin, end); `begin` must be the previous `end`.
  std::vector<Member> window(Count begin, Count end) {
    std::vector<Member> members;
    for (; next_ < order_.size(); ++next_) {
      const std::size_t g = order_[next_];
      const Count first = owned_.place[g];
      const Count size = owned_.groups.offsets(g + 1) - owned_.groups.offsets(g);
      if (first >= end) break;
      for (Count at = std::max(begin, first); at < std::min(end, first + size); ++at)
        members.push_back(member(at, owned_.groups.members(owned_.groups.offsets(g) + at - first)));
      if (first + size > end) break;  // the rest belongs to the next window
    }
    return members;
  }

 private:
  Member member(Count place, LocalIndex i) const {
    const auto& particles = owned_.particles;
    Member m{place, owned_.row(i), owned_.columns.id ? particles.id(i) : 0, {}};
    for (int a = 0; a < 3; ++a) m.position[a] = particles.position(i, a);
    return m;
  }

  const OwnedGroups& owned_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
};

/// Files store 32-bit particle indices if they fit.
bool fits_32_bits(Count particles) {
  return particles <= max_particles_per_rank;
}

template <class T>
void write_numbers(io::Hdf5Writer& file, const char* name, Count first,
                   const std::vector<GlobalId>& numbers) {
  const HostList<T> list("copse::fof::numbers", numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) list(i) = static_cast<T>(numbers[i]);
  file.write_rows(name, first, list);
}

void create_rows(io::Hdf5Writer& file, const char* name, Count rows, Count particles) {
  if (fits_32_bits(particles)) {
    file.create<LocalIndex>(name, rows);
  } else {
    file.create<GlobalId>(name, rows);
  }
}

void write_rows(io::Hdf5Writer& file, const char* name, Count first, Count particles,
                const std::vector<GlobalId>& rows) {
  if (fits_32_bits(particles)) {
    write_numbers<LocalIndex>(file, name, first, rows);
  } else {
    write_numbers<GlobalId>(file, name, first, rows);
  }
}

void write_window(io::Hdf5Writer& file, Count begin, Count particles, bool has_ids,
                  const std::vector<Member>& members) {
  std::vector<GlobalId> rows(members.size()), ids(members.size());
  const Points<3, Kokkos::HostSpace> position("copse::fof::member_positions", members.size());
  for (const Member& member : members) {
    const Count i = member.place - begin;
    rows[i] = member.row;
    ids[i] = member.id;
    for (int a = 0; a < 3; ++a) position(i, a) = member.position[a];
  }
  write_rows(file, "membership/particles", begin, particles, rows);
  if (has_ids) write_numbers<GlobalId>(file, "membership/ids", begin, ids);
  file.write_rows("membership/position", begin, position);
}

/// Calls f(first, numbers) on rank 0 for consecutive windows of a list distributed over ranks in
/// rank order.
template <class T, class F>
void for_each_window(const Communicator& comm, const std::vector<T>& mine, Count first_row,
                     Count total, Count window, const F& f) {
  for (Count begin = 0; begin < total; begin += window) {
    const Count end = std::min(total, begin + window);
    const Count n = mine.size();
    const Count from = std::clamp<Count>(begin, first_row, first_row + n) - first_row;
    const Count to = std::clamp<Count>(end, first_row, first_row + n) - first_row;
    const auto part = comm.gatherv(std::span<const T>(mine.data() + from, to - from), 0);
    if (comm.rank() == 0) f(begin, part);
  }
}

}  // namespace

GroupTotals totals_of(const Groups<Kokkos::HostSpace>& top) {
  return {top.particles,   top.size(),     top.particles_in_groups(),
          top.min_members, top.components, top.largest};
}

void write_catalogue_hdf5(const Communicator& comm, const std::filesystem::path& path,
                          const GroupFile& contents, Count window) {
  const Count particles = contents.totals.particles;
  const Count members =
      comm.allreduce(Count{contents.owned.groups.members.extent(0)}, Reduction::sum);
  const bool has_ids = contents.owned.columns.id;
  std::unique_ptr<io::Hdf5Writer> file;
  if (comm.rank() == 0) {
    file = std::make_unique<io::Hdf5Writer>(path);
    write_catalogue_tables(*file, contents.catalogue, contents.totals, contents.mass_function);
    HostList<Count> offsets("copse::fof::offsets", contents.catalogue.groups.size() + 1);
    for (std::size_t g = 0; g < contents.catalogue.groups.size(); ++g)
      offsets(g + 1) = offsets(g) + contents.catalogue.groups[g].members;
    file->write("membership/offsets", offsets);
    create_rows(*file, "membership/particles", members, particles);
    if (has_ids) file->create<GlobalId>("membership/ids", members);
    file->create<Real>("membership/position", members, 3);
    create_rows(*file, "labels", particles, particles);
    describe_membership(*file, has_ids);
  }
  MemberStream stream(contents.owned);
  for (Count begin = 0; begin < members; begin += window) {
    const auto mine = stream.window(begin, std::min(members, begin + window));
    const auto all = comm.gatherv(std::span<const Member>(mine.data(), mine.size()), 0);
    if (file) write_window(*file, begin, particles, has_ids, all);
  }
  const std::vector<GlobalId> labels(contents.labels.data(),
                                     contents.labels.data() + contents.labels.extent(0));
  for_each_window(comm, labels, contents.first_row, particles, window,
                  [&](Count first, const std::vector<GlobalId>& part) {
                    write_rows(*file, "labels", first, particles, part);
                  });
  if (file) file->commit();
}

void write_group_numbers(const Communicator& comm, const std::filesystem::path& path,
                         const GroupFile& contents, Count window) {
  const OwnedGroups& owned = contents.owned;
  std::vector<Count> number(owned.row.extent(0), 0);
  for (Count g = 0; g < owned.groups.size(); ++g)
    for (Count j = owned.groups.offsets(g); j < owned.groups.offsets(g + 1); ++j)
      number[owned.groups.members(j)] = owned.catalogue.groups[g].id;

  // Indices ascend, and so do the destination ranks.
  const std::vector<Count> begins = comm.allgather(contents.first_row);
  std::vector<Count> counts(begins.size(), 0);
  for (Count i = 0; i < number.size(); ++i)
    ++counts[static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), owned.row(i)) -
                                      begins.begin() - 1)];
  const ExchangePlan plan = comm.plan_exchange(counts);
  const HostList<GlobalId> rows("copse::fof::rows", plan.receive.total());
  const HostList<Count> numbers("copse::fof::group_numbers", plan.receive.total());
  comm.alltoallv(plan, owned.row, rows);
  comm.alltoallv(plan, HostList<Count>(number.data(), number.size()), numbers);
  std::vector<Count> mine(contents.labels.extent(0), 0);
  for (Count i = 0; i < rows.extent(0); ++i) mine[rows(i) - contents.first_row] = numbers(i);

  std::unique_ptr<io::AtomicFile> file;
  if (comm.rank() == 0) {
    file = std::make_unique<io::AtomicFile>(path);
    file->write(fmt::format("{}\n", contents.totals.particles));
  }
  for_each_window(comm, mine, contents.first_row, contents.totals.particles, window,
                  [&](Count, const std::vector<Count>& part) {
                    std::string lines;
                    for (const Count n : part) io::append_text(lines, "{}\n", n);
                    file->write(lines);
                  });
  if (file) file->commit();
}

void write_catalogue_csv(const std::filesystem::path& path, const Catalogue& catalogue) {
  io::AtomicFile file(path);
  const std::vector<CatalogueColumn> columns = catalogue_columns(catalogue);
  std::vector<io::HostTable> tables;
  std::string line;
  for (const CatalogueColumn& column : columns) {
    tables.push_back(column.table(catalogue));
    for (const std::string_view field : column.fields)
      line.append(line.empty() ? "" : ",").append(field);
  }
  file.write(line + "\n");
  for (Count row = 0; row < catalogue.groups.size(); ++row) {
    line.clear();
    for (const io::HostTable& table : tables)
      for (Count column = 0; column < table.columns; ++column) {
        if (!line.empty()) line += ',';
        append_number(line, table, row, column);
      }
    file.write(line += '\n');
  }
  file.commit();
}

void write_group_particles(const std::filesystem::path& path, const Catalogue& catalogue,
                           double time) {
  const Count n = catalogue.groups.size();
  auto stars = allocate_particles<Kokkos::HostSpace>(
      n, {.velocity = catalogue.has_velocity, .mass = true, .species = true});
  std::vector<Real> sizes(n);
  for (Count g = 0; g < n; ++g) {
    const GroupProperties& group = catalogue.groups[g];
    stars.mass(g) = static_cast<Real>(group.mass);
    stars.species(g) = Species::star;
    sizes[g] = static_cast<Real>(group.r_max);
    for (int a = 0; a < 3; ++a) {
      stars.position(g, a) = static_cast<Real>(group.central_position[a]);
      if (catalogue.has_velocity) stars.velocity(g, a) = static_cast<Real>(group.mean_velocity[a]);
    }
  }
  io::write_tipsy(path, stars, {.time = time, .softening = sizes, .formation_time = time});
}

void check_output_path(const std::filesystem::path& path) {
  const std::string suffix = path.extension().string();
  for (const char* known : {".h5", ".hdf5", ".csv", ".grp", ".gtp"})
    if (suffix == known) return;
  throw InputError(fmt::format("--output '{}': the name must end in .h5, .hdf5, .csv, .grp or .gtp",
                               path.string()));
}

void write_groups(const Communicator& comm, const std::filesystem::path& path,
                  const GroupFile& file) {
  const std::string suffix = path.extension().string();
  if (suffix == ".h5" || suffix == ".hdf5") return write_catalogue_hdf5(comm, path, file);
  if (suffix == ".grp") return write_group_numbers(comm, path, file);
  together(comm.handle(), [&] {
    if (comm.rank() > 0) return;
    if (suffix == ".csv") return write_catalogue_csv(path, file.catalogue);
    write_group_particles(path, file.catalogue);
  });
}

}  // namespace copse::fof
