// Run with 1 to 5 ranks. Oracle: a test of every linked particle for each of the others, repeated
// on every rank.
#include "attach_cases.hpp"

#include <fof/distributed/distributed_linker.hpp>
#include <fof/distributed/joined_groups.hpp>

namespace copse::fof::test {
namespace {

/// One rank's range of all particles, split into linked and other particles.
struct Mine {
  std::size_t begin, end;
  std::vector<LocalIndex> linked_rows, other_rows;  ///< relative to `begin`
  std::size_t linked_begin = 0, others_begin = 0;   ///< in the lists over all ranks

  Mine(const Split& parts, std::size_t from, std::size_t to) : begin(from), end(to) {
    linked_begin = pick(parts.linked_rows, linked_rows);
    others_begin = pick(parts.other_rows, other_rows);
  }

 private:
  std::size_t pick(const std::vector<LocalIndex>& all, std::vector<LocalIndex>& mine) const {
    std::size_t before = 0;
    for (const LocalIndex row : all) {
      before += row < begin;
      if (row >= begin && row < end) mine.push_back(row - static_cast<LocalIndex>(begin));
    }
    return before;
  }
};

std::vector<Row> part_of(const std::vector<Row>& rows, std::size_t begin, std::size_t n) {
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(n)};
}

template <class Values>
auto host_list(const Values& values) {
  using Value = typename Values::value_type;
  Kokkos::View<Value*, Kokkos::LayoutLeft, Kokkos::HostSpace> list("copse::test::list",
                                                                   values.size());
  std::copy(values.begin(), values.end(), list.data());
  return list;
}

/// Number of errors on this rank.
struct Wrong {
  Count nearest = 0;
  Count labels = 0;
  Count members = 0;
};

template <class Space>
Wrong attach(const Communicator& comm, const Space& space, const Sample& sample,
             const LinkingLengths& links, const Split& parts, const Mine& mine) {
  using Memory = typename Space::memory_space;
  const auto there = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Memory{}, view);
  };
  const auto here = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  };
  const auto all = problem_of(parts.linked, links);
  const auto groups = reference_labels(all, sample.box);
  const auto nearest = nearest_by_all_pairs(parts, all.friendship);
  const auto expected = labels_with_others(parts, groups, nearest);

  const std::size_t linked = mine.linked_rows.size(), others = mine.other_rows.size();
  const LinkProblem<Memory> problem{
      there(to_points(part_of(parts.linked.x, mine.linked_begin, linked))), {}, all.friendship};
  const GlobalLabels<Memory> joined("copse::test::joined", others);
  DistributedLinker<Space> linker(comm, space);
  LeafPairsLinker<Space> local(space);
  linker.link(problem, sample.box,
              [&](const auto& rank, const auto& found) { local.link(rank, {}, found); });
  linker.find_groups_near(there(to_points(part_of(parts.others.x, mine.others_begin, others))),
                          all.friendship, joined);
  Wrong wrong;
  const auto found = here(joined);
  for (std::size_t k = 0; k < others; ++k) {
    const LocalIndex row = nearest[mine.others_begin + k];
    wrong.nearest += found(k) != (row == nobody_near ? no_group : GlobalId{groups[row]});
  }
  const auto whole = join_groups(comm, {host_list(mine.linked_rows), host_list(mine.other_rows),
                                        here(linker.labels()), found});
  std::vector<Count> members(expected.size(), 0);
  for (const LocalIndex label : expected) ++members[label];
  for (std::size_t i = mine.begin; i < mine.end; ++i) {
    wrong.labels += whole.labels(i - mine.begin) != expected[i];
    wrong.members += whole.members(i - mine.begin) != members[expected[i]];
  }
  return wrong;
}

/// On every backend, with the particles distributed evenly, and with all of them on the last rank.
void check_attached(const Sample& sample, const LinkingLengths& links, const IsLinked& is_linked) {
  const Communicator comm;
  const Split parts = split(sample, is_linked);
  const auto n = sample.x.size();
  const auto p = static_cast<std::size_t>(comm.size()), r = static_cast<std::size_t>(comm.rank());
  for (const bool even : {true, false})
    for_each_backend([&]<class Space>(Space space) {
      INFO(backend_name<Space>() << (even ? ", even shares" : ", all on the last rank"));
      const std::size_t begin = even ? n * r / p : 0;
      const std::size_t end = even ? n * (r + 1) / p : r + 1 == p ? n : 0;
      const Wrong wrong = attach(comm, space, sample, links, parts, Mine(parts, begin, end));
      CHECK(comm.allreduce(wrong.nearest, Reduction::sum) == 0);
      CHECK(comm.allreduce(wrong.labels, Reduction::sum) == 0);
      CHECK(comm.allreduce(wrong.members, Reduction::sum) == 0);
    });
}

LinkingLengths in_space(double length, bool inclusive = false) {
  return {.length = length,
          .velocity = std::numeric_limits<double>::infinity(),
          .inclusive = inclusive};
}

TEST_CASE(
    "Over ranks other particles join the group of the nearest linked particle, whatever its rank") {
  for (const bool periodic : {false, true})
    for (const double length : {0.02, 0.05, 0.1}) {
      INFO("periodic " << periodic << ", length " << length);
      check_attached(clustered(900, 3, periodic, false, Real(0.75)), in_space(length), each_third);
    }
}

TEST_CASE("Ranks without linked particles, or with linked particles only, attach correctly") {
  const Sample sample = clustered(600, 5, true, false);
  check_attached(sample, in_space(0.05), [](std::size_t row) { return row < 250; });
  check_attached(sample, in_space(0.05), [](std::size_t row) { return row >= 350; });
}

TEST_CASE("Of equally near particles of several ranks the one with the smallest row attaches") {
  check_attached(lattice(), in_space(0.13), each_third);
  check_attached(lattice(), in_space(0.125), each_third);
  check_attached(lattice(), in_space(0.125, true), each_third);
  // Each linked particle is a group of its own.
  check_attached(lattice(), in_space(0.125, true), [](std::size_t row) {
    return row % 2 == 0 && row / 8 % 2 == 0 && row / 64 % 2 == 0;
  });
  Sample heap;
  heap.x.assign(100, {Real(0.25), Real(0.25), Real(0.25)});
  check_attached(heap, in_space(0.1), each_third);
}

TEST_CASE("Over ranks no particle is attached if none is linked, and ranks may have no particles") {
  const Sample sample = clustered(100, 7, true, false);
  check_attached(sample, in_space(0.1), [](std::size_t) { return false; });
  check_attached(sample, in_space(0.1), [](std::size_t) { return true; });
  for (const std::size_t n : {0, 1, 2, 3})
    check_attached(clustered(n, 1, true, false), in_space(0.3), each_third);
}

}  // namespace
}  // namespace copse::fof::test
