#include "essential_trees.hpp"

#include "essential_kernels.hpp"
#include "missing_nodes.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace copse::gravity {
namespace {

template <class ExecutionSpace>
using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;

/// Calls f with the top and the forest, by the criterion of both.
template <class MemorySpace, class F>
void with_trees(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own,
                const Kokkos::View<const std::int32_t*, MemorySpace>& root_of,
                const Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace>& splined,
                const F& f) {
  const auto make = [&]<bool Relative>(std::bool_constant<Relative>) {
    using Visitor = BarnesHut<1, MemorySpace, Relative>;
    return TwoTrees<MemorySpace, Relative>{
        Visitor{OctreeView<MemorySpace>(top.octree), top.gravity, {}, {}, {}, 0, splined, {}},
        Visitor{OctreeView<MemorySpace>(own.octree), own.gravity, {}, {}, {}, 0, splined, {}},
        root_of};
  };
  if (top.gravity.is_relative())
    f(make(std::true_type{}));
  else
    f(make(std::false_type{}));
}

/// Rows of the coarse leaves of one kind, ascending.
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
      "copse::gravity::split_targets", Range<ExecutionSpace>(space, 0, n),
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
      "copse::gravity::reverse_rows", Range<ExecutionSpace>(space, 0, to.extent(0)),
      KOKKOS_LAMBDA(const Count k) { to(k) = rows(n - 1 - k); });
}

}  // namespace

/// A rank that needs some of our nodes.
template <class ExecutionSpace>
struct EssentialTrees<ExecutionSpace>::Neighbour {
  int rank = 0;
  EssentialSizes sizes;
  Kokkos::View<OpenedNode*, Kokkos::LayoutLeft, MemorySpace> list;
};

template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::start(const TopTree<MemorySpace>& top,
                                           const BodyTree<MemorySpace>& own, Count most_bytes) {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::start_essential");
  const NodeFormat format{higher_reals(static_cast<Count>(top.moments.index() + 1)),
                          top.gravity.is_relative(), top.gravity.node_softening.extent(0) > 0};
  of_top_ = columns_of(format, top.octree, top.gravity, top.moments);
  of_forest_ = columns_of(format, own.octree, own.gravity, own.moments);
  const auto rank = static_cast<std::size_t>(messages_.rank());
  top_nodes_ = top.octree.size();
  roots_ = top.rank_begin[rank + 1] - top.rank_begin[rank];
  own_nodes_ = roots_ > 0 ? own.octree.size() : 0;
  own_bodies_ = own.size();
  probe_top(top, own);
  destinations_.clear();
  const auto found = download(found_);
  for (std::size_t r = 0; r + 1 < top.rank_begin.size(); ++r) {
    if (r == rank || roots_ == 0) continue;
    const auto begin = found.begin() + static_cast<std::ptrdiff_t>(top.rank_begin[r]),
               end = found.begin() + static_cast<std::ptrdiff_t>(top.rank_begin[r + 1]);
    if (std::any_of(begin, end, [](std::uint8_t met) { return (met & opens_own) != 0; }))
      find_needed(top, own, static_cast<int>(r));
  }
  plan(format, most_bytes);
  join(top, own);
  pack(top, own);
  exchange_->start();
  split_targets(top, own);
  all_nodes_ = tree_.octree.nodes;
  tree_.octree.nodes =
      Kokkos::subview(all_nodes_, Kokkos::make_pair(Count{0}, top_nodes_ + own_nodes_ - roots_));
}

template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::probe_top(const TopTree<MemorySpace>& top,
                                               const BodyTree<MemorySpace>& own) {
  const auto rank = static_cast<std::size_t>(messages_.rank());
  const auto nodes = download(top.octree.nodes);
  const auto leaves = download(top.leaf_nodes);
  std::vector<std::int32_t> roots(top_nodes_, foreign_leaf);
  for (Count i = 0; i < top_nodes_; ++i)
    if (!nodes[i].is_leaf()) roots[i] = inner_top_node;
  for (Count r = 0; r < roots_; ++r)
    roots[leaves[top.rank_begin[rank] + r]] = static_cast<std::int32_t>(r);
  root_of_ = upload(space_, roots, workspace_, "essential::root_of");
  splined_ = {};
  if (of_top_.format.spline) splined_ = workspace_.template get<Real>("essential::splined", 1);
  const Count boxes = top.boxes.extent(0);
  found_ = workspace_.template get<std::uint8_t>("essential::found", boxes);
  with_trees<MemorySpace>(
      top, own, root_of_, splined_,
      [&]<bool Relative>(const TwoTrees<MemorySpace, Relative>& trees) {
        Kokkos::parallel_for("copse::gravity::probe_top", Range<ExecutionSpace>(space_, 0, boxes),
                             ProbeTop<MemorySpace, Relative>{trees, top.boxes, found_});
      });
  space_.fence("copse::gravity::probe_top");
}

