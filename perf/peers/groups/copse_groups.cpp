// fof's methods: the default, and the spanning tree up to the linking length.
#include "clear_problem_in.hpp"
#include "group_finder.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <fof/methods/emst_boruvka.hpp>
#include <fof/methods/leaf_pairs.hpp>

namespace copse::peers {
namespace {

template <class ExecutionSpace, class Linker>
class CopseGroups final : public GroupFinder {
 public:
  CopseGroups(const ExecutionSpace& space, const ClearProblem& problem, std::string region)
      : region_(std::move(region)),
        linker_(space),
        problem_(clear_problem_in<MemorySpace>(problem)),
        labels_("peer::labels", problem.position.extent(0)) {}

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
  Linker linker_;
  fof::LinkProblem<MemorySpace> problem_;
  fof::Labels<MemorySpace> labels_;
};

}  // namespace

std::unique_ptr<GroupFinder> make_copse_groups(const std::string& backend,
                                               const ClearProblem& problem,
                                               const std::string& region, bool boruvka) {
  std::unique_ptr<GroupFinder> made;
  dispatch_backend(backend, [&]<class Space>(const Space& space) {
    using Boruvka = CopseGroups<Space, fof::EmstBoruvkaLinker<Space>>;
    using LeafPairs = CopseGroups<Space, fof::LeafPairsLinker<Space>>;
    if (boruvka) {
      made = std::make_unique<Boruvka>(space, problem, region);
    } else {
      made = std::make_unique<LeafPairs>(space, problem, region);
    }
  });
  return made;
}

}  // namespace copse::peers
