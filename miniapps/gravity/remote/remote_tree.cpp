#include "remote_tree.hpp"

#include "essential_kernels.hpp"
#include "missing_nodes.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

namespace copse::gravity {
namespace {

/// Marks the rows of coarse leaves whose box opens a coarse leaf of another rank.
template <class MemorySpace>
struct MarkRows {
  Kokkos::View<const OctreeNode*, MemorySpace> roots;
  Kokkos::View<const std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> found;
  Count first;
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> is_boundary;

  KOKKOS_FUNCTION void operator()(const Count r) const {
    const OctreeNode root = roots(r);
    for (Count row = root.begin; row < root.end; ++row)
      is_boundary(row) = (found(first + r) & opens_foreign) != 0;
  }
};

/// Lists the marked rows from the end of `rows` and the others from its beginning. \return the
/// number of others
template <class ExecutionSpace, class Marks, class Rows>
Count split_rows(const ExecutionSpace& space, const Marks& marked, const Rows& rows) {
  const Count n = rows.extent(0);
  Count others = 0;
  Kokkos::parallel_scan(
      "copse::gravity::split_targets", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count row, Count& before, const bool final) {
        if (final) {
          const Count slot = marked(row) ? n - 1 - (row - before) : before;
          rows(slot) = static_cast<LocalIndex>(row);
        }
        before += marked(row) ? 0 : 1;
      },
      others);
  return others;
}

/// Copies the last elements of `rows` in reverse.
template <class ExecutionSpace, class Rows>
void copy_reversed(const ExecutionSpace& space, const Rows& rows, const Rows& to) {
  const Count n = rows.extent(0);
  Kokkos::parallel_for(
      "copse::gravity::reverse_rows", CountRange<ExecutionSpace>(space, 0, to.extent(0)),
      KOKKOS_LAMBDA(const Count k) { to(k) = rows(n - 1 - k); });
}

}  // namespace

template <class ExecutionSpace>
void RemoteTree<ExecutionSpace>::probe(const TopTree<MemorySpace>& top,
                                       const BodyTree<MemorySpace>& own) {
  const NodeFormat format{higher_reals(static_cast<Count>(top.moments.index() + 1)),
                          top.gravity.is_relative(), top.gravity.node_softening.extent(0) > 0};
  of_top_ = columns_of(format, top.octree, top.gravity, top.moments);
  of_forest_ = columns_of(format, own.octree, own.gravity, own.moments);
  cost_ = {};
  const auto rank = static_cast<std::size_t>(messages_.rank());
  top_nodes_ = top.octree.size();
  roots_ = top.rank_begin[rank + 1] - top.rank_begin[rank];
  own_nodes_ = roots_ > 0 ? own.octree.size() : 0;
  own_bodies_ = own.size();
  cost_.own_nodes = own_nodes_;
  cost_.top_nodes = top_nodes_;
  const auto nodes = download(top.octree.nodes);
  const auto leaves = download(top.leaf_nodes);
  std::vector<std::int32_t> roots(top_nodes_, foreign_leaf);
  for (Count i = 0; i < top_nodes_; ++i)
    if (!nodes[i].is_leaf()) roots[i] = inner_top_node;
  for (Count r = 0; r < roots_; ++r)
    roots[leaves[top.rank_begin[rank] + r]] = static_cast<std::int32_t>(r);
  root_of_ = upload(space_, roots, workspace_, "remote::root_of");
  splined_ = {};
  if (of_top_.format.spline) splined_ = workspace_.template get<Real>("remote::splined", 1);
  const Count boxes = top.boxes.extent(0);
  found_ = workspace_.template get<std::uint8_t>("remote::found", boxes);
  with_trees<MemorySpace>(top, own, root_of_, splined_,
                          [&]<bool Relative>(const TwoTrees<MemorySpace, Relative>& trees) {
                            Kokkos::parallel_for(
                                "copse::gravity::probe_top",
                                CountRange<ExecutionSpace>(space_, 0, boxes),
                                ProbeTop<MemorySpace, Relative>{trees, top.boxes, found_});
                          });
  space_.fence("copse::gravity::probe_top");
}

