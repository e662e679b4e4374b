// Oracles: all pairs among the particles of each parent alone; for shorter links, the nesting
// theorem.
#include "link_cases.hpp"

#include <fof/levels/confine.hpp>
#include <map>

namespace copse::fof::test {
namespace {

Labels<Kokkos::HostSpace> to_labels(const std::vector<LocalIndex>& values) {
  const Labels<Kokkos::HostSpace> labels("copse::test::labels", values.size());
  std::copy(values.begin(), values.end(), labels.data());
  return labels;
}

std::vector<LocalIndex> of(const Labels<Kokkos::HostSpace>& labels) {
  return {labels.data(), labels.data() + labels.extent(0)};
}

/// Labels from all pairs of particles within each parent.
std::vector<LocalIndex> within_parents(const Sample& sample, const LinkingLengths& links,
                                       const std::vector<LocalIndex>& parents) {
  std::map<LocalIndex, std::vector<LocalIndex>> rows_of;
  for (std::size_t i = 0; i < parents.size(); ++i)
    rows_of[parents[i]].push_back(static_cast<LocalIndex>(i));
  std::vector<LocalIndex> labels(parents.size());
  for (const auto& [parent, rows] : rows_of) {
    Sample part;
    part.box = sample.box;
    for (const LocalIndex row : rows) {
      part.x.push_back(sample.x[row]);
      part.v.push_back(sample.v[row]);
    }
    const auto found = all_pairs_labels(part, links);
    for (std::size_t k = 0; k < rows.size(); ++k) labels[rows[k]] = rows[found[k]];
  }
  return labels;
}

TEST_CASE("Shorter links give groups within groups without cutting any") {
  for (const bool velocities : {false, true})
    for (const bool periodic : {false, true}) {
      const Sample sample = clustered(1500, 8, periodic, velocities);
      std::vector<LocalIndex> above;
      // Links that decrease in space only, in velocity only, and in both.
      for (const auto& [b, psi] : {std::pair(0.08, 9.0), std::pair(0.05, 9.0), std::pair(0.05, 1.5),
                                   std::pair(0.02, 1.5), std::pair(0.01, 0.7)}) {
        const LinkingLengths links{.length = b, .velocity = psi};
        const auto labels = all_pairs_labels(sample, links);
        if (!above.empty()) {
          const auto confined = to_labels(labels);
          CHECK(confine(problem_of(sample, links), sample.box, to_labels(above), confined) == 0);
          CHECK(of(confined) == labels);
        }
        above = labels;
      }
    }
}

TEST_CASE("Groups that cross a border are linked again on each side") {
  for (const bool periodic : {false, true}) {
    const Sample sample = clustered(600, 9, periodic, true);
    const LinkingLengths narrow{.length = 0.03, .velocity = 3};
    const LinkingLengths wide{.length = 0.1, .velocity = 3};
    const auto parents = all_pairs_labels(sample, narrow);
    const auto labels = to_labels(all_pairs_labels(sample, wide));
    CHECK(confine(problem_of(sample, wide), sample.box, to_labels(parents), labels) > 0);
    CHECK(of(labels) == within_parents(sample, wide, parents));
  }
}

TEST_CASE("A border through a chain splits it") {
  Sample chain;
  for (int i = 0; i < 9; ++i) chain.x.push_back({static_cast<Real>(i), 0, 0});
  chain.box.upper = {9, 1, 1};
  const LinkingLengths links{.length = 1.5, .velocity = std::numeric_limits<double>::infinity()};
  const auto labels = to_labels(std::vector<LocalIndex>(9, 0));
  // The middle third belongs to another parent, so the two ends are not connected.
  const auto parents = to_labels({0, 0, 0, 3, 3, 3, 0, 0, 0});
  CHECK(confine(problem_of(chain, links), chain.box, parents, labels) == 1);
  CHECK(of(labels) == std::vector<LocalIndex>{0, 0, 0, 3, 3, 3, 6, 6, 6});
}

}  // namespace
}  // namespace copse::fof::test
