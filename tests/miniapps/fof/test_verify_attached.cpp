// Run with 1 to 5 ranks. Oracle: labels from all pairs must pass, and each corruption must fail its
// check.
#include "attach_cases.hpp"
#include <copse/backend/mpi/rank_slice.hpp>

#include <fof/species/selection.hpp>
#include <fof/species/verify_attached.hpp>

namespace copse::fof::test {
namespace {

template <class T>
Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace> to_list(const std::vector<T>& values) {
  Kokkos::View<T*, Kokkos::LayoutLeft, Kokkos::HostSpace> list("copse::test::list", values.size());
  std::copy(values.begin(), values.end(), list.data());
  return list;
}

/// Particles of which every third is linked, with correct labels.
struct Attached {
  std::vector<Row> position;
  Friendship friendship;
  std::vector<LocalIndex> of_linked;
  std::vector<LocalIndex> labels;
  Split parts;

  Attached() {
    const Sample sample = clustered(600, 13, true, false);
    parts = split(sample, each_third);
    const auto linked = problem_of(
        parts.linked, {.length = 0.04, .velocity = std::numeric_limits<double>::infinity()});
    of_linked = reference_labels(linked, sample.box);
    labels = labels_with_others(parts, of_linked, nearest_by_all_pairs(parts, linked.friendship));
    position = sample.x;
    friendship = linked.friendship;
  }

  /// Names of the failed checks of particles distributed over the ranks.
  std::vector<std::string> failures() const {
    const Communicator comm;
    const auto [begin, end] = rank_slice(labels.size(), comm.rank(), comm.size());
    LinkedInput input;
    input.partial = true;
    input.friendship = friendship;
    std::vector<Row> mine;
    std::vector<LocalIndex> rows, others;
    std::vector<GlobalId> my_labels, my_groups;
    for (std::size_t i = begin; i < end; ++i) {
      mine.push_back(position[i]);
      my_labels.push_back(labels[i]);
      (each_third(i) ? rows : others).push_back(static_cast<LocalIndex>(i - begin));
    }
    for (std::size_t k = 0; k < of_linked.size(); ++k)
      if (parts.linked_rows[k] >= begin && parts.linked_rows[k] < end)
        my_groups.push_back(of_linked[k]);
    input.all.position = to_points(mine);
    input.rows = to_list(rows);
    input.others = to_list(others);
    app::Verification verification;
    verify_attached(comm, input, to_list(my_groups), to_list(my_labels), verification);
    std::vector<std::string> names;
    for (const app::Check& check : verification.checks())
      if (!check.passed) names.push_back(check.name);
    return names;
  }

  /// Merges two groups.
  void join(LocalIndex from, LocalIndex to) {
    const LocalIndex least = std::min(from, to), most = std::max(from, to);
    std::replace(labels.begin(), labels.end(), most, least);
  }
};

using Names = std::vector<std::string>;

TEST_CASE("Right labels of attached particles pass") {
  CHECK(Attached{}.failures().empty());
}

TEST_CASE("A lost particle and a particle in a wrong group are noticed") {
  const Attached right;
  for (const LocalIndex row : right.parts.other_rows) {
    if (right.labels[row] == row) continue;
    Attached lost;
    lost.labels[row] = row;
    CHECK(lost.failures() == Names{"attached_to_the_wrong_group"});
    Attached moved;
    moved.labels[row] = moved.labels[0] == moved.labels[row] ? 1 : moved.labels[0];
    if (moved.labels[moved.labels[row]] != moved.labels[row]) continue;
    CHECK(moved.failures() == Names{"attached_to_the_wrong_group"});
    return;
  }
  FAIL("nobody is attached");
}

TEST_CASE("Merged groups of linked particles are noticed") {
  Attached merged;
  const auto label = [&](std::size_t k) { return merged.labels[merged.parts.linked_rows[k]]; };
  std::size_t k = 1;
  while (label(k) == label(0)) ++k;
  merged.join(label(0), label(k));
  CHECK(merged.failures() == Names{"linked_particles_in_other_groups_than_before"});
}

TEST_CASE("A linked particle that left its group is noticed") {
  Attached torn;
  for (std::size_t k = 0; k < torn.of_linked.size(); ++k) {
    if (torn.of_linked[k] == k) continue;
    const LocalIndex row = torn.parts.linked_rows[k];
    torn.labels[row] = row;
    CHECK(torn.failures().front() == "linked_particles_in_other_groups_than_before");
    return;
  }
  FAIL("nobody is in a group");
}

TEST_CASE("A label that is not a smallest row is noticed before it is used as a row") {
  for (const LocalIndex label : {LocalIndex{599}, ~LocalIndex{0}}) {
    Attached wrong;
    wrong.labels[3] = label;
    CHECK(wrong.failures() == Names{"labels_of_all_species_that_are_no_smallest_row"});
  }
}

TEST_CASE("Labels of a subset are rows of the subset") {
  const auto labels = labels_of_rows(to_list<LocalIndex>({0, 0, 2, 0, 2, 5, 5}),
                                     to_list<LocalIndex>({1, 3, 4, 5, 6}));
  CHECK(std::vector<LocalIndex>(labels.data(), labels.data() + labels.extent(0)) ==
        std::vector<LocalIndex>{0, 0, 2, 3, 3});
}

}  // namespace
}  // namespace copse::fof::test
