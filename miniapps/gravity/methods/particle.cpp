// The method "particle": every body decides for itself, with any walk of the engine.
#include "../make.hpp"
#include "target_groups.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/walk.hpp>

namespace copse::gravity {
namespace {

template <class ExecutionSpace>
class ParticleWalk final : public Method<ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  ParticleWalk(const ExecutionSpace& space, WalkKind kind)
      : Method<ExecutionSpace>(space), kind_(kind), groups_(space) {}

  void start(const BodyTree<MemorySpace>& bodies,
             const GravityFields<MemorySpace>& fields) override {
    with_moments(bodies, [&]<int Order>(const Multipoles<Order, MemorySpace>& moments) {
      with_visitor(bodies, moments, fields,
                   [&](const auto& visitor) { walk(space_, kind_, visitor, bodies.targets); });
    });
  }

  Interactions count(const BodyTree<MemorySpace>& bodies) override {
    Interactions found;
    with_visitor(bodies, Multipoles<1, MemorySpace>{}, allocate_fields<MemorySpace>(bodies.size()),
                 [&](const auto& visitor) {
                   found =
                       interactions_of(count_walk(space_, kind_, visitor, bodies.targets), false);
                 });
    return found;
  }

  /// Leaves: none of their bodies opens what its leaf's box does not.
  const BucketList<MemorySpace>& groups(const BodyTree<MemorySpace>& bodies) override {
    return groups_.of(bodies, walk_width<ExecutionSpace>(WalkKind::group), 0);
  }

 private:
  using Method<ExecutionSpace>::space_;
  WalkKind kind_;
  TargetGroups<ExecutionSpace> groups_;
};

}  // namespace

template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_particle(const ExecutionSpace& space, const Request& request) {
  return std::make_unique<ParticleWalk<ExecutionSpace>>(space, request.walk_kind);
}

#define COPSE_INSTANTIATE(Space) \
  template MethodPointer<Space> make_particle(const Space&, const Request&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
