#include "decided_fields.hpp"

#include <copse/gravity/legendre_terms.hpp>

#include <algorithm>
#include <cmath>

namespace copse::traversal {
namespace {

using Position = Kokkos::Array<Real, 3>;
using legendre::difference, legendre::dot, legendre::Terms, legendre::terms_of, legendre::Vector;

Position position_of(const HostPoints<3>& points, LocalIndex i) {
  return {points(i, 0), points(i, 1), points(i, 2)};
}

/// Adds an accepted node, body by body.
void expand(GravityField<double>& field, const DecidingWalk& walk, Node node, const Position& x,
            int order) {
  const Vector d = difference(walk.monopole(node).centre, x);
  for (Count i = walk.nodes(node).begin; i < walk.nodes(node).end; ++i) {
    const auto m = static_cast<double>(walk.bodies(i).mass);
    const Vector t = difference(walk.bodies(i).centre, walk.monopole(node).centre);
    const Terms terms = terms_of(d, t, order + 1);
    field.x -= m * terms.sum.gradient[0];
    field.y -= m * terms.sum.gradient[1];
    field.z -= m * terms.sum.gradient[2];
    field.potential -= m * (terms.sum.value - terms.last.value);
  }
}

void add_bodies(GravityField<double>& field, const DecidingWalk& walk, Node leaf,
                const Position& x) {
  for (Count i = walk.nodes(leaf).begin; i < walk.nodes(leaf).end; ++i) {
    const Vector d = difference(walk.bodies(i).centre, x);
    const double square = dot(d, d);
    // As in the walks: a body at a smaller distance does not act.
    if (square < static_cast<double>(Kokkos::Experimental::norm_min_v<Real>)) continue;
    const double pull = static_cast<double>(walk.bodies(i).mass) / (square * std::sqrt(square));
    field.x += pull * d[0];
    field.y += pull * d[1];
    field.z += pull * d[2];
    field.potential -= pull * square;
  }
}

/// The field at x of a walk that opens a node if any of the `deciders` would open it.
DecidedField field_at(const DecidingWalk& walk, const Position& x,
                      const std::vector<Position>& deciders, int order) {
  DecidedField found;
  std::vector<Node> undecided{0};
  while (!undecided.empty()) {
    const Node node = undecided.back();
    undecided.pop_back();
    const OctreeNode here = walk.nodes(node);
    const bool open = std::any_of(deciders.begin(), deciders.end(), [&](const Position& p) {
      return squared_distance<OneLane, 3>(p, ArrayPoint<3>{walk.monopole(node).centre}) <=
             walk.opening2(node);
    });
    if (!open) {
      expand(found.field, walk, node, x, order);
      ++found.nodes;
    } else if (here.is_leaf()) {
      add_bodies(found.field, walk, node, x);
      found.bodies += here.rows();
    } else {
      for (Node c = 0; c < here.child_count; ++c) undecided.push_back(here.first_child + c);
    }
  }
  return found;
}

}  // namespace

std::vector<DecidedField> decided_fields(const DecidingWalk& walk, const HostPoints<3>& points,
                                         int order, const std::vector<LocalIndex>& chosen) {
  std::vector<Count> place(walk.queries.size());
  for (Count i = 0; i < walk.queries.size(); ++i) place[walk.queries[i]] = i;
  std::vector<DecidedField> fields(chosen.size());
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for(
      "copse::traversal::decided_fields",
      Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>>(0, chosen.size()),
      [&](std::size_t i) {
        const Count begin = place[chosen[i]] / walk.together * walk.together;
        const Count end = std::min<Count>(begin + walk.together, walk.queries.size());
        std::vector<Position> deciders;
        for (Count k = begin; k < end; ++k)
          deciders.push_back(position_of(points, walk.queries[k]));
        fields[i] = field_at(walk, position_of(points, chosen[i]), deciders, order);
      });
  return fields;
}

}  // namespace copse::traversal
