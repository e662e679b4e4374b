// The method "lists": the published baseline. The host walks nodes against nodes and lists what
// each bucket interacts with; full buffers are shipped to the backend, where one kernel adds cells
// and another bodies ([Liu 2019] section 4.1.3; [Jetley and others 2010]).
//
// The walk runs on one host thread, as in one process of ChaNGa. Shipping and kernels are regions
// of their own: on a device they are communication and computation of table 4.4.
#include "../dual_walk.hpp"
#include "../make.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>

namespace copse::gravity {
namespace {

/// Entries of either list after which buffers are shipped.
constexpr std::size_t buffer_limit = std::size_t{1} << 20;

/// The lists of some buckets, one after the other.
template <class MemorySpace>
struct ShippedLists {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;
  Array<Segment> buckets;   ///< rows of each bucket
  Array<Count> first_cell;  ///< [buckets + 1]
  Array<Count> first_leaf;  ///< [buckets + 1]
  Array<Node> cells;
  Array<Node> leaves;
};

/// One bucket: a thread with vectors of targets on a host, a team on a device.
template <class ExecutionSpace, int Order, bool OfCells>
struct AddLists {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using L = std::conditional_t<runs_on_host<ExecutionSpace>, VectorLanes, OneLane>;

  BarnesHut<Order, MemorySpace> visitor;
  ShippedLists<MemorySpace> lists;

  KOKKOS_FUNCTION void operator()(const Count bucket) const {
    KOKKOS_IF_ON_HOST((add_all(bucket, 0);))
  }
  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<ExecutionSpace>::member_type& team) const {
    add_all(static_cast<Count>(team.league_rank()), team.team_rank());
  }

  KOKKOS_FUNCTION void add_all(Count bucket, int lane) const {
    const Segment rows = lists.buckets(bucket);
    for (Count first = rows.begin; first < rows.end; first += packet_lanes<L>)
      add(bucket, rows, first, lane);
  }

  KOKKOS_FUNCTION void add(Count bucket, const Segment& rows, Count first, int lane) const {
    const auto last = static_cast<std::uint32_t>(rows.end - 1);
    const typename L::Index wanted =
        typename L::Index(static_cast<std::uint32_t>(first)) + lane_numbers<L>(lane);
    const typename L::Mask valid = wanted <= typename L::Index(last);
    const typename L::Index row = select(valid, wanted, typename L::Index(last));
    auto state = resume_query<L>(visitor, row);
    if constexpr (OfCells) {
      for (Count i = lists.first_cell(bucket); i < lists.first_cell(bucket + 1); ++i)
        visitor.template accept<L>(state, lists.cells(i), valid);
    } else {
      for (Count i = lists.first_leaf(bucket); i < lists.first_leaf(bucket + 1); ++i)
        visitor.template leaf<L>(state, lists.leaves(i), valid);
    }
    finish_query<L>(visitor, row, state, valid);
  }
};

/// The buffers on the host.
struct Buffers {
  std::vector<Segment> buckets;
  std::vector<Count> first_cell{0}, first_leaf{0};
  std::vector<Node> cells, leaves;

  void append(const HostTree& tree, const BucketLists& lists) {
    const OctreeNode bucket = tree.nodes(lists.bucket);
    buckets.push_back({bucket.begin, bucket.end});
    cells.insert(cells.end(), lists.cells.begin(), lists.cells.end());
    leaves.insert(leaves.end(), lists.leaves.begin(), lists.leaves.end());
    first_cell.push_back(cells.size());
    first_leaf.push_back(leaves.size());
  }
  bool full() const { return cells.size() >= buffer_limit || leaves.size() >= buffer_limit; }
};

template <class ExecutionSpace>
class Lists final : public Method<ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  Lists(const ExecutionSpace& space, LeafRule rule) : Method<ExecutionSpace>(space), rule_(rule) {}

  void start(const BodyTree<MemorySpace>& bodies,
             const GravityFields<MemorySpace>& fields) override {
    Kokkos::deep_copy(space_, fields.acceleration, Real(0));
    Kokkos::deep_copy(space_, fields.potential, Real(0));
    const HostTree tree = on_host(bodies);
    Buffers buffers;
    DualWalk walk(tree, rule_, [&](const BucketLists& lists) {
      buffers.append(tree, lists);
      if (buffers.full()) flush(bodies, fields, buffers);
    });
    walk.run();
    flush(bodies, fields, buffers);
  }

