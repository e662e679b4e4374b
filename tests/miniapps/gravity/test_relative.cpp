// Oracle of decisions: a plain recursion in double for every target or group, with accelerations
// from direct sums. Oracle of fields: direct sums.
#include "body_problem.hpp"
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>

namespace copse::test {
namespace {

gravity::Request relative_request(double alpha, Count order = 2) {
  gravity::Request request = request_for(0.5, order, "relative");
  request.alpha = request.criterion.alpha = alpha;
  return request;
}

/// A tree whose bodies have last accelerations that the test chooses.
template <class Space>
struct WithPulls {
  using MemorySpace = typename Space::memory_space;
  gravity::BodyTree<MemorySpace> bodies;

  WithPulls(const Space& space, const HostBodies& input, const gravity::Request& request,
            const std::vector<double>& pulls_of_input) {
    gravity::BodyTreeBuilder<Space> builder(space);
    builder.build(copy_particles<MemorySpace>(input), request, 8, bodies);
    gravity::Column<Kokkos::HostSpace> host("copse::test::pulls", input.size());
    for (Count i = 0; i < input.size(); ++i) host(i) = static_cast<Real>(pulls_of_input[i]);
    const gravity::Column<MemorySpace> pulls("copse::test::pulls", input.size());
    Kokkos::deep_copy(pulls, host);
    builder.set_limits(request, pulls, bodies);
    builder.compute_moments(request, bodies);
  }
};

std::vector<double> exact_pulls(const HostBodies& input) {
  std::vector<LocalIndex> rows(input.size());
  for (Count i = 0; i < input.size(); ++i) rows[i] = static_cast<LocalIndex>(i);
  std::vector<double> pulls;
  for (const auto& f : direct_gravity(input.position, input.mass, rows, 0.0))
    pulls.push_back(std::hypot(f.x, f.y, f.z));
  return pulls;
}

/// What targets in a box, the weakest pulled of which has `pull`, do alone.
struct Recursion {
  const gravity::BodyTree<Kokkos::HostSpace>& tree;
  double alpha;
  Count cells = 0, bodies = 0, tests = 0;

  void walk(Node index, const std::array<double, 3>& lower, const std::array<double, 3>& upper,
            double pull, Count members) {
    const OctreeNode node = tree.octree.nodes(index);
    const OctreeCell cell = tree.octree.cells(index);
    const Monopole mass = tree.gravity.monopole(index);
    const double side = 2.0 * double(cell.half_side);
    double r2 = 0.0;
    bool inside = true;
    for (std::size_t a = 0; a < 3; ++a) {
      const int axis = static_cast<int>(a);
      const double x = double(mass.centre[axis]), c = double(cell.centre[axis]);
      r2 += std::pow(std::max({0.0, lower[a] - x, x - upper[a]}), 2);
      inside = inside && lower[a] - c <= 0.6 * side && c - upper[a] <= 0.6 * side;
    }
    ++tests;
    if (!inside && double(mass.mass) * side * side < alpha * pull * r2 * r2) {
      cells += members;
    } else if (node.is_leaf()) {
      bodies += members * node.rows();
    } else {
      for (Node c = 0; c < node.child_count; ++c)
        walk(node.first_child + c, lower, upper, pull, members);
    }
  }

