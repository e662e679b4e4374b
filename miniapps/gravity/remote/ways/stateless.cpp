// The way "stateless" ([Liu 2019] section 5.4): nothing stores where a bucket stopped. Every bucket
// walks every arriving subtree whose root it opens. A bucket that has accepted a node above counts
// masses twice; only inclusion prevents this (gravity/inclusion.hpp). The way exists to count these
// repeats. Coarse leaves that are leaves of the tree arrive before the first walk.
#include "../../make.hpp"
#include "../bucket_tally.hpp"
#include "../repeat_list.hpp"
#include "fetched_trees.hpp"
#include "target_boxes.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/worse.hpp>
#include <copse/traversal/stateless_walk.hpp>

#include <algorithm>
#include <cmath>

namespace copse::gravity {
namespace {

// As MarkMissing has them.
static_assert(Below::here == Below{0} && Below::missing == Below{1});

/// Flags the coarse leaves of others that are leaves of the whole tree.
template <class MemorySpace>
struct WantLeaves {
  Kokkos::View<const std::uint32_t*, MemorySpace> leaf_nodes;
  Kokkos::View<const std::uint8_t*, MemorySpace> is_leaf;
  Count own_begin, own_end;
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> wanted;

  KOKKOS_FUNCTION void operator()(const Count k) const {
    if ((k < own_begin || k >= own_end) && is_leaf(k)) wanted(leaf_nodes(k)) = 1;
  }
};

template <class MemorySpace>
struct SetState {
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> slots;
  Below state;
  Kokkos::View<std::uint8_t*, MemorySpace> states;

  KOKKOS_FUNCTION void operator()(const Count k) const {
    states(slots(k)) = static_cast<std::uint8_t>(state);
  }
};

template <class MemorySpace>
struct FlagWanted {
  Kokkos::View<const std::uint8_t*, MemorySpace> states;
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> wanted;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    wanted(i) = states(i) == static_cast<std::uint8_t>(Below::wanted);
  }
};

template <class MemorySpace>
struct TakeBounds {
  Kokkos::View<const TargetBox*, Kokkos::LayoutLeft, MemorySpace> from;
  Kokkos::View<NodeBounds*, Kokkos::LayoutLeft, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Count g) const { to(g) = {from(g).lower, from(g).upper}; }
};

}  // namespace

template <class ExecutionSpace>
class StatelessTrees final : public FetchedTrees<ExecutionSpace> {
 public:
  using Base = FetchedTrees<ExecutionSpace>;
  using Base::Base;
  using typename Base::MemorySpace;

  void start(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own,
             Count most_bytes) override {
    Base::start(top, own, most_bytes);
    this->interior_ = this->boundary_ = {};  // `finish` walks for all
    // A leaf that is always opened has no ball that a parent could cover: every bucket would add it
    // again. So no walk begins at a leaf. For 20,000 bodies of NFW haloes on 3 ranks (changa, 0.7)
    // buckets would repeat 103 % of the bodies otherwise.
    const auto wanted = this->clear_flags();
    const auto rank = static_cast<std::size_t>(this->messages_.rank());
    Kokkos::parallel_for("copse::gravity::want_leaves",
                         CountRange<ExecutionSpace>(this->space_, 0, top.leaf_nodes.extent(0)),
                         WantLeaves<MemorySpace>{top.leaf_nodes, top.is_leaf, top.rank_begin[rank],
                                                 top.rank_begin[rank + 1], wanted});
    this->space_.fence("copse::gravity::want_leaves");
    this->fetch(wanted);
  }

  void finish(Method<ExecutionSpace>& method, const GravityFields<MemorySpace>& fields) override {
    rounds_.clear();
    build_ = next_build();
    set_states(rounds_.size());
    walk_all(method, fields, FromRoot<>{});
    for (;;) {
      const auto wanted = this->clear_flags();
      Kokkos::parallel_for("copse::gravity::flag_wanted",
                           CountRange<ExecutionSpace>(this->space_, 0, wanted.extent(0)),
                           FlagWanted<MemorySpace>{states_, wanted});
      this->space_.fence("copse::gravity::flag_wanted");
      if (!this->fetch(wanted)) return;
      rounds_.push_back(this->arrived());
      set_states(rounds_.size());
      walk_all(method, fields, FromNodes<MemorySpace>{rounds_.back()});
    }
  }

