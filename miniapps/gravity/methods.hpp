#pragma once
/// \file
/// The methods by name, and their common interface: the field of every body of a BodyTree.

#include "body_tree.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::gravity {

/// What a method did, summed over the targets.
struct Interactions {
  Count cells = 0;        ///< fields of whole nodes added to targets
  Count bodies = 0;       ///< fields of single bodies added to targets
  Count conversions = 0;  ///< nodes that became part of another node's local expansion
  Count tests = 0;        ///< opening tests, each by one target or by one group of targets
  /// The same, counted once for each body of the group, as [Liu 2019] table 4.1 does.
  Count tests_per_body = 0;
};

template <class ExecutionSpace>
class Method {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit Method(const ExecutionSpace& space) : space_(space) {}
  virtual ~Method() = default;

  /// Starts the work of `solve`. On a device it may return before the work is done; `bodies` and
  /// `fields` must not change until `space()` is fenced. `lists` does most of its work before it
  /// returns.
  virtual void start(const BodyTree<MemorySpace>& bodies,
                     const GravityFields<MemorySpace>& fields) = 0;
  /// Computes the fields of the targets of `bodies`, G = 1, in tree order; those of other bodies
  /// keep what they had. Returns when the work is done.
  void solve(const BodyTree<MemorySpace>& bodies, const GravityFields<MemorySpace>& fields) {
    start(bodies, fields);
    space_.fence("copse::gravity::solve");
  }
  /// Counts the interactions of `solve`; not timed.
  virtual Interactions count(const BodyTree<MemorySpace>& bodies) = 0;

  /// Groups of targets. In `solve`, a target opens a node only if the box of its group opens it.
  /// Valid until the next call. \throws std::logic_error for methods that do not run over ranks
  virtual const BucketList<MemorySpace>& groups(const BodyTree<MemorySpace>&) {
    throw std::logic_error("the method has no groups of targets");
  }

  const ExecutionSpace& space() const { return space_; }

 protected:
  ExecutionSpace space_;
};

struct MethodInfo {
  const char* name;
  const char* description;
  std::uint32_t host_bucket;    ///< bodies per leaf, measured best on hosts
  std::uint32_t device_bucket;  ///< and on devices
  /// Targets decide, alone or as a group of bodies: so the method can have the relative criterion,
  /// and a part of the bodies as targets.
  bool targets_decide;
  bool shareable;  ///< the host can walk for a part of the targets (methods/host_share.hpp)
};

/// In the order of `--list`.
const std::vector<MethodInfo>& methods();
std::vector<std::string> method_names();
/// \throws InputError if there is no method of that name
const MethodInfo& method_named(const std::string& name);

/// What `--method auto` stands for.
const char* best_method(const std::string& backend, double active_fraction);

/// \throws InputError if there is no method of that name
template <class ExecutionSpace>
std::unique_ptr<Method<ExecutionSpace>> make_method(const std::string& name,
                                                    const ExecutionSpace& space,
                                                    const Request& request);

}  // namespace copse::gravity