  Interactions count(const BodyTree<MemorySpace>& bodies) override {
    const HostTree tree = on_host(bodies);
    Interactions sum;
    DualWalk walk(tree, rule_, [&](const BucketLists& lists) {
      const Count members = tree.nodes(lists.bucket).rows();
      sum.cells += members * lists.cells.size();
      for (const Node leaf : lists.leaves) sum.bodies += members * tree.nodes(leaf).rows();
    });
    const DualTests tests = walk.run();
    sum.tests = tests.done;
    sum.tests_per_body = tests.per_body;
    return sum;
  }

 private:
  using Method<ExecutionSpace>::space_;
  static HostTree on_host(const BodyTree<MemorySpace>& bodies) {
    const auto copy = [](const auto& view) {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
    };
    HostTree tree;
    tree.target_shift = bodies.target_shift;
    tree.nodes = copy(bodies.octree.nodes);
    tree.gravity.opening2 = copy(bodies.gravity.opening2);
    with_moments(bodies, [&](const auto& moments) {
      tree.gravity.monopole = copy(moments.monopole);
      tree.bounds = copy(moments.bounds);
    });
    if (bodies.gravity.softening.extent(0) > 0) {
      tree.gravity.softening = copy(bodies.softening);
      tree.gravity.node_softening = copy(bodies.gravity.node_softening);
      tree.lengths = lengths_below(tree);
    }
    return tree;
  }

  /// Children follow their parents in the array of nodes.
  static std::vector<std::array<Real, 2>> lengths_below(const HostTree& tree) {
    const auto& lengths = tree.gravity.softening;
    std::vector<std::array<Real, 2>> below(tree.nodes.extent(0));
    for (std::size_t i = below.size(); i-- > 0;) {
      auto& [shortest, longest] = below[i];
      shortest = Kokkos::Experimental::infinity_v<Real>;
      const OctreeNode node = tree.nodes(i);
      const auto include = [&](Real least, Real most) {
        shortest = std::min(shortest, least);
        longest = std::max(longest, most);
      };
      if (node.is_leaf())
        for (Count row = node.begin; row < node.end; ++row) include(lengths(row), lengths(row));
      for (Count c = 0; c < node.child_count; ++c) {
        const auto& child = below[node.first_child + c];
        include(child[0], child[1]);
      }
    }
    return below;
  }

  /// Ships the buffers, adds their fields and empties them.
  void flush(const BodyTree<MemorySpace>& bodies, const GravityFields<MemorySpace>& fields,
             Buffers& buffers) {
    if (buffers.buckets.empty()) return;
    ShippedLists<MemorySpace> lists;
    {
      const Kokkos::Profiling::ScopedRegion region("copse::gravity::ship_lists");
      lists.buckets = upload(space_, buffers.buckets, workspace_, "lists::buckets");
      lists.first_cell = upload(space_, buffers.first_cell, workspace_, "lists::first_cell");
      lists.first_leaf = upload(space_, buffers.first_leaf, workspace_, "lists::first_leaf");
      lists.cells = upload(space_, buffers.cells, workspace_, "lists::cells");
      lists.leaves = upload(space_, buffers.leaves, workspace_, "lists::leaves");
    }
    with_moments(bodies, [&]<int Order>(const Multipoles<Order, MemorySpace>& moments) {
      const auto visitor = visitor_of(bodies, moments, fields);
      launch<true>("copse::gravity::lists_cells", visitor, lists);
      launch<false>("copse::gravity::lists_bodies", visitor, lists);
    });
    buffers = {};
  }

  template <bool OfCells, int Order>
  void launch(const char* label, const BarnesHut<Order, MemorySpace>& visitor,
              const ShippedLists<MemorySpace>& lists) {
    const Kokkos::Profiling::ScopedRegion region(label);
    const AddLists<ExecutionSpace, Order, OfCells> add{visitor, lists};
    const Count buckets = lists.buckets.extent(0);
    if constexpr (runs_on_host<ExecutionSpace>) {
      Kokkos::parallel_for(label,
                           Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                               Kokkos::IndexType<Count>>(space_, 0, buckets),
                           add);
    } else {
      Kokkos::parallel_for(
          label,
          Kokkos::TeamPolicy<ExecutionSpace>(space_, static_cast<int>(buckets), packet_width), add);
    }
    space_.fence(label);
  }

  LeafRule rule_;
  Workspace<MemorySpace> workspace_;
};

}  // namespace

template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_lists(const ExecutionSpace& space, const Request& request) {
  return std::make_unique<Lists<ExecutionSpace>>(space, request.leaf_rule_kind);
}

#define COPSE_INSTANTIATE(Space) \
  template MethodPointer<Space> make_lists(const Space&, const Request&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
