#include "data_file.hpp"
#include "link_cases.hpp"
#include "tipsy_array.hpp"
#include <copse/io/bytes/byte_source.hpp>
#include <copse/io/snapshot.hpp>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace copse::fof::test {
namespace {

constexpr double no_link = std::numeric_limits<double>::infinity();

/// Group sizes by label.
std::map<LocalIndex, std::size_t> group_sizes(const std::vector<LocalIndex>& labels) {
  std::map<LocalIndex, std::size_t> sizes;
  for (const LocalIndex label : labels) ++sizes[label];
  return sizes;
}

/// Published group numbers are 0 outside groups and otherwise arbitrary, so this compares the
/// partitions of particles into groups of at least `least` members.
void check_partition(const std::vector<LocalIndex>& labels, const std::filesystem::path& file,
                     std::size_t least, std::size_t groups) {
  const auto published = copse::test::read_tipsy_array<std::int64_t>(file);
  REQUIRE(published.values.size() == labels.size());
  const auto sizes = group_sizes(labels);
  std::map<std::int64_t, LocalIndex> ours;
  std::size_t different = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool in_group = sizes.at(labels[i]) >= least;
    if (in_group != (published.values[i] != 0)) ++different;
    if (!in_group) continue;
    const auto [known, is_new] = ours.try_emplace(published.values[i], labels[i]);
    if (!is_new && known->second != labels[i]) ++different;
  }
  std::set<LocalIndex> distinct;
  for (const auto& [number, label] : ours) distinct.insert(label);
  CHECK(different == 0);
  CHECK(ours.size() == groups);
  CHECK(distinct.size() == groups);
}

/// Positions of a snapshot, in a periodic box of side `period` unless that is 0.
LinkProblem<Kokkos::HostSpace> snapshot_problem(const std::filesystem::path& file, double b,
                                                double period) {
  const io::Snapshot snapshot = io::read_snapshot(file, {});
  Box<3> box = snapshot.particles.box;
  for (int a = 0; a < 3; ++a) {
    box.periodic[a] = period > 0;
    if (period > 0) box.upper[a] = box.lower[a] + static_cast<Real>(period);
  }
  return {
      snapshot.particles.position, {}, make_friendship({.length = b, .velocity = no_link}, box)};
}

std::vector<LocalIndex> labels_on_host(const LinkProblem<Kokkos::HostSpace>& problem) {
  return labels_of(Kokkos::DefaultHostExecutionSpace{}, "leaf-pairs", problem);
}

TEST_CASE("The groups of a cosmological snapshot are those published, periodic and isolated") {
  const auto file = copse::test::data_file("lambs/lambs.00200_subsamp_30K");
  const double b = 0.2 * std::cbrt(1.0 / 30000);
  const auto periodic = snapshot_problem(file, b, 1.0);
  check_partition(labels_on_host(periodic),
                  copse::test::data_file("lambs/fof_b0.2_periodic_m8.grp"), 8, 332);
  check_labels(periodic, labels_on_host(periodic));
  check_partition(labels_on_host(snapshot_problem(file, b, 0.0)),
                  copse::test::data_file("lambs/fof_b0.2_isolated_m8.grp"), 8, 338);
}

TEST_CASE("The groups of a galaxy of dark matter and stars are those published") {
  const auto file = copse::test::data_file("nvidia/galaxy_20K.bin");
  const auto labels = labels_on_host(snapshot_problem(file, 1.0, 0.0));
  const auto published = copse::test::data_file("nvidia/fof_e1_isolated_m8.grp");
  const auto values = copse::test::read_tipsy_array<std::int64_t>(published).values;
  const std::set<std::int64_t> numbers(values.begin(), values.end());
  check_partition(labels, published, 8, numbers.size() - numbers.count(0));
}

TEST_CASE("The groups of a larger cosmological snapshot are those published") {
  const auto file = copse::test::data_file("abacus/mini_n64_l32_z0.std");
  const auto problem = snapshot_problem(file, 0.2 / 64, 1.0);
  check_partition(labels_on_host(problem),
                  copse::test::data_file("abacus/fof_b0.2_periodic_m8.grp"), 8, 1857);
}

TEST_CASE("Linking the particles of the published level-0 groups gives the published sizes") {
  const auto file = copse::test::data_file("abacus/mini_n64_l32_z0.std");
  const auto all = snapshot_problem(file, 0.125 / 32, 1.0);
  std::ifstream flags(copse::test::data_file("abacus/mini_n64_l32_z0.isL0.u8"), std::ios::binary);
  const std::vector<char> in_group{std::istreambuf_iterator<char>(flags), {}};
  REQUIRE(in_group.size() == all.size());
  std::vector<Row> rows;
  for (Count i = 0; i < all.size(); ++i)
    if (in_group[i] != 0)
      rows.push_back({all.position(i, 0), all.position(i, 1), all.position(i, 2)});
  const LinkProblem<Kokkos::HostSpace> chosen{to_points(rows), {}, all.friendship};
  const auto labels = labels_on_host(chosen);
  const auto sizes = group_sizes(labels);
  // Each halo is identified by its centre; one group may contain several.
  std::ifstream table(copse::test::data_file("abacus/mini_n64_l32_z0.halos.tsv"));
  std::size_t halos = 0, different = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::int64_t id = 0, level1 = 0, level0 = 0;
    double x[3];
    fields >> id >> level1 >> level0 >> x[0] >> x[1] >> x[2];
    REQUIRE(fields);
    ++halos;
    std::size_t nearest = 0;
    double least = no_link;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = 0;
      for (int a = 0; a < 3; ++a) {
        const double d = std::fabs(x[a] / 32 - static_cast<double>(rows[i][a]));
        sum += std::min(d, 1 - d) * std::min(d, 1 - d);
      }
      if (sum >= least) continue;
      least = sum;
      nearest = i;
    }
    if (sizes.at(labels[nearest]) != static_cast<std::size_t>(level0)) ++different;
  }
  CHECK(halos == 381);
  CHECK(different == 0);
}

TEST_CASE("A clustered box of 16-bit coordinates has the published numbers of groups") {
  std::ifstream file(copse::test::data_file("hfof/cosmo32768.dat"), std::ios::binary);
  std::vector<std::uint16_t> numbers(3 * 32768);
  file.read(reinterpret_cast<char*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size() * sizeof(std::uint16_t)));
  REQUIRE(file.good());
  Sample sample;
  for (std::size_t i = 0; i < 32768; ++i)
    sample.x.push_back({static_cast<Real>(numbers[3 * i]) / 65536,
                        static_cast<Real>(numbers[3 * i + 1]) / 65536,
                        static_cast<Real>(numbers[3 * i + 2]) / 65536});
  struct Case {
    bool periodic;
    double b;
    std::size_t components;
  };
  for (const Case& c :
       {Case{false, 0.01, 9600}, Case{false, 0.005, 14497}, Case{false, 0.001, 27824},
        Case{true, 0.01, 9580}, Case{true, 0.005, 14488}, Case{true, 0.001, 27823}}) {
    INFO("periodic " << c.periodic << ", b = " << c.b);
    sample.box = unit_box<3>(c.periodic);
    const auto problem = problem_of(sample, {.length = c.b, .velocity = no_link});
    CHECK(group_sizes(labels_on_host(problem)).size() == c.components);
  }
}

}  // namespace
}  // namespace copse::fof::test
