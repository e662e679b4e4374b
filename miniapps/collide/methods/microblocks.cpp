/// \file
/// Microblocks on one thread [Li, Scott, Twigg 2012, section 2.1]: blocks with growable lists. A
/// particle looks at the nine (27) blocks around it, so every pair is found twice.
#include "microblocks.hpp"

namespace copse::collide {
namespace {

template <int D, class ExecutionSpace>
class Microblocks final : public GrowableBlocks<D, ExecutionSpace, Microblocks<D, ExecutionSpace>> {
 public:
  using GrowableBlocks<D, ExecutionSpace, Microblocks>::GrowableBlocks;

  void migrate() {
    const auto block_of = this->block_of();
    for (Count block = 0; block < this->blocks_.size(); ++block) {
      BlockRows& list = this->blocks_[block];
      for (LocalIndex k = 0; k < list.size();) {
        const Count target = block_of(list[k]);
        if (target == block)
          ++k;
        else  // the last row is at k now
          this->blocks_[target].add(list.remove_at(k));
      }
    }
  }
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_microblocks(const ExecutionSpace& space,
                                                  const Physics<D>& physics, const Request&) {
  if constexpr (backend_name<ExecutionSpace>() == "serial")
    return std::make_unique<Microblocks<D, ExecutionSpace>>(space, physics);
  else
    throw InputError("--method microblocks is for --backend serial");
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(microblocks, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
