// Run with 1 to 5 ranks. Oracle: the flood fill over all particles, on every rank. Labels that
// differ from it must be counted, all of them.
#include "rank_cases.hpp"
#include <copse/backend/mpi/communicator.hpp>

#include <fof/slabs/compare_groups.hpp>

namespace copse::fof::test {
namespace {

/// Compares labels of all particles, distributed over the ranks; sums over ranks.
GroupDifferences compare(const LinkProblem<Kokkos::HostSpace>& all, const Box<3>& box,
                         const std::vector<LocalIndex>& labels, const Share& share,
                         Count slab_particles) {
  const Communicator comm;
  const Count begin = share.begin(all.size(), comm.rank(), comm.size());
  const Count end = share.begin(all.size(), comm.rank() + 1, comm.size());
  const auto mine = slice(all, begin, end);
  LinkedInput input;
  input.particles.position = mine.position;
  input.particles.velocity = mine.velocity;
  input.particles.box = box;
  input.friendship = all.friendship;
  const GlobalLabels<Kokkos::HostSpace> my_labels("copse::test::labels", end - begin);
  for (Count i = begin; i < end; ++i) my_labels(i - begin) = labels[i];
  GroupDifferences found = compare_groups(comm, input, my_labels, slab_particles);
  for (Count* sum : {&found.above_own_row, &found.torn, &found.unlike})
    *sum = comm.allreduce(*sum, Reduction::sum);
  return found;
}

void check_right_labels_pass(const Sample& sample, const LinkingLengths& links) {
  const auto all = problem_of(sample, links);
  const auto labels = reference_labels(all, sample.box);
  Count components = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) components += labels[i] == i ? 1 : 0;
  for (const Share& share : shares)
    for (const Count slab : {1, 200, 1 << 24}) {
      INFO(share.name << ", slabs of " << slab);
      const GroupDifferences found = compare(all, sample.box, labels, share, slab);
      CHECK(found.above_own_row == 0);
      CHECK(found.torn == 0);
      CHECK(found.unlike == 0);
      CHECK(found.components == components);
    }
}

TEST_CASE("Right labels pass, in space and phase space, periodic or not") {
  for (const bool periodic : {false, true})
    for (const bool velocities : {false, true})
      for (const double b : {0.004, 0.01, 0.04, 0.2, 0.37}) {
        INFO("periodic " << periodic << ", velocities " << velocities << ", b " << b);
        check_right_labels_pass(clustered(900, 900, periodic, velocities, Real(0.75)),
                                {.length = b, .velocity = 1.5});
      }
}

TEST_CASE("Right labels of fewer particles than ranks, and of none, pass") {
  for (const std::size_t n : {0, 1, 2, 3, 4})
    for (const bool velocities : {false, true})
      check_right_labels_pass(clustered(n, static_cast<unsigned>(n), true, velocities, Real(0.75)),
                              {.length = 0.3, .velocity = 2.0});
}

TEST_CASE("A group that crosses layers of ranks many times is one group, until a step is removed") {
  Sample path = snake(7);
  const LinkingLengths links{.length = 1.1 / 28, .velocity = no_link};
  check_right_labels_pass(path, links);
  for (Row& x : path.x) std::swap(x[0], x[2]);
  check_right_labels_pass(path, links);
  path.x.resize(path.x.size() - 5);
  check_right_labels_pass(path, links);
}

TEST_CASE("Particles in one place, in a plane and across faces of the box have the right groups") {
  Sample heap;
  heap.x.assign(600, Row{Real(0.3), Real(0.4), Real(0.5)});
  check_right_labels_pass(heap, {.length = 0.1, .velocity = no_link});
  Sample faces;
  faces.box = unit_box<3>(true);
  for (const Real x : {Real(0), Real(0.5), Real(1)})
    for (const Real y : {Real(0), Real(0.25), Real(1)})
      for (const Real z : {Real(0.01), Real(0.99)}) faces.x.push_back({x, y, z});
  for (const double b : {0.021, 0.03, 0.25, 0.3, 0.5})
    check_right_labels_pass(faces, {.length = b, .velocity = no_link});
  for (Row& x : faces.x) x[1] = Real(0.5);
  check_right_labels_pass(faces, {.length = 0.03, .velocity = no_link});
}

/// Clustered particles, their right labels, and labels to corrupt.
struct Corrupted {
  Sample sample = clustered(900, 7, true, true, Real(0.75));
  LinkingLengths links{.length = 0.03, .velocity = 3.0};
  LinkProblem<Kokkos::HostSpace> all = problem_of(sample, links);
  std::vector<LocalIndex> right = reference_labels(all, sample.box);
  std::vector<LocalIndex> labels = right;