template <class ExecutionSpace>
void RemoteTree<ExecutionSpace>::join(const TopTree<MemorySpace>& top,
                                      const BodyTree<MemorySpace>& own, Count others,
                                      Count bodies) {
  const NodeFormat format = of_top_.format;
  const Count nodes = first_remote_node() + others;
  const Count rows = own_bodies_ + 1 + bodies;
  tree_ = own;
  tree_.build = next_build();
  tree_.octree.nodes = workspace_.template get<OctreeNode>("remote::nodes", nodes);
  tree_.octree.cells = {};
  tree_.octree.depth_begin = {0, static_cast<LocalIndex>(nodes)};
  const auto monopole = workspace_.template get<Monopole>("remote::monopole", nodes);
  auto& gravity = tree_.gravity;
  gravity.monopole = monopole;
  gravity.opening2 = workspace_.template get<Real>("remote::opening2", nodes);
  gravity.bodies = workspace_.template get<Monopole>("remote::bodies", rows);
  if (format.relative) gravity.cubes = workspace_.template get<OctreeCell>("remote::cubes", nodes);
  lengths_ = {};
  if (format.spline) {
    gravity.node_softening =
        workspace_.template get<NodeSoftening>("remote::node_softening", nodes);
    lengths_ = workspace_.template get<Real>("remote::lengths", rows);
    gravity.softening = lengths_;
  }
  hold_order(tree_.moments, static_cast<Count>(top.moments.index() + 1));
  std::visit(
      [&]<int Order>(Multipoles<Order, MemorySpace>& moments) {
        moments = {};
        moments.monopole = monopole;
        if constexpr (Order >= 2)
          moments.higher = workspace_.template get<Moments<Order>>("remote::higher", nodes);
      },
      tree_.moments);
  joined_ = columns_of(format, tree_.octree, gravity, tree_.moments);

  Placement forest_at;
  forest_at.first_node = static_cast<LocalIndex>(top_nodes_ - roots_);
  forest_at.missing = missing_row_here();
  Kokkos::parallel_for("copse::gravity::join_top",
                       CountRange<ExecutionSpace>(space_, 0, top_nodes_),
                       JoinTop<MemorySpace>{of_top_, of_forest_, joined_, root_of_, forest_at});
  Kokkos::parallel_for("copse::gravity::join_forest",
                       CountRange<ExecutionSpace>(space_, roots_, own_nodes_),
                       JoinForest{of_forest_, joined_, forest_at});
  const auto range = Kokkos::make_pair(Count{0}, own_bodies_);
  Kokkos::deep_copy(space_, Kokkos::subview(gravity.bodies, range), own.gravity.bodies);
  Monopole missing;
  missing.mass = Kokkos::Experimental::quiet_NaN_v<Real>;
  Kokkos::deep_copy(space_, Kokkos::subview(gravity.bodies, own_bodies_), missing);
  if (format.spline) {
    Kokkos::deep_copy(space_, Kokkos::subview(lengths_, range), own.softening);
    Kokkos::deep_copy(space_, Kokkos::subview(lengths_, own_bodies_), Real(0));
  }
}

template <class ExecutionSpace>
void RemoteTree<ExecutionSpace>::split_targets(const TopTree<MemorySpace>& top,
                                               const BodyTree<MemorySpace>& own) {
  const Count n = own_bodies_;
  const auto rank = static_cast<std::size_t>(messages_.rank());
  const auto is_boundary = workspace_.template get<std::uint8_t>("remote::is_boundary", n);
  const auto rows = workspace_.template get<LocalIndex>("remote::target_rows", n);
  Kokkos::parallel_for(
      "copse::gravity::mark_rows", CountRange<ExecutionSpace>(space_, 0, roots_),
      MarkRows<MemorySpace>{own.octree.nodes, found_, top.rank_begin[rank], is_boundary});
  const Count inner = split_rows(space_, is_boundary, rows);
  const auto outer = workspace_.template get<LocalIndex>("remote::boundary_rows", n - inner);
  copy_reversed(space_, rows, outer);
  space_.fence("copse::gravity::split_targets");
  interior_ = {inner, Kokkos::subview(rows, Kokkos::make_pair(Count{0}, inner))};
  boundary_ = {n - inner, outer};
}