template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::find_needed(const TopTree<MemorySpace>& top,
                                                 const BodyTree<MemorySpace>& own, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  const Count first = top.rank_begin[r], boxes = top.rank_begin[r + 1] - first;
  auto opened = workspace_.template get<std::uint8_t>("essential::opened", own_nodes_);
  Kokkos::deep_copy(space_, opened, std::uint8_t{0});
  with_trees<MemorySpace>(
      top, own, root_of_, splined_,
      [&]<bool Relative>(const TwoTrees<MemorySpace, Relative>& trees) {
        Kokkos::parallel_for(
            "copse::gravity::mark_opened", Range<ExecutionSpace>(space_, 0, boxes),
            MarkOpened<MemorySpace, Relative>{trees, top.boxes, found_, first, opened});
      });
  space_.fence("copse::gravity::mark_opened");
  app::corruptible(opened);
  const auto list = workspace_.template get<OpenedNode>("essential::list", own_nodes_);
  typename ListOpened<MemorySpace>::value_type sums;
  Kokkos::parallel_scan("copse::gravity::list_opened", Range<ExecutionSpace>(space_, 0, own_nodes_),
                        ListOpened<MemorySpace>{own.octree.nodes, opened, roots_, list}, sums);
  space_.fence("copse::gravity::list_opened");
  auto neighbour = std::make_shared<Neighbour>();
  neighbour->rank = rank;
  neighbour->sizes = sums.sizes;
  neighbour->list = decltype(neighbour->list)(
      Kokkos::view_alloc("copse::gravity::opened", Kokkos::WithoutInitializing), sums.opened);
  Kokkos::deep_copy(space_, neighbour->list,
                    Kokkos::subview(list, Kokkos::make_pair(Count{0}, sums.opened)));
  destinations_.push_back(std::move(neighbour));
}

template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::plan(const NodeFormat& format, Count most_bytes) {
  const auto ranks = static_cast<std::size_t>(messages_.ranks());
  std::vector<Count> leaves(ranks, 0), nodes(ranks, 0), bodies(ranks, 0), words(ranks, 0);
  for (const auto& to : destinations_) {
    const auto r = static_cast<std::size_t>(to->rank);
    leaves[r] = to->sizes.leaves;
    nodes[r] = to->sizes.nodes;
    bodies[r] = to->sizes.bodies;
    words[r] = EssentialMessage::at(nullptr, to->sizes, format).words;
  }
  const ExchangePlan of_leaves = messages_.plan(leaves), of_nodes = messages_.plan(nodes),
                     of_bodies = messages_.plan(bodies);
  words_ = messages_.plan(words);
  arriving_.resize(ranks);
  cost_ = {};
  for (std::size_t r = 0; r < ranks; ++r) {
    arriving_[r] = {of_leaves.receive.counts[r], of_nodes.receive.counts[r],
                    of_bodies.receive.counts[r]};
    cost_.nodes_held += arriving_[r].nodes;
    cost_.bodies_held += arriving_[r].bodies;
    cost_.sources += words_.receive.counts[r] > 0;
  }
  cost_.destinations = static_cast<int>(destinations_.size());
  cost_.bytes_sent = words_.send.total() * sizeof(MessageWord);
  cost_.bytes_received = words_.receive.total() * sizeof(MessageWord);
  cost_.own_nodes = own_nodes_;
  cost_.top_nodes = top_nodes_;
  const Count node_bytes = sizeof(OctreeNode) + sizeof(Monopole) +
                           (1 + static_cast<Count>(format.reals)) * sizeof(Real) +
                           (format.relative ? sizeof(OctreeCell) : 0) +
                           (format.spline ? sizeof(NodeSoftening) : 0);
  const Count body_bytes = sizeof(Monopole) + (format.spline ? sizeof(Real) : 0);
  // The messages are there besides until they are unpacked.
  cost_.bytes_held =
      cost_.nodes_held * node_bytes + cost_.bodies_held * body_bytes + cost_.bytes_received;
  const Count most = messages_.allreduce(cost_.bytes_held, Reduction::max);
  if (most_bytes > 0 && most > most_bytes)
    throw InputError(fmt::format(
        "--remote-memory {} MiB does not hold the essential trees of other ranks: a rank needs {} "
        "MiB",
        most_bytes >> 20, (most >> 20) + 1));
  const Count rows = own_bodies_ + cost_.bodies_held + 1;
  const Count all = top_nodes_ + own_nodes_ + cost_.nodes_held;
  if (std::max(rows, all) > std::numeric_limits<LocalIndex>::max() - 1)
    throw InputError("a rank would hold more than 2^32 nodes or bodies: use more ranks");
}

