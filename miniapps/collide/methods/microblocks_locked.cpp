/// \file
/// Microblocks on threads [Li, Scott, Twigg 2012, section 2.3]: the passes of microblocks.cpp in
/// parallel over blocks, with a lock per block for adding and removing.
///
/// As published this has a race. A thread that migrates a block reads that block's list without its
/// lock, while another thread, which holds the lock, adds a row: the array that is being read may
/// be freed, or a row be seen before it is written. Here a list is read only under its lock as
/// well. No thread holds two locks, so none waits in a circle: rows that leave are first collected,
/// then added one by one.
#include "microblocks.hpp"

#include <atomic>
#include <mutex>

namespace copse::collide {
namespace {

/// A lock that is held for a few dozen instructions, so a thread that waits does not sleep.
class SpinLock {
 public:
  void lock() {
    while (taken_.test_and_set(std::memory_order_acquire))
      while (taken_.test(std::memory_order_relaxed)) {
      }
  }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

template <int D>
struct MigrateLocked {
  BlockOf<D, Kokkos::HostSpace> block_of;
  BlockRows* blocks;
  SpinLock* locks;

  void operator()(Count block) const {
    thread_local std::vector<std::pair<LocalIndex, Count>> leaving;
    leaving.clear();
    {
      const std::lock_guard guard(locks[block]);
      BlockRows& list = blocks[block];
      for (LocalIndex k = 0; k < list.size();) {
        const Count target = block_of(list[k]);
        if (target == block)
          ++k;
        else
          leaving.emplace_back(list.remove_at(k), target);
      }
    }
    for (const auto& [row, target] : leaving) {
      const std::lock_guard guard(locks[target]);
      blocks[target].add(row);
    }
  }
};

template <int D, class ExecutionSpace>
class MicroblocksLocked final
    : public GrowableBlocks<D, ExecutionSpace, MicroblocksLocked<D, ExecutionSpace>> {
 public:
  using Base = GrowableBlocks<D, ExecutionSpace, MicroblocksLocked>;
  using Base::Base;
  using typename Base::MemorySpace;

  void load(const State<D, MemorySpace>& state) override {
    Base::load(state);
    locks_ = std::vector<SpinLock>(this->blocks_.size());
  }

  void migrate() {
    Kokkos::parallel_for("copse::collide::migrate_locked", this->all_blocks(),
                         MigrateLocked<D>{this->block_of(), this->blocks_.data(), locks_.data()});
  }

 private:
  std::vector<SpinLock> locks_;
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_microblocks_locked(const ExecutionSpace& space,
                                                         const Physics<D>& physics,
                                                         const Request&) {
  if constexpr (backend_name<ExecutionSpace>() == "openmp")
    return std::make_unique<MicroblocksLocked<D, ExecutionSpace>>(space, physics);
  else
    throw InputError("--method microblocks-locked is for --backend openmp");
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(microblocks_locked, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
