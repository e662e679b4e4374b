// fof's methods: the default, and the spanning tree up to the linking length.
#include "clear_problem_in.hpp"
#include "finder_on.hpp"

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

  GroupNames names() const override { return names_of(labels_); }

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;

  std::string region_;
  Linker linker_;
  fof::LinkProblem<MemorySpace> problem_;
  fof::Labels<MemorySpace> labels_;
};

template <class ExecutionSpace>
using BoruvkaGroups = CopseGroups<ExecutionSpace, fof::EmstBoruvkaLinker<ExecutionSpace>>;
template <class ExecutionSpace>
using LeafPairsGroups = CopseGroups<ExecutionSpace, fof::LeafPairsLinker<ExecutionSpace>>;

}  // namespace

std::unique_ptr<GroupFinder> make_copse_groups(const std::string& backend,
                                               const ClearProblem& problem,
                                               const std::string& region, bool boruvka) {
  return boruvka ? finder_on<BoruvkaGroups>(backend, problem, region)
                 : finder_on<LeafPairsGroups>(backend, problem, region);
}

}  // namespace copse::peers