  Repeated repeated(Method<ExecutionSpace>& method, double length, bool compares) override {
    build_ = next_build();
    const BodyTree<MemorySpace> all = targets();
    const BucketList<MemorySpace>& groups = method.groups(all);
    const auto target_boxes = boxes_of_groups(this->space_, all, groups);
    const Count count = target_boxes.extent(0);
    const auto boxes = this->workspace_.template get<NodeBounds>("stateless::boxes", count);
    Kokkos::parallel_for("copse::gravity::take_bounds",
                         CountRange<ExecutionSpace>(this->space_, 0, count),
                         TakeBounds<MemorySpace>{target_boxes, boxes});
    const auto tallies = this->workspace_.template get<Tally>("stateless::tallies", count);
    const BucketTally<MemorySpace> visitor{OctreeView<MemorySpace>(all.octree), all.gravity, boxes,
                                           tallies};
    const QueryList<MemorySpace> queries{count, {}};
    walk_once<WalkKind::stack>(visitor, queries);
    const std::vector<Tally> once = download(tallies);
    walk_again<WalkKind::stack>(visitor, queries);
    const std::vector<Tally> stateless = download(tallies);
    const std::vector<Count> begin = count == 0 ? std::vector<Count>{0} : download(groups.begin);

    Repeated found;
    const double total = total_mass();
    for (Count g = 0; g < count; ++g) {
      const Count bodies = begin[g + 1] - begin[g];
      found.cells_once += bodies * once[g].cells;
      found.bodies_once += bodies * once[g].bodies;
      found.cells += bodies * (stateless[g].cells - once[g].cells);
      found.bodies += bodies * (stateless[g].bodies - once[g].bodies);
      if (total > 0.0) found.most_mass = std::max(found.most_mass, stateless[g].mass / total);
    }
    if (!compares || count == 0) return found;
    const std::vector<Tally> listed = list(download(boxes));
    found.unlike_recursion = count_unlike(once, stateless, listed);
    found.mass_error = total > 0.0 ? mass_error(groups, begin, listed, length) / total : 0.0;
    return found;
  }

 private:
  using typename Base::Slots;

  BodyTree<MemorySpace> targets() const {
    BodyTree<MemorySpace> all = this->tree();
    all.targets = {this->own_bodies_, {}};
    all.build = build_;
    return all;
  }
  double total_mass() const {
    Monopole root;
    Kokkos::deep_copy(root, Kokkos::subview(this->tree_.gravity.monopole, 0));
    return static_cast<double>(root.mass);
  }

  /// Before a round's walk: 0 is that from the root, r that of the r-th subtrees that arrived.
  void set_states(std::size_t round) {
    const Count nodes = this->tree_.octree.nodes.extent(0);
    states_ = this->workspace_.template get<std::uint8_t>("stateless::states", nodes);
    Kokkos::parallel_for(
        "copse::gravity::mark_missing", CountRange<ExecutionSpace>(this->space_, 0, nodes),
        MarkMissing<MemorySpace>{this->tree_.octree.nodes, this->missing_row_here(), states_});
    const auto set = [&](std::size_t r, Below state) {
      Kokkos::parallel_for("copse::gravity::set_state",
                           CountRange<ExecutionSpace>(this->space_, 0, rounds_[r].extent(0)),
                           SetState<MemorySpace>{rounds_[r], state, states_});
    };
    if (round > 0) set(round - 1, Below::arrived);
    for (std::size_t later = round; later < rounds_.size(); ++later) set(later, Below::missing);
    this->space_.fence("copse::gravity::set_states");
  }