  /// Rows [begin, end) as one group.
  void add_group(Count begin, Count end, const std::vector<double>& pulls) {
    std::array<double, 3> lower, upper;
    lower.fill(INFINITY);
    upper.fill(-INFINITY);
    double weakest = INFINITY;
    for (Count row = begin; row < end; ++row) {
      weakest = std::min(weakest, pulls[tree.order(row)]);
      for (std::size_t a = 0; a < 3; ++a) {
        lower[a] = std::min(lower[a], double(tree.points(row, static_cast<int>(a))));
        upper[a] = std::max(upper[a], double(tree.points(row, static_cast<int>(a))));
      }
    }
    walk(0, lower, upper, weakest, end - begin);
  }
};

double relative_difference(Count a, Count b) {
  return std::abs(static_cast<double>(a) / static_cast<double>(b) - 1.0);
}

TEST_CASE("The relative criterion accepts the nodes that its definition accepts") {
  const HostBodies input = clustered_bodies(3000);
  const std::vector<double> pulls = exact_pulls(input);
  for (const double alpha : {0.0005, 0.01}) {
    const auto request = relative_request(alpha);
    const WithPulls host(Kokkos::DefaultHostExecutionSpace{}, input, request, pulls);
    for (const std::string method : {"particle", "bucket"}) {
      Recursion alone{host.bodies, alpha};
      if (method == "particle") {
        for (Count i = 0; i < input.size(); ++i) alone.add_group(i, i + 1, pulls);
      } else {
        const auto& nodes = host.bodies.octree.nodes;
        for (Count i = 0; i < nodes.extent(0); ++i)
          if (nodes(i).is_leaf()) alone.add_group(nodes(i).begin, nodes(i).end, pulls);
      }
      for_each_backend([&](const auto& space) {
        INFO(backend_name<std::decay_t<decltype(space)>>() << " " << method << " " << alpha);
        const WithPulls same(space, input, request, pulls);
        const auto found = gravity::make_method(method, space, request)->count(same.bodies);
        INFO(found.cells << " cells, " << found.bodies << " bodies; alone " << alone.cells << ", "
                         << alone.bodies);
        // Float and double may decide differently at a boundary; measured: nowhere.
        CHECK(relative_difference(found.cells, alone.cells) < 1e-4);
        CHECK(relative_difference(found.bodies, alone.bodies) < 1e-4);
        CHECK(relative_difference(found.tests, alone.tests) < 1e-4);
        // A walk that ignored whose acceleration is whose would be noticed.
        auto others = pulls;
        std::rotate(others.begin(), others.begin() + 1, others.end());
        const WithPulls wrong(space, input, request, others);
        const auto moved = gravity::make_method(method, space, request)->count(wrong.bodies);
        CHECK(relative_difference(moved.cells, alone.cells) > 1e-3);  // measured: 1.6e-3
      });
    }
  }
}

TEST_CASE("Errors fall with alpha, and vanish with it") {
  const HostBodies input = clustered_bodies(3000);
  for_each_backend([&](const auto& space) {
    for (const std::string method : {"particle", "bucket", "breadth"})
      for (const Count order : {1, 2, 4}) {
        double before = INFINITY;
        for (const double alpha : {0.05, 0.005, 0.0005}) {
          const double rms = Solved(space, input, relative_request(alpha, order), method, 8).rms();
          INFO(backend_name<std::decay_t<decltype(space)>>()
               << " " << method << " order " << order << " alpha " << alpha << ": " << rms
               << " after " << before);
          // A factor of 10 in alpha is one of 1.8 in the opening radius. Measured: 0.27 and less.
          CHECK(rms < 0.4 * before);
          before = rms;
        }
        // Measured: 4.8e-6.
        CHECK(Solved(space, input, relative_request(0.0, order), method, 8).errors().back() <
              1.5e-5);
      }
  });
}

TEST_CASE("Every body is inside the cubes of all its nodes, so none acts on itself") {
  // 1000 sides of the box from the origin, the smallest cells of several bodies have a side of 1.3
  // roundings of a coordinate: their centres are rounded, too.
  auto input = allocate_particles<Kokkos::HostSpace>(500, {.mass = true});
  std::mt19937 random(3);
  for (Count i = 0; i < 500; ++i) {
    for (int a = 0; a < 3; ++a)
      input.position(i, a) = static_cast<Real>(1000.0 + 0.3 * static_cast<double>(i % 3) +
                                               6e-5 * static_cast<double>(random() % 3));
    input.mass(i) = Real(1);
  }
  for (int a = 0; a < 3; ++a) {
    input.box.lower[a] = Real(1000);
    input.box.upper[a] = Real(1001.3);
  }
  const WithPulls host(Kokkos::DefaultHostExecutionSpace{}, input, relative_request(0.0025),
                       std::vector<double>(500, 1.0));
  const auto& tree = host.bodies.octree;
  Count outside = 0, outside_of_cell = 0;
  for (Count i = 0; i < tree.size(); ++i) {
    const OctreeCell cube = host.bodies.gravity.cubes(i), cell = tree.cells(i);
    for (Count row = tree.nodes(i).begin; row < tree.nodes(i).end; ++row)
      for (int a = 0; a < 3; ++a) {
        const Real d = std::abs(host.bodies.points(row, a) - cube.centre[a]);
        outside += !(d <= cube.half_side);
        outside_of_cell += !(d <= Real(1.2) * cell.half_side);
      }
    CHECK(cube.half_side >= Real(1.19) * cell.half_side);
  }
  CHECK(outside == 0);
  if (sizeof(Real) == 4) CHECK(outside_of_cell > 0);  // the input is a hard one
}

}  // namespace
}  // namespace copse::test
