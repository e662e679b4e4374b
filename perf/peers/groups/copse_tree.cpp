// The suite's spanning tree of all particles, cut at the linking length.
#include "clear_problem_in.hpp"
#include "finder_on.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <fof/methods/emst_boruvka.hpp>

namespace copse::peers {
namespace {

template <class ExecutionSpace>
class CopseTree final : public GroupFinder {
 public:
  CopseTree(const ExecutionSpace& space, const ClearProblem& problem, std::string region)
      : space_(space),
        region_(std::move(region)),
        linker_(space),
        problem_(clear_problem_in<MemorySpace>(problem)),
        labels_("peer::labels", problem.position.extent(0)) {}

  void find() override {
    const Kokkos::Profiling::ScopedRegion region(region_);
    edges_ = linker_.spanning_tree(problem_, {});
    fof::cut_tree(space_, edges_, problem_.friendship.reach2, labels_);
  }

  GroupNames names() const override { return names_of(labels_); }

  TreeEdges tree() const override {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, edges_);
    TreeEdges edges;
    for (Count i = 0; i < host.extent(0); ++i) edges.push_back({host(i).a, host(i).b});
    return edges;
  }

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;

  ExecutionSpace space_;
  std::string region_;
  fof::EmstBoruvkaLinker<ExecutionSpace> linker_;
  fof::LinkProblem<MemorySpace> problem_;
  fof::SpanningTree<MemorySpace> edges_;
  fof::Labels<MemorySpace> labels_;
};

}  // namespace

std::unique_ptr<GroupFinder> make_copse_tree(const std::string& backend,
                                             const ClearProblem& problem,
                                             const std::string& region) {
  return finder_on<CopseTree>(backend, problem, region);
}

}  // namespace copse::peers