  template <WalkKind Kind, class Visitor, class Targets, class From>
  void walk_from(const Visitor& visitor, const Targets& targets, const From& from) const {
    count_walk_as<Kind>(this->space_, StatelessVisitor<Visitor, MemorySpace>{visitor, states_},
                        targets, from);
    this->space_.fence("copse::gravity::walk_stateless");
  }
  /// The walk of the round that `set_states` prepared, with the fields of all targets.
  template <class From>
  void walk_all(Method<ExecutionSpace>& method, const GravityFields<MemorySpace>& fields,
                const From& from) {
    const BodyTree<MemorySpace> all = targets();
    const BucketList<MemorySpace>& groups = method.groups(all);
    with_moments(all, [&]<int Order>(const Multipoles<Order, MemorySpace>& moments) {
      walk_from<WalkKind::group>(visitor_of<false>(all, moments, fields), groups, from);
    });
  }
  /// One walk from the root of all that arrived.
  template <WalkKind Kind, class Visitor, class Targets>
  void walk_once(const Visitor& visitor, const Targets& targets) const {
    count_walk_as<Kind>(this->space_, visitor, targets);
    this->space_.fence("copse::gravity::walk_once");
  }
  /// The walks of all rounds once more.
  template <WalkKind Kind, class Visitor, class Targets>
  void walk_again(const Visitor& visitor, const Targets& targets) {
    set_states(0);
    walk_from<Kind>(visitor, targets, FromRoot<>{});
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      if (rounds_[r].extent(0) == 0) continue;
      set_states(r + 1);
      walk_from<Kind>(visitor, targets, FromNodes<MemorySpace>{rounds_[r]});
    }
  }

  /// What the recursion lists for each group.
  std::vector<Tally> list(const std::vector<NodeBounds>& boxes) const {
    HostTree tree;
    tree.nodes = host_column(this->tree_.octree.nodes);
    tree.gravity.monopole = host_column(this->tree_.gravity.monopole);
    tree.gravity.opening2 = host_column(this->tree_.gravity.opening2);
    std::vector<std::uint8_t> roots(tree.nodes.extent(0), 0);
    roots[0] = 1;
    for (const Slots& slots : rounds_)
      for (const LocalIndex slot : download(slots)) roots[slot] = 1;
    std::vector<Repeat> repeats = list_repeats(tree, roots, boxes);
    app::corruptible(repeats);
    std::vector<Tally> listed = tally_repeats(tree, repeats, boxes.size());
    app::corruptible(listed);
    return listed;
  }

  /// With a huge softening, potentials show the mass that a body meets. Returns the largest
  /// difference between the mass that all rounds add beyond one walk and the mass that the
  /// recursion lists.
  double mass_error(const BucketList<MemorySpace>& groups, const std::vector<Count>& begin,
                    const std::vector<Tally>& listed, double length) {
    BodyTree<MemorySpace> all = this->tree();
    all.softening2 = static_cast<Real>(length * length);
    const auto potential = [&](const auto& walk) {
      const auto fields = allocate_fields<MemorySpace>(this->own_bodies_);
      walk(visitor_of<false>(all, Multipoles<1, MemorySpace>{}, fields));
      return download(fields.potential);
    };
    const auto once =
        potential([&](const auto& visitor) { walk_once<WalkKind::group>(visitor, groups); });
    const auto again =
        potential([&](const auto& visitor) { walk_again<WalkKind::group>(visitor, groups); });
    double largest = 0.0;
    for (Count g = 0; g < listed.size(); ++g)
      for (Count row = begin[g]; row < begin[g + 1]; ++row) {
        const double more =
            length * (static_cast<double>(once[row]) - static_cast<double>(again[row]));
        const double error = std::abs(more - listed[g].mass);
        largest = worse(largest, error);
      }
    return largest;
  }

  Count build_ = 0;            ///< of the groups of targets
  std::vector<Slots> rounds_;  ///< slots of the subtrees that arrived
  Kokkos::View<std::uint8_t*, MemorySpace> states_;
};

#define COPSE_INSTANTIATE(Space) COPSE_MAKE_WAY(Space, StatelessTrees);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
