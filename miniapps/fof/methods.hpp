#pragma once
/// \file
/// Every method of linking, by name.

#include "linker.hpp"
#include "methods/brute_force.hpp"
#include "methods/emst_boruvka.hpp"
#include "methods/emst_delaunay.hpp"
#include "methods/kd_tree.hpp"
#include "methods/leaf_pairs.hpp"
#include <copse/backend/error.hpp>

#include <string>
#include <vector>

namespace copse::fof {

struct MethodInfo {
  const char* name;
  const char* description;
  bool has_tree;  ///< is building a tree a phase of its own?
  /// Memory beside the input, for --dry-run; tests hold it against runs: bytes of integers a
  /// particle, its label included, numbers of Reals a particle in space and more in phase space,
  /// and bytes a node of a tree with so many particles in a leaf by default (0: no tree).
  double integer_bytes;
  double reals;
  double velocity_reals;
  double node_bytes;
  std::uint32_t bucket_size;
  bool bisects;  ///< is the tree cut level by level on devices? That takes scratch memory there.
};

/// In the order of `--list`; the first is the default.
const std::vector<MethodInfo>& methods();
std::vector<std::string> method_names();
/// Those that give the same groups for every input: all but emst-delaunay, which does so only in
/// 3-D without a periodic box, but for pairs within rounding of the linking length.
std::vector<std::string> exact_method_names();
/// \throws InputError if there is no method of that name
const MethodInfo& method_named(const std::string& name);

/// Bytes that a method takes beside the input of n particles, on a host or on a device.
double estimate_bytes(const MethodInfo& method, Count n, const LinkOptions& options,
                      bool velocities, bool on_device);

/// Calls f(linker) with the method of that name on a backend.
/// \throws InputError if there is none
template <class ExecutionSpace, class F>
void with_linker(const std::string& method, const ExecutionSpace& space, F&& f) {
  if (method == "leaf-pairs") return f(LeafPairsLinker<ExecutionSpace>(space));
  if (method == "kd-tree") return f(KdTreeLinker<ExecutionSpace>(space));
  if (method == "brute-force") return f(BruteForceLinker<ExecutionSpace>(space));
  if (method == "emst-boruvka") return f(EmstBoruvkaLinker<ExecutionSpace>(space));
  if (method == "emst-delaunay") return f(EmstDelaunayLinker<ExecutionSpace>(space));
  throw InputError("there is no method '" + method + "'");
}

}  // namespace copse::fof
