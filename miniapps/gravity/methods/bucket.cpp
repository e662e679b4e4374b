// The method "bucket": the bodies of a leaf walk together, and the leaf's bounding box decides
// for all of them ([Liu 2019] sections 4.2 and 4.3, figure 4.4).
#include "../make.hpp"
#include "target_groups.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/walk.hpp>

namespace copse::gravity {
namespace {

template <class ExecutionSpace>
class BucketWalk final : public Method<ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit BucketWalk(const ExecutionSpace& space)
      : Method<ExecutionSpace>(space), groups_(space) {}

  void start(const BodyTree<MemorySpace>& bodies,
             const GravityFields<MemorySpace>& fields) override {
    const auto& buckets = groups(bodies);
    with_moments(bodies, [&]<int Order>(const Multipoles<Order, MemorySpace>& moments) {
      with_visitor(bodies, moments, fields, [&](const auto& visitor) {
        walk_as<WalkKind::group>(space_, visitor, buckets);
      });
    });
  }

  Interactions count(const BodyTree<MemorySpace>& bodies) override {
    const auto& buckets = groups(bodies);
    Interactions found;
    with_visitor(bodies, Multipoles<1, MemorySpace>{}, allocate_fields<MemorySpace>(bodies.size()),
                 [&](const auto& visitor) {
                   found = interactions_of(count_walk_as<WalkKind::group>(space_, visitor, buckets),
                                           true);
                 });
    return found;
  }

  /// Leaves, or pieces of leaves with more bodies than lanes.
  const BucketList<MemorySpace>& groups(const BodyTree<MemorySpace>& bodies) override {
    return groups_.of(bodies, walk_width<ExecutionSpace>(WalkKind::group), 0);
  }

 private:
  using Method<ExecutionSpace>::space_;

  TargetGroups<ExecutionSpace> groups_;
};

}  // namespace

template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_bucket(const ExecutionSpace& space, const Request&) {
  return std::make_unique<BucketWalk<ExecutionSpace>>(space);
}

#define COPSE_INSTANTIATE(Space) \
  template MethodPointer<Space> make_bucket(const Space&, const Request&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