template <class ExecutionSpace>
auto RemoteTree<ExecutionSpace>::list_opened(const BodyTree<MemorySpace>& own, int rank,
                                             const Flags& opened, const Slots& slots) -> Neighbour {
  const auto list = workspace_.template get<OpenedNode>("remote::list", own_nodes_);
  typename ListOpened<MemorySpace>::value_type sums;
  Kokkos::parallel_scan("copse::gravity::list_opened",
                        CountRange<ExecutionSpace>(space_, 0, own_nodes_),
                        ListOpened<MemorySpace>{own.octree.nodes, opened, slots, list}, sums);
  space_.fence("copse::gravity::list_opened");
  Neighbour neighbour{rank, sums.sizes, {}, slots};
  neighbour.list = decltype(neighbour.list)(
      Kokkos::view_alloc("copse::gravity::opened", Kokkos::WithoutInitializing), sums.opened);
  Kokkos::deep_copy(space_, neighbour.list,
                    Kokkos::subview(list, Kokkos::make_pair(Count{0}, sums.opened)));
  return neighbour;
}

template <class ExecutionSpace>
void RemoteTree<ExecutionSpace>::plan(const std::vector<Neighbour>& destinations, Count most_bytes,
                                      bool grows) {
  const NodeFormat format = of_top_.format;
  const Count nodes_before = cost_.nodes_held, bodies_before = cost_.bodies_held;
  const auto ranks = static_cast<std::size_t>(messages_.ranks());
  std::vector<Count> tops(ranks, 0), nodes(ranks, 0), bodies(ranks, 0), words(ranks, 0);
  for (const Neighbour& to : destinations) {
    const auto r = static_cast<std::size_t>(to.rank);
    tops[r] = to.sizes.tops;
    nodes[r] = to.sizes.nodes;
    bodies[r] = to.sizes.bodies;
    words[r] = EssentialMessage::at(nullptr, to.sizes, format).words;
  }
  const ExchangePlan of_tops = messages_.plan(tops), of_nodes = messages_.plan(nodes),
                     of_bodies = messages_.plan(bodies);
  words_ = messages_.plan(words);
  arriving_.resize(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    arriving_[r] = {of_tops.receive.counts[r], of_nodes.receive.counts[r],
                    of_bodies.receive.counts[r]};
    cost_.nodes_held += arriving_[r].nodes;
    cost_.bodies_held += arriving_[r].bodies;
    cost_.sources += words_.receive.counts[r] > 0;
  }
  cost_.destinations += static_cast<int>(destinations.size());
  cost_.bytes_sent += words_.send.total() * sizeof(MessageWord);
  const Count arriving = words_.receive.total() * sizeof(MessageWord);
  cost_.bytes_received += arriving;
  const Count node_bytes = sizeof(OctreeNode) + sizeof(Monopole) +
                           (1 + static_cast<Count>(format.reals)) * sizeof(Real) +
                           (format.relative ? sizeof(OctreeCell) : 0) +
                           (format.spline ? sizeof(NodeSoftening) : 0);
  const Count body_bytes = sizeof(Monopole) + (format.spline ? sizeof(Real) : 0);
  // Messages exist until they are unpacked. While arrays grow, the old ones exist too, with the
  // rank's own nodes and bodies.
  Count bytes = cost_.nodes_held * node_bytes + cost_.bodies_held * body_bytes + arriving;
  if (grows)
    bytes += (first_remote_node() + nodes_before) * node_bytes +
             (own_bodies_ + 1 + bodies_before) * body_bytes;
  cost_.bytes_held = std::max(cost_.bytes_held, bytes);
  const Count most = messages_.allreduce(bytes, Reduction::max);
  if (most_bytes > 0 && most > most_bytes) refuse_memory(most_bytes, most, node_bytes, body_bytes);
  const Count rows = own_bodies_ + cost_.bodies_held + 1;
  const Count all = top_nodes_ + own_nodes_ + cost_.nodes_held;
  if (std::max(rows, all) > std::numeric_limits<LocalIndex>::max() - 1)
    throw InputError("a rank would hold more than 2^32 nodes or bodies: use more ranks");
}

