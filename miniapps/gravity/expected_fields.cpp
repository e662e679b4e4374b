#include "expected_fields.hpp"

#include "methods/breadth.hpp"
#include "methods/fmm_sweep.hpp"
#include <copse/backend/backends.hpp>
#include <copse/gravity/legendre_terms.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace copse::gravity {
namespace {

using legendre::difference, legendre::dot, legendre::Terms, legendre::terms_of, legendre::Vector;

/// A tree on the host.
struct Tree {
  Kokkos::View<const OctreeNode*, Kokkos::HostSpace> nodes;
  Kokkos::View<const Monopole*, Kokkos::HostSpace> bodies, monopole;
  Kokkos::View<const Real*, Kokkos::HostSpace> opening2, reach;
  Kokkos::View<const NodeBounds*, Kokkos::HostSpace> bounds;
};

template <class MemorySpace>
Tree on_host(const BodyTree<MemorySpace>& from) {
  const auto copy = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  };
  Tree tree{
      copy(from.octree.nodes), copy(from.gravity.bodies), {}, copy(from.gravity.opening2), {}, {}};
  with_moments(from, [&](const auto& moments) {
    tree.monopole = copy(moments.monopole);
    tree.reach = copy(moments.reach);
    tree.bounds = copy(moments.bounds);
  });
  return tree;
}

/// What is tested for a target, and the node about whose centre its field is expanded.
struct Level {
  BoxBound<3> box;
  Node node = 0;  ///< a node with the target; only of methods that walk nodes against nodes
  bool last = true;
  Segment rows{};  ///< of Deciders::any
};

/// How a method groups its targets.
enum class Deciders : std::uint8_t {
  any,     ///< any of `together` consecutive bodies
  groups,  ///< the box of `together` consecutive bodies of a leaf, or of a node of `node_bodies`
  nodes,   ///< the bounds of the nodes above a body, from the root
  balls    ///< the balls of these nodes
};

struct Expected {
  Tree tree;
  Deciders deciders;
  Count together;  ///< targets
  LeafRule leaf_rule;
  int order;
  Count node_bodies = 0;

  GravityField<double> at(LocalIndex row) const {
    GravityField<double> field;
    std::vector<Node> undecided{0};
    for (const Level& level : levels_of(row)) {
      std::vector<Node> deferred;
      while (!undecided.empty()) {
        const Node source = undecided.back();
        undecided.pop_back();
        const OctreeNode node = tree.nodes(source);
        switch (fate(level, source)) {
          case Fate::accepted:
            expand(field, level, row, source);
            break;
          case Fate::opened:
            for (Node c = 0; c < node.child_count; ++c) undecided.push_back(node.first_child + c);
            break;
          case Fate::deferred:
            deferred.push_back(source);
            break;
          case Fate::near:
            add_bodies(field, row, node);
        }
      }
      undecided = std::move(deferred);
    }
    return field;
  }

 private:
  std::vector<Level> levels_of(LocalIndex row) const {
    if (deciders == Deciders::any) {
      const Count first = row / together * together;
      const Count end = std::min<Count>(first + together, tree.bodies.extent(0));
      return {{box_of(first, end), 0, true, {first, end}}};
    }
    std::vector<Level> levels;
    Node node = 0;
    while (true) {
      const OctreeNode here = tree.nodes(node);
      levels.push_back(
          {{tree.bounds(node).lower, tree.bounds(node).upper}, node, here.is_leaf(), {}});
      if (here.is_leaf() || (deciders == Deciders::groups && here.rows() <= node_bodies)) break;
      node = child_with(tree.nodes, here, row);
    }
    if (deciders != Deciders::groups) return levels;
    const OctreeNode holder = tree.nodes(node);
    const Count first = holder.begin + (row - holder.begin) / together * together;
    return {{box_of(first, std::min<Count>(first + together, holder.end))}};
  }

  BoxBound<3> box_of(Count first, Count end) const {
    BoxBound<3> box{tree.bodies(first).centre, tree.bodies(first).centre};
    for (Count row = first; row < end; ++row)
      for (int a = 0; a < 3; ++a) {
        box.lower[a] = std::min(box.lower[a], tree.bodies(row).centre[a]);
        box.upper[a] = std::max(box.upper[a], tree.bodies(row).centre[a]);
      }
    return box;
  }

