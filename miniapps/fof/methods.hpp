#pragma once
/// \file
/// The linking methods, by name.

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
  bool has_tree;  ///< true if the tree build is a separate phase
  /// Memory in addition to the input, for --dry-run; tests compare it with runs. Per particle:
  /// bytes of integers (label included), number of Reals in 3-D, and additional Reals in 6-D. Per
  /// tree node: bytes, and the default number of particles per leaf (0: no tree).
  double integer_bytes;
  double reals;
  double velocity_reals;
  double node_bytes;
  std::uint32_t bucket_size;
  bool bisects;  ///< true if devices build the tree by bisection, which takes a workspace
};

/// In the order of `--list`; the first is the default.
const std::vector<MethodInfo>& methods();
std::vector<std::string> method_names();
/// Methods that give the same groups for every input: all but emst-delaunay. That one agrees only
/// in 3-D without a periodic box, except for pairs within rounding of the linking length.
std::vector<std::string> exact_method_names();
/// \throws InputError if there is no method of that name
const MethodInfo& method_named(const std::string& name);

/// Calls f(linker) with the named method on a backend.
/// \throws InputError if there is no such method
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