template <class ExecutionSpace>
void RemoteTree<ExecutionSpace>::refuse_memory(Count most_bytes, Count bytes, Count node_bytes,
                                               Count body_bytes) {
  const auto mebibytes = [](Count size) { return (size >> 20) + 1; };
  std::string more;
  if (cost_.rounds > 0) {
    // All nodes and bodies in the arrays before and after, and in messages, which are shorter than
    // twice that.
    const Count nodes = messages_.allreduce(own_nodes_, Reduction::sum);
    const Count bodies = messages_.allreduce(own_bodies_, Reduction::sum);
    const Count all = (top_nodes_ + nodes) * node_bytes + (bodies + 1) * body_bytes;
    more = fmt::format(" in its round {}, and no more than {} MiB in all", cost_.rounds,
                       mebibytes(4 * all));
  }
  throw InputError(fmt::format(
      "--remote-memory {} MiB does not hold the nodes and bodies of other ranks: a rank "
      "needs {} MiB{}",
      most_bytes >> 20, mebibytes(bytes), more));
}

template <class ExecutionSpace>
void RemoteTree<ExecutionSpace>::pack(const BodyTree<MemorySpace>& own,
                                      const std::vector<Neighbour>& destinations,
                                      MessageWord* send) {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::pack_remote");
  const auto place = workspace_.template get<LocalIndex>("remote::place", own_nodes_);
  Kokkos::deep_copy(space_, place, LocalIndex{0});
  for (const Neighbour& to : destinations) {
    const CountRange<ExecutionSpace> all(space_, 0, to.list.extent(0));
    MessageWord* begin = send + words_.send.offsets[static_cast<std::size_t>(to.rank)];
    const auto message = EssentialMessage::at(begin, to.sizes, of_forest_.format);
    Kokkos::parallel_for("copse::gravity::note_places", all,
                         NotePlaces<MemorySpace>{to.list, place, true});
    Kokkos::parallel_for("copse::gravity::pack_opened", all,
                         PackOpened<MemorySpace>{to.list, place, of_forest_, to.slots,
                                                 own.gravity.bodies, own.softening, message});
    Kokkos::parallel_for("copse::gravity::forget_places", all,
                         NotePlaces<MemorySpace>{to.list, place, false});
  }
  space_.fence("copse::gravity::pack_remote");
}

template <class ExecutionSpace>
void RemoteTree<ExecutionSpace>::unpack(MessageWord* received, Count nodes, Count bodies) {
  Placement placement;
  placement.first_node = static_cast<LocalIndex>(first_remote_node() + nodes);
  placement.first_row = static_cast<LocalIndex>(own_bodies_ + 1 + bodies);
  placement.missing = missing_row_here();
  for (std::size_t r = 0; r < arriving_.size(); ++r) {
    const EssentialSizes sizes = arriving_[r];
    if (words_.receive.counts[r] == 0) continue;
    placement.rank = static_cast<std::uint16_t>(r);
    MessageWord* begin = received + words_.receive.offsets[r];
    Kokkos::parallel_for(
        "copse::gravity::unpack_remote",
        CountRange<ExecutionSpace>(space_, 0, sizes.tops + sizes.nodes + sizes.bodies),
        UnpackMessage{EssentialMessage::at(begin, sizes, joined_.format), sizes, placement, joined_,
                      tree_.gravity.bodies.data(), lengths_.data()});
    placement.first_node += static_cast<LocalIndex>(sizes.nodes);
    placement.first_row += static_cast<LocalIndex>(sizes.bodies);
  }
  space_.fence("copse::gravity::unpack_remote");
}

template <class ExecutionSpace>
void RemoteTree<ExecutionSpace>::refuse_missing(const QueryList<MemorySpace>& targets,
                                                const GravityFields<MemorySpace>& fields) const {
  refuse_missing_nodes(space_, tree_, missing_row_here(), targets, fields, messages_.rank());
}

#define COPSE_INSTANTIATE(Space) template class RemoteTree<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
