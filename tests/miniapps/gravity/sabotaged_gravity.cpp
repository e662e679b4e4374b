/// \file
/// Linked with the program gravity, this corrupts the tree or the fields of a run on a host, as
/// selected by the environment variable COPSE_SABOTAGE, by the relative COPSE_AMOUNT where there is
/// one. check_gravity.py names what must fail.

#include <copse/app/corruptible.hpp>
#include <copse/backend/error.hpp>
#include <copse/traversal/partial_walk.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gravity/motion/leapfrog.hpp>
#include <gravity/remote/rank_report.hpp>
#include <gravity/remote/repeat_list.hpp>
#include <gravity/remote/repeats.hpp>
#include <gravity/remote/ways/fetched_trees.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace copse::gravity {
namespace {

std::string asked() {
  const char* const what = std::getenv("COPSE_SABOTAGE");
  return what == nullptr ? "" : what;
}

double amount() {
  return std::stod(std::getenv("COPSE_AMOUNT"));
}

template <std::size_t N>
void clear(Real (&components)[N]) {
  for (Real& component : components) component = 0;
}

void drop_highest_rank(Moments<1>&) {}
void drop_highest_rank(Moments<2>& m) {
  clear(m.quadrupole);
}
void drop_highest_rank(Moments<3>& m) {
  clear(m.octupole);
}
void drop_highest_rank(Moments<4>& m) {
  clear(m.hexadecapole);
}

void corrupt_tree(BodyTree<Kokkos::HostSpace>& bodies) {
  const std::string what = asked();
  if (what == "moments-dropped") {
    std::visit(
        [](auto& moments) {
          for (std::size_t i = 0; i < moments.higher.extent(0); ++i) moments.higher(i) = {};
        },
        bodies.moments);
  } else if (what == "highest-rank-dropped") {
    std::visit(
        [](auto& moments) {
          for (std::size_t i = 0; i < moments.higher.extent(0); ++i)
            drop_highest_rank(moments.higher(i));
        },
        bodies.moments);
  } else if (what == "heavier-nodes") {
    std::visit(
        [](auto& moments) {
          for (std::size_t i = 0; i < moments.monopole.extent(0); ++i)
            moments.monopole(i).mass *= static_cast<Real>(1.0 + amount());
        },
        bodies.moments);
  } else if (what == "heavier-leaves") {
    std::visit(
        [&](auto& moments) {
          for (std::size_t i = 0; i < moments.monopole.extent(0); ++i)
            if (bodies.octree.nodes(i).is_leaf())
              moments.monopole(i).mass *= static_cast<Real>(1.0 + amount());
        },
        bodies.moments);
  } else if (what == "softening-ignored") {
    bodies.softening2 = 0;
    bodies.gravity.softening = {};
  } else if (what == "last-ignored") {
    // All bodies open as the one does that is pulled most.
    const auto& limits = bodies.limits;
    for (std::size_t i = 1; i < limits.extent(0); ++i) limits(0) = std::max(limits(0), limits(i));
    for (std::size_t i = 1; i < limits.extent(0); ++i) limits(i) = limits(0);
  } else if (what == "leaf-skipped") {
    // The last of the large leaves has no bodies.
    const auto& nodes = bodies.octree.nodes;
    for (std::size_t i = nodes.extent(0); i-- > 0;)
      if (nodes(i).is_leaf() && nodes(i).rows() > 8) {
        nodes(i).end = nodes(i).begin;
        break;
      }
  } else if (what == "correction-dropped") {
    bodies.correction = {};
  } else if (what == "bodies-twice") {
    // The last leaf also holds the bodies before it.
    const auto& nodes = bodies.octree.nodes;
    for (std::size_t i = nodes.extent(0); i-- > 0;)
      if (nodes(i).is_leaf() && nodes(i).begin >= 8) {
        nodes(i).begin -= 8;
        break;
      }
  }
}

/// Of the images of a periodic box.
void corrupt_images(std::vector<int>& images) {
  if (asked() == "image-missing") images.pop_back();
}

void corrupt_fields(std::vector<GravityField<double>>& fields) {
  const std::string what = asked();
  if (what == "sign")
    for (std::size_t i = 0; i < fields.size(); i += 20) fields[i].x = -fields[i].x;
  if (what == "packet-missing")
    for (std::size_t i = 0; i < fields.size() / 50; ++i) fields[i] = {};
  if (what == "stretched")
    for (auto& f : fields)
      for (double* component : {&f.x, &f.y, &f.z}) *component *= 1.0 + amount();
  if (what == "one-in-fifty-stretched")
    for (std::size_t i = 0; i < fields.size(); i += 50)
      for (double* component : {&fields[i].x, &fields[i].y, &fields[i].z})
        *component *= 1.0 + amount();
  if (what == "deeper")
    for (auto& f : fields) f.potential *= 1.0 + amount();
  if (what == "flushed-twice")
    for (auto& f : fields) f.potential *= 1.01;
}

void corrupt_state(MotionState<Kokkos::HostSpace>& state) {
  const std::string what = asked();
  for (std::size_t i = 0; i < state.velocity.extent(0); ++i) {
    if (what == "slower")
      for (int a = 0; a < 3; ++a) state.velocity(i, a) *= 1.0 - amount();
    if (what == "pushed") state.velocity(i, 0) += amount();
  }
}

using Flags = Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

/// Of the nodes of this rank that another one opens: the last is not sent what is below it.
void corrupt_opened(Flags& opened) {
  if (asked() != "node-not-sent") return;
  for (std::size_t i = opened.extent(0); i-- > 0;)
    if (opened(i) != 0) {
      opened(i) = 0;
      return;
    }
}

using Requests = Kokkos::View<SubtreeRequest*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

/// Of the requests for this rank's nodes: the first is the second once more, or both get the other
/// one's answer. The two are of one rank.
void corrupt_requests(Requests& requests) {
  if (requests.extent(0) < 2) return;
  if (asked() == "request-dropped") requests(0) = requests(1);
  if (asked() == "wrong-slot") std::swap(requests(0).slot, requests(1).slot);
}

using Pairs = MissedNodes<Kokkos::HostSpace>;

/// Of the pairs of group and missing node: those of the last node.
void corrupt_pairs(Pairs& pairs) {
  if (asked() != "pairs-dropped" || pairs.size() == 0) return;
  const auto list = pairs.list();
  Node last = 0;
  for (Count k = 0; k < pairs.size(); ++k) last = std::max(last, list(k).at.node);
  const Pairs others(pairs.size());
  for (Count k = 0; k < pairs.size(); ++k)
    if (list(k).at.node != last) others.note(list(k).packet, list(k).at.node, list(k).at.lanes);
  pairs = others;
}

/// Of what buckets add twice: the last is not counted.
void corrupt_repeats(std::vector<Repeat>& repeats) {
  if (asked() == "repeat-not-counted" && !repeats.empty()) repeats.pop_back();
}

/// Of what the recursion lists for each group: the masses, or one cell of the first group.
void corrupt_listed(std::vector<Tally>& listed) {
  if (asked() == "cell-not-listed" && !listed.empty()) ++listed.front().cells;
  if (asked() != "heavier-repeats") return;
  for (Tally& tally : listed) tally.mass *= 1.0 + amount();
}

/// Of the repeats that are reported: one cell more, on one process and over ranks.
void corrupt_repeated(Repeats& found) {
  if (asked() == "cell-repeated") ++found.stateless.cells;
}
void corrupt_shared(SharedRepeats& found) {
  if (asked() == "cell-repeated") ++found.cells;
}

using Boxes = Kokkos::View<TargetBox*, Kokkos::HostSpace>;

/// Of the coarse leaves: each has the box of the next.
void corrupt_boxes(Boxes& boxes) {
  if (asked() != "box-of-the-next") return;
  for (std::size_t i = 0; i + 1 < boxes.extent(0); ++i) boxes(i) = boxes(i + 1);
}

[[maybe_unused]] const bool armed =
    (app::corrupt<Flags> = corrupt_opened) != nullptr &&
    (app::corrupt<Boxes> = corrupt_boxes) != nullptr &&
    (app::corrupt<Pairs> = corrupt_pairs) != nullptr &&
    (app::corrupt<std::vector<Repeat>> = corrupt_repeats) != nullptr &&
    (app::corrupt<std::vector<Tally>> = corrupt_listed) != nullptr &&
    (app::corrupt<Repeats> = corrupt_repeated) != nullptr &&
    (app::corrupt<SharedRepeats> = corrupt_shared) != nullptr &&
    (app::corrupt<Requests> = corrupt_requests) != nullptr &&
    (app::corrupt<MotionState<Kokkos::HostSpace>> = corrupt_state) != nullptr &&
    (app::corrupt<BodyTree<Kokkos::HostSpace>> = corrupt_tree) != nullptr &&
    (app::corrupt<std::vector<int>> = corrupt_images) != nullptr &&
    (app::corrupt<std::vector<GravityField<double>>> = corrupt_fields) != nullptr;

}  // namespace
}  // namespace copse::gravity
