// fof's default method.
#include "group_finder.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <fof/methods/leaf_pairs.hpp>
#include <fof/problem_in.hpp>
#include <limits>

namespace copse::peers {
namespace {

template <class ExecutionSpace>
class CopseGroups final : public GroupFinder {
 public:
  CopseGroups(const ExecutionSpace& space, const ClearProblem& problem, std::string region)
      : region_(std::move(region)), linker_(space) {
    const fof::LinkingLengths links{.length = problem.length,
                                    .velocity = std::numeric_limits<double>::infinity()};
    const Box<3> isolated;
    problem_ =
        fof::problem_in<MemorySpace>({problem.position, {}, fof::make_friendship(links, isolated)});
    labels_ = fof::Labels<MemorySpace>("peer::labels", problem.position.extent(0));
  }

  void find() override {
    const Kokkos::Profiling::ScopedRegion region(region_);
    linker_.link(problem_, {}, labels_);
  }

  GroupNames names() const override {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, labels_);
    return {host.data(), host.data() + host.extent(0)};
  }

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;

  std::string region_;
  fof::LeafPairsLinker<ExecutionSpace> linker_;
  fof::LinkProblem<MemorySpace> problem_;
  fof::Labels<MemorySpace> labels_;
};

}  // namespace

std::unique_ptr<GroupFinder> make_copse_groups(const std::string& backend,
                                               const ClearProblem& problem,
                                               const std::string& region) {
  std::unique_ptr<GroupFinder> made;
  dispatch_backend(backend, [&]<class Space>(const Space& space) {
    made = std::make_unique<CopseGroups<Space>>(space, problem, region);
  });
  return made;
}

}  // namespace copse::peers