  std::vector<std::vector<LocalIndex>> groups() const {
    std::vector<std::vector<LocalIndex>> members(right.size());
    for (std::size_t i = 0; i < right.size(); ++i)
      members[right[i]].push_back(static_cast<LocalIndex>(i));
    std::erase_if(members, [](const auto& group) { return group.size() < 2; });
    REQUIRE(members.size() > 10);
    return members;
  }

  /// Gives particles the smallest of their indices as label.
  void relabel(const std::vector<LocalIndex>& rows) {
    for (const LocalIndex row : rows) labels[row] = *std::min_element(rows.begin(), rows.end());
  }

  /// Every wrong label is counted; then the labels are right again.
  GroupDifferences check_noticed() {
    Count wrong = 0;
    for (std::size_t i = 0; i < right.size(); ++i) wrong += labels[i] != right[i] ? 1 : 0;
    REQUIRE(wrong > 0);
    GroupDifferences found;
    for (const Count slab : {1, 1 << 24}) {
      found = compare(all, sample.box, labels, shares[0], slab);
      CHECK(found.unlike == wrong);
    }
    labels = right;
    return found;
  }
};

TEST_CASE("A member lost from a group is noticed as torn from it") {
  Corrupted corrupted;
  for (const auto& group : corrupted.groups()) {
    corrupted.relabel({group.back()});
    CHECK(corrupted.check_noticed().torn > 0);
  }
}

TEST_CASE("Two groups with the label of one are noticed, wherever they lie") {
  Corrupted corrupted;
  const auto groups = corrupted.groups();
  for (std::size_t g = 1; g < groups.size(); ++g) {
    auto rows = groups[g - 1];
    rows.insert(rows.end(), groups[g].begin(), groups[g].end());
    corrupted.relabel(rows);
    CHECK(corrupted.check_noticed().torn == 0);
  }
}

TEST_CASE("Groups split at a plane across any axis, as at the border of two ranks, are noticed") {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Corrupted corrupted;
    Count split = 0;
    for (const auto& group : corrupted.groups()) {
      std::vector<LocalIndex> below, above;
      for (const LocalIndex row : group)
        (corrupted.sample.x[row][axis] < Real(0.5) ? below : above).push_back(row);
      if (below.empty() || above.empty()) continue;
      corrupted.relabel(below);
      corrupted.relabel(above);
      CHECK(corrupted.check_noticed().torn > 0);
      ++split;
    }
    CHECK(split > 0);
  }
}

TEST_CASE("Labels of a shorter or longer link, in space or velocity, are noticed") {
  Corrupted corrupted;
  for (const LinkingLengths& links : {LinkingLengths{.length = 0.0297, .velocity = 3.0},
                                      LinkingLengths{.length = 0.0303, .velocity = 3.0},
                                      LinkingLengths{.length = 0.03, .velocity = 2.9},
                                      LinkingLengths{.length = 0.03, .velocity = 3.1}}) {
    corrupted.labels = reference_labels(problem_of(corrupted.sample, links), corrupted.sample.box);
    corrupted.check_noticed();
  }
}

TEST_CASE("A label that is a member but not the smallest is noticed") {
  Corrupted corrupted;
  for (const auto& group : corrupted.groups()) {
    for (const LocalIndex row : group) corrupted.labels[row] = group.back();
    const GroupDifferences found = corrupted.check_noticed();
    CHECK(found.torn == 0);
    CHECK(found.above_own_row == group.size() - 1);
  }
}

}  // namespace
}  // namespace copse::fof::test
