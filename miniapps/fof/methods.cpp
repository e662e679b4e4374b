#include "methods.hpp"

#include <copse/backend/lanes.hpp>
#include <copse/tree/balanced_tree.hpp>
#include <copse/tree/bisection.hpp>

#include <algorithm>

namespace copse::fof {

namespace {
/// Velocities reuse the memory of the Hilbert keys, 8 bytes per particle.
constexpr double reals_beyond_keys = 3.0 - 8.0 / sizeof(Real);

/// Scratch bytes of bisect() in addition to particles and cells. Leaves fill from the left, so the
/// cells cut on the last level are those with particles and a few empty ones next to them.
double level_scratch_bytes(const BalancedHeap& heap) {
  using Key = OrderedKey<Real>;
  const Count filled = heap.rows / (Count{2} * heap.bucket_size) + static_cast<Count>(heap.levels);
  const Count cells = std::min(most_cells_cut(heap.levels), filled);
  return static_cast<double>(level_arrays_bytes(heap.levels) +
                             SelectCuts::workspace_bytes<Key>(heap.rows, cells) +
                             MoveStably::workspace_bytes<Key>(heap.rows, cells));
}
}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all{
      {"leaf-pairs", "pairs of near leaves, in the order of a Hilbert curve (the default)", true,
       28, 3, reals_beyond_keys, 24.5, vector_lanes, false},
      {"kd-tree", "a range query for each particle in a kd-tree (the thesis)", true, 20, 6, 3, 80,
       16, true},
      {"brute-force", "all pairs, in tiles (the thesis)", false, 4, 0, 0, 0, 0, false},
      {"emst-boruvka",
       "Euclidean minimum spanning tree by Boruvka rounds, cut at the linking length", false, 56, 3,
       3, 28, 16, false},
      {"emst-delaunay",
       "spanning tree of a Delaunay triangulation (the thesis); hosts, isolated boxes", false, 800,
       0, 0, 0, 0, false}};
  return all;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.emplace_back(info.name);
  return names;
}

std::vector<std::string> exact_method_names() {
  std::vector<std::string> names = method_names();
  std::erase(names, "emst-delaunay");
  return names;
}

const MethodInfo& method_named(const std::string& name) {
  for (const MethodInfo& info : methods())
    if (name == info.name) return info;
  throw InputError("there is no method '" + name + "'");
}

double estimate_bytes(const MethodInfo& method, Count n, const LinkOptions& options,
                      bool velocities, bool on_device) {
  const double reals = method.reals + (velocities ? method.velocity_reals : 0.0);
  const double bytes =
      static_cast<double>(n) * (method.integer_bytes + reals * static_cast<double>(sizeof(Real)));
  if (method.bucket_size == 0) return bytes;
  const std::uint32_t bucket = bucket_for_depth(
      n, options.bucket_size > 0 ? options.bucket_size : method.bucket_size, options.max_depth);
  const BalancedHeap heap = balanced_heap(n, bucket);
  return bytes + static_cast<double>(heap.node_slots()) * method.node_bytes +
         (method.bisects && on_device ? level_scratch_bytes(heap) : 0.0);
}

}  // namespace copse::fof