template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::join(const TopTree<MemorySpace>& top,
                                          const BodyTree<MemorySpace>& own) {
  const NodeFormat format = of_top_.format;
  const Count nodes = top_nodes_ + own_nodes_ - roots_ + cost_.nodes_held;
  const Count rows = own_bodies_ + cost_.bodies_held + 1;
  tree_ = own;
  tree_.build = next_build();
  tree_.octree.nodes = workspace_.template get<OctreeNode>("essential::nodes", nodes);
  tree_.octree.cells = {};
  tree_.octree.depth_begin = {0, static_cast<LocalIndex>(nodes)};
  const auto monopole = workspace_.template get<Monopole>("essential::monopole", nodes);
  auto& gravity = tree_.gravity;
  gravity.monopole = monopole;
  gravity.opening2 = workspace_.template get<Real>("essential::opening2", nodes);
  gravity.bodies = workspace_.template get<Monopole>("essential::bodies", rows);
  if (format.relative)
    gravity.cubes = workspace_.template get<OctreeCell>("essential::cubes", nodes);
  lengths_ = {};
  if (format.spline) {
    gravity.node_softening =
        workspace_.template get<NodeSoftening>("essential::node_softening", nodes);
    lengths_ = workspace_.template get<Real>("essential::lengths", rows);
    gravity.softening = lengths_;
  }
  hold_order(tree_.moments, static_cast<Count>(top.moments.index() + 1));
  std::visit(
      [&]<int Order>(Multipoles<Order, MemorySpace>& moments) {
        moments = {};
        moments.monopole = monopole;
        if constexpr (Order >= 2)
          moments.higher = workspace_.template get<Moments<Order>>("essential::higher", nodes);
      },
      tree_.moments);
  joined_ = columns_of(format, tree_.octree, gravity, tree_.moments);

  Placement forest_at;
  forest_at.first_node = static_cast<LocalIndex>(top_nodes_ - roots_);
  forest_at.missing = static_cast<LocalIndex>(rows - 1);
  Kokkos::parallel_for("copse::gravity::join_top", Range<ExecutionSpace>(space_, 0, top_nodes_),
                       JoinTop<MemorySpace>{of_top_, of_forest_, joined_, root_of_, forest_at});
  Kokkos::parallel_for("copse::gravity::join_forest",
                       Range<ExecutionSpace>(space_, roots_, own_nodes_),
                       JoinForest{of_forest_, joined_, forest_at});
  const auto range = Kokkos::make_pair(Count{0}, own_bodies_);
  Kokkos::deep_copy(space_, Kokkos::subview(gravity.bodies, range), own.gravity.bodies);
  Monopole missing;
  missing.mass = Kokkos::Experimental::quiet_NaN_v<Real>;
  Kokkos::deep_copy(space_, Kokkos::subview(gravity.bodies, rows - 1), missing);
  if (format.spline) {
    Kokkos::deep_copy(space_, Kokkos::subview(lengths_, range), own.softening);
    Kokkos::deep_copy(space_, Kokkos::subview(lengths_, rows - 1), Real(0));
  }
}

