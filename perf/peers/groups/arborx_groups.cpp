// ArborX: DBSCAN on a bounding volume hierarchy, on the backends of the suite.
#include "arborx_points.hpp"
#include "finder_on.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <ArborX_DBSCAN.hpp>

namespace copse::peers {
namespace {

template <class ExecutionSpace>
class ArborxGroups final : public GroupFinder {
 public:
  ArborxGroups(const ExecutionSpace& space, const ClearProblem& problem, std::string region,
               bool dense_box)
      : space_(space),
        length_(problem.length),
        region_(std::move(region)),
        points_(arborx_points<MemorySpace>(problem)) {
    using Implementation = ArborX::DBSCAN::Implementation;
    parameters_.setImplementation(dense_box ? Implementation::FDBSCAN_DenseBox
                                            : Implementation::FDBSCAN);
  }

  void find() override {
    const Kokkos::Profiling::ScopedRegion region(region_);
    ArborX::dbscan(space_, points_, length_, 2, labels_, parameters_);
    space_.fence("peer::groups");
  }

  GroupNames names() const override { return names_of(labels_); }

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;

  ExecutionSpace space_;
  double length_;
  std::string region_;
  ArborX::DBSCAN::Parameters parameters_;
  ArborxPoints<MemorySpace> points_;
  Kokkos::View<int*, MemorySpace> labels_{"peer::labels", 0};
};

}  // namespace

std::unique_ptr<GroupFinder> make_arborx_groups(const std::string& backend,
                                                const ClearProblem& problem,
                                                const std::string& region, bool dense_box) {
  return finder_on<ArborxGroups>(backend, problem, region, dense_box);
}

}  // namespace copse::peers
