// Run with 1 to 5 ranks. Oracle: the flood fill over all particles, on every rank; a chain and a
// heap must each be one group.
#include "rank_cases.hpp"

#include <fof/distributed/distributed_linker.hpp>
#include <numeric>

namespace copse::fof::test {
namespace {

/// Number of labels, over all ranks, that differ from the expected ones.
template <class Space>
Count wrong_labels(const Communicator& comm, const Space& space, const std::string& method,
                   const Share& share, const LinkProblem<Kokkos::HostSpace>& all, const Box<3>& box,
                   const std::vector<LocalIndex>& expected) {
  using Memory = typename Space::memory_space;
  const Count begin = share.begin(all.size(), comm.rank(), comm.size());
  const Count end = share.begin(all.size(), comm.rank() + 1, comm.size());
  const auto host = slice(all, begin, end);
  const LinkProblem<Memory> mine{Kokkos::create_mirror_view_and_copy(Memory{}, host.position),
                                 Kokkos::create_mirror_view_and_copy(Memory{}, host.velocity),
                                 host.friendship};
  DistributedLinker<Space> linker(comm, space);
  Count wrong = 0;
  with_linker(method, space, [&](auto local) {
    const auto link = [&](const auto& problem, const auto& local_labels) {
      local.link(problem, {}, local_labels);
    };
    // Two runs: the second reuses the scratch arrays of the first, has domains from a small sample,
    // ghosts that fit behind the particles, and labels returned in 64 bits.
    for (const DomainOptions& domains :
         {DomainOptions{},
          DomainOptions{.sample_rows = 8, .ghost_room = 1, .narrow_numbers = false}}) {
      linker.link(mine, box, link, domains);
      const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, linker.labels());
      wrong += found.extent(0) != end - begin;
      for (Count i = begin; i < end; ++i) wrong += found(i - begin) != expected[i];
    }
  });
  wrong += comm.allreduce(linker.cost().own, Reduction::sum) != all.size();
  return comm.allreduce(wrong, Reduction::sum);
}

/// Checks that every method on every backend gives these labels, for every distribution over ranks.
void check_ranks(const Sample& sample, const LinkProblem<Kokkos::HostSpace>& all,
                 const std::vector<LocalIndex>& expected) {
  const Communicator comm;
  for (const Share& share : shares)
    for_each_backend([&]<class Space>(Space space) {
      for (const std::string& method : exact_method_names()) {
        if (&share != &shares[0] && method != exact_method_names().front()) continue;
        INFO(share.name << ", " << method << " on " << backend_name<Space>());
        CHECK(wrong_labels(comm, space, method, share, all, sample.box, expected) == 0);
      }
    });
}

void check_ranks(const Sample& sample, const LinkingLengths& links) {
  const auto all = problem_of(sample, links);
  check_ranks(sample, all, reference_labels(all, sample.box));
}

TEST_CASE("Groups over ranks are those of one rank, in space and phase space, periodic or not") {
  for (const bool periodic : {false, true})
    for (const bool velocities : {false, true})
      for (const double b : {0.01, 0.04, 0.2}) {
        INFO("periodic " << periodic << ", velocities " << velocities << ", b " << b);
        check_ranks(clustered(900, 900, periodic, velocities, Real(0.75)),
                    {.length = b, .velocity = 1.5});
      }
}

TEST_CASE("Fewer particles than ranks, and none, are linked") {
  for (const std::size_t n : {0, 1, 2, 3, 4}) {
    INFO(n << " particles");
    for (const bool velocities : {false, true})
      check_ranks(clustered(n, static_cast<unsigned>(n), true, velocities, Real(0.75)),
                  {.length = 0.3, .velocity = 2.0});
  }
}

TEST_CASE("Particles all in one place are one group on one rank") {
  Sample heap;
  heap.x.assign(600, Row{Real(0.3), Real(0.4), Real(0.5)});
  const auto all = problem_of(heap, {.length = 0.1, .velocity = no_link});
  check_ranks(heap, all, std::vector<LocalIndex>(600, 0));
}

TEST_CASE("A chain across all domains is one group") {
  Sample chain;
  for (int i = 0; i < 1000; ++i) chain.x.push_back({static_cast<Real>(i) / 1000, 0, 0});
  std::shuffle(chain.x.begin(), chain.x.end(), std::mt19937(1));
  const auto all = problem_of(chain, {.length = 0.0011, .velocity = no_link});
  check_ranks(chain, all, std::vector<LocalIndex>(1000, 0));
}

TEST_CASE("A group that crosses domains many times is one group, and removing one step splits it") {
  Sample path = snake(7);
  const LinkingLengths links{.length = 1.1 / 28, .velocity = no_link};
  const auto n = path.x.size();
  check_ranks(path, problem_of(path, links), std::vector<LocalIndex>(n, 0));
  path.x.resize(n - 5);
  check_ranks(path, links);
}

TEST_CASE("Groups meet across every face, edge and corner of a periodic box") {
  Sample sample;
  sample.box = unit_box<3>(true);
  for (const Real x : {Real(0), Real(0.5), Real(1)})
    for (const Real y : {Real(0), Real(0.25), Real(1)})
      for (const Real z : {Real(0.01), Real(0.99)}) sample.x.push_back({x, y, z});
  for (const double b : {0.03, 0.25, 0.3}) {
    INFO("b " << b);
    check_ranks(sample, {.length = b, .velocity = no_link});
  }
}

TEST_CASE("Over ranks a lattice of exactly the linking length is linked only inclusively") {
  Sample sample;
  sample.box = unit_box<3>(true);
  for (int i = 0; i < 512; ++i)
    sample.x.push_back({static_cast<Real>(i % 8) / 8, static_cast<Real>(i / 8 % 8) / 8,
                        static_cast<Real>(i / 64) / 8});
  std::vector<LocalIndex> alone(512);
  std::iota(alone.begin(), alone.end(), LocalIndex{0});
  check_ranks(sample, problem_of(sample, {.length = 0.125, .velocity = no_link}), alone);
  check_ranks(sample, problem_of(sample, {.length = 0.125, .velocity = no_link, .inclusive = true}),
              std::vector<LocalIndex>(512, 0));
}

TEST_CASE("Sent bytes are counted") {
  const Communicator comm;
  const Sample sample = clustered(1000, 1000, true, false, Real(0.75));
  const auto all = problem_of(sample, {.length = 0.05, .velocity = no_link});
  const Count begin = shares[0].begin(1000, comm.rank(), comm.size());
  const Count end = shares[0].begin(1000, comm.rank() + 1, comm.size());
  DistributedLinker<Kokkos::Serial> linker(comm, Kokkos::Serial{});
  BruteForceLinker<Kokkos::Serial> local(Kokkos::Serial{});
  linker.link(slice(all, begin, end), sample.box,
              [&](const auto& problem, const auto& found) { local.link(problem, {}, found); });
  const DistributedLinkCost& cost = linker.cost();
  const auto over_ranks = [&](Count value) { return comm.allreduce(value, Reduction::sum); };
  CHECK(over_ranks(cost.ghost_bytes) == over_ranks(cost.ghosts) * 3 * sizeof(Real));
  // The same particles leave their ranks on the way out, with position and index, and on the way
  // back. All are in the sample as well, with position and id.
  const Count out = 3 * sizeof(Real) + sizeof(LocalIndex);
  const Count in_sample = 3 * sizeof(Real) + sizeof(GlobalId);
  CHECK(over_ranks(cost.domain_bytes) * sizeof(LocalIndex) ==
        over_ranks(cost.label_bytes) * (out + in_sample));
  CHECK((comm.size() == 1) == (over_ranks(cost.ghosts) == 0));
  CHECK(over_ranks(cost.links) <= over_ranks(cost.ghosts));
}

}  // namespace
}  // namespace copse::fof::test