template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::pack(const TopTree<MemorySpace>& top,
                                          const BodyTree<MemorySpace>& own) {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::pack_essential");
  exchange_ =
      std::make_unique<NeighbourExchange<MessageWord, MemorySpace>>(messages_.comm(), words_);
  const auto rank = static_cast<std::size_t>(messages_.rank());
  const Kokkos::View<const std::uint32_t*, MemorySpace> root_nodes = Kokkos::subview(
      top.leaf_nodes, Kokkos::make_pair(top.rank_begin[rank], top.rank_begin[rank + 1]));
  const auto place = workspace_.template get<LocalIndex>("essential::place", own_nodes_);
  Kokkos::deep_copy(space_, place, LocalIndex{0});
  for (const auto& to : destinations_) {
    const Count opened = to->list.extent(0);
    const Range<ExecutionSpace> all(space_, 0, opened);
    MessageWord* begin =
        exchange_->send().data() + words_.send.offsets[static_cast<std::size_t>(to->rank)];
    const auto message = EssentialMessage::at(begin, to->sizes, of_forest_.format);
    Kokkos::parallel_for("copse::gravity::note_places", all,
                         NotePlaces<MemorySpace>{to->list, place, true});
    Kokkos::parallel_for("copse::gravity::pack_opened", all,
                         PackOpened<MemorySpace>{to->list, place, of_forest_, roots_, root_nodes,
                                                 own.gravity.bodies, own.softening, message});
    Kokkos::parallel_for("copse::gravity::forget_places", all,
                         NotePlaces<MemorySpace>{to->list, place, false});
  }
  space_.fence("copse::gravity::pack_essential");
}

template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::finish() {
  const Kokkos::Profiling::ScopedRegion region("copse::gravity::finish_essential");
  messages_.clock().complete([&] { exchange_->finish(); });
  const NodeFormat format = joined_.format;
  Placement placement;
  placement.first_node = static_cast<LocalIndex>(top_nodes_ + own_nodes_ - roots_);
  placement.first_row = static_cast<LocalIndex>(own_bodies_);
  placement.missing = static_cast<LocalIndex>(own_bodies_ + cost_.bodies_held);
  for (std::size_t r = 0; r < arriving_.size(); ++r) {
    const EssentialSizes sizes = arriving_[r];
    if (words_.receive.counts[r] == 0) continue;
    MessageWord* begin = exchange_->receive().data() + words_.receive.offsets[r];
    Kokkos::parallel_for(
        "copse::gravity::unpack_essential",
        Range<ExecutionSpace>(space_, 0, sizes.leaves + sizes.nodes + sizes.bodies),
        UnpackMessage{EssentialMessage::at(begin, sizes, format), sizes, placement, joined_,
                      tree_.gravity.bodies.data(), lengths_.data()});
    placement.first_node += static_cast<LocalIndex>(sizes.nodes);
    placement.first_row += static_cast<LocalIndex>(sizes.bodies);
  }
  space_.fence("copse::gravity::finish_essential");
  tree_.octree.nodes = all_nodes_;
}

template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::split_targets(const TopTree<MemorySpace>& top,
                                                   const BodyTree<MemorySpace>& own) {
  const Count n = own_bodies_;
  const auto rank = static_cast<std::size_t>(messages_.rank());
  const auto is_boundary = workspace_.template get<std::uint8_t>("essential::is_boundary", n);
  const auto rows = workspace_.template get<LocalIndex>("essential::target_rows", n);
  Kokkos::parallel_for(
      "copse::gravity::mark_rows", Range<ExecutionSpace>(space_, 0, roots_),
      MarkRows<MemorySpace>{own.octree.nodes, found_, top.rank_begin[rank], is_boundary});
  const Count inner = split_rows(space_, is_boundary, rows);
  const auto outer = workspace_.template get<LocalIndex>("essential::boundary_rows", n - inner);
  copy_reversed(space_, rows, outer);
  space_.fence("copse::gravity::split_targets");
  interior_ = {inner, Kokkos::subview(rows, Kokkos::make_pair(Count{0}, inner))};
  boundary_ = {n - inner, outer};
}

template <class ExecutionSpace>
void EssentialTrees<ExecutionSpace>::refuse_missing(
    const QueryList<MemorySpace>& targets, const GravityFields<MemorySpace>& fields) const {
  refuse_missing_nodes(space_, tree_, static_cast<LocalIndex>(own_bodies_ + cost_.bodies_held),
                       targets, fields, messages_.rank());
}

#define COPSE_INSTANTIATE(Space) template class EssentialTrees<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