  Fate fate(const Level& level, Node source) const {
    const Kokkos::Array<Real, 3>& centre = tree.monopole(source).centre;
    const Real opening2 = tree.opening2(source);
    const bool leaf = tree.nodes(source).is_leaf();
    if (deciders == Deciders::balls) {
      const Kokkos::Array<Real, 3>& target = tree.monopole(level.node).centre;
      const Real apart = std::sqrt(tree.opening2(level.node)) + std::sqrt(opening2);
      if (squared_distance<OneLane, 3>(target, ArrayPoint<3>{centre}) > apart * apart)
        return Fate::accepted;
      if (!leaf && (level.last || tree.reach(source) >= tree.reach(level.node)))
        return Fate::opened;
      return level.last ? Fate::near : Fate::deferred;
    }
    if (nearest2(level, centre) > opening2) return Fate::accepted;
    const bool opens = level.last || level.box.max_distance2<OneLane>(centre) <= opening2;
    if (leaf && (opens || leaf_rule == LeafRule::whole_outer)) return Fate::near;
    return opens ? Fate::opened : Fate::deferred;
  }

  /// The least squared distance of a decider.
  Real nearest2(const Level& level, const Kokkos::Array<Real, 3>& centre) const {
    if (deciders != Deciders::any) return level.box.min_distance2<OneLane>(centre);
    Real least = Kokkos::Experimental::infinity_v<Real>;
    for (Count row = level.rows.begin; row < level.rows.end; ++row) {
      const Kokkos::Array<Real, 3>& x = tree.bodies(row).centre;
      least = std::min(least, squared_distance<OneLane, 3>(x, ArrayPoint<3>{centre}));
    }
    return least;
  }

  void expand(GravityField<double>& field, const Level& level, LocalIndex row, Node source) const {
    const Kokkos::Array<Real, 3>& target = tree.bodies(row).centre;
    const Kokkos::Array<Real, 3>& about =
        deciders == Deciders::balls ? tree.monopole(level.node).centre : target;
    const Vector d = difference(tree.monopole(source).centre, about);
    const Vector y = difference(target, about);
    const OctreeNode node = tree.nodes(source);
    for (Count i = node.begin; i < node.end; ++i) {
      const Vector s = difference(tree.bodies(i).centre, tree.monopole(source).centre);
      const double m = static_cast<double>(tree.bodies(i).mass);
      const Vector t{s[0] - y[0], s[1] - y[1], s[2] - y[2]};
      const Terms terms = terms_of(d, t, order + 1);
      const Terms at_centre = deciders == Deciders::balls ? terms_of(d, s, order + 1) : terms;
      field.x -= m * terms.sum.gradient[0];
      field.y -= m * terms.sum.gradient[1];
      field.z -= m * terms.sum.gradient[2];
      field.potential -= m * (terms.sum.value - at_centre.last.value);
    }
  }

  void add_bodies(GravityField<double>& field, LocalIndex row, const OctreeNode& leaf) const {
    for (Count i = leaf.begin; i < leaf.end; ++i) {
      const Vector d = difference(tree.bodies(i).centre, tree.bodies(row).centre);
      const double square = dot(d, d);
      // As the walks: a smaller distance is none.
      if (square < static_cast<double>(Kokkos::Experimental::norm_min_v<Real>)) continue;
      const double pull = static_cast<double>(tree.bodies(i).mass) / (square * std::sqrt(square));
      field.x += pull * d[0];
      field.y += pull * d[1];
      field.z += pull * d[2];
      field.potential -= pull * square;
    }
  }
};

}  // namespace

template <class ExecutionSpace>
std::vector<GravityField<double>> expected_fields(
    const ExecutionSpace&, const BodyTree<typename ExecutionSpace::memory_space>& bodies,
    const Request& request, const std::string& method, const std::vector<LocalIndex>& rows) {
  using Groups = BreadthGroups<ExecutionSpace>;
  constexpr auto packet = static_cast<Count>(walk_width<ExecutionSpace>(WalkKind::group));
  Expected expected{on_host(bodies), Deciders::any, 1, request.leaf_rule_kind,
                    static_cast<int>(request.order)};
  if (method == "particle" && request.walk_kind == WalkKind::group) expected.together = packet;
  if (method == "breadth") {
    expected.deciders = Deciders::groups;
    expected.together = Groups::width;
    expected.node_bodies = Groups::node_bodies(true);
  }
  if (method == "bucket") {
    expected.deciders = Deciders::groups;
    expected.together = packet;
  }
  if (method == "lists") expected.deciders = Deciders::nodes;
  if (method == "fmm") expected.deciders = Deciders::balls;
  std::vector<GravityField<double>> fields(rows.size());
  Kokkos::parallel_for(
      "copse::gravity::expected_fields",
      Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>(
          0, rows.size()),
      [&](std::size_t i) { fields[i] = expected.at(rows[i]); });
  return fields;
}

#define COPSE_INSTANTIATE(Space)                                                              \
  template std::vector<GravityField<double>> expected_fields(                                 \
      const Space&, const BodyTree<Space::memory_space>&, const Request&, const std::string&, \
      const std::vector<LocalIndex>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
