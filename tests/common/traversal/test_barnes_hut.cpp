// Oracles: sums over all pairs in double, and a recursion over the octree on the host.
#include "common/algorithms/on_each_backend.hpp"
#include "gravity_problem.hpp"
#include "point_sets.hpp"
#include <copse/backend/error.hpp>
#include <copse/particles/bounding_box.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace copse::test {
namespace {

using Fields = std::vector<GravityField<Real>>;

template <class Space>
std::vector<WalkKind> walks() {
  std::vector<WalkKind> kinds{WalkKind::stack, WalkKind::lockstep, WalkKind::fsm, WalkKind::group};
  if (runs_on_host<Space>) kinds.push_back(WalkKind::recursive);
  return kinds;
}

/// Masses 1, 2 and 3, so that sums are exact.
HostMasses small_masses(Count n) {
  HostMasses masses("copse::test::masses", n);
  for (Count i = 0; i < n; ++i) masses(i) = static_cast<Real>(1 + i % 3);
  return masses;
}

template <class Space>
GravityProblem<Space> problem_of(const Space& space, const HostPoints<3>& points,
                                 std::uint32_t bucket_size) {
  return {space,
          points,
          small_masses(points.extent(0)),
          {.bucket_size = bucket_size, .box = bounding_box(Kokkos::Serial{}, points)}};
}

/// The field at a particle from all particles at other positions, and the sum of the magnitudes of
/// their forces.
struct DirectField {
  GravityField<double> field;
  double pull = 0.0;
  double mass = 0.0;  ///< total mass at other positions
};

std::vector<DirectField> direct_fields(const HostPoints<3>& points, const HostMasses& masses,
                                       double softening) {
  std::vector<DirectField> fields(points.extent(0));
  for (Count i = 0; i < points.extent(0); ++i)
    for (Count j = 0; j < points.extent(0); ++j) {
      double d[3], square = 0.0;
      for (int a = 0; a < 3; ++a) {
        d[a] = static_cast<double>(points(j, a)) - static_cast<double>(points(i, a));
        square += d[a] * d[a];
      }
      if (square == 0.0) continue;
      const double m = static_cast<double>(masses(j));
      const double r = std::sqrt(square + softening * softening);
      auto& [sum, pull, mass] = fields[i];
      sum.x += m * d[0] / (r * r * r);
      sum.y += m * d[1] / (r * r * r);
      sum.z += m * d[2] / (r * r * r);
      sum.potential -= m / r;
      pull += m * std::sqrt(square) / (r * r * r);
      mass += m;
    }
  return fields;
}

/// The largest error of an acceleration, relative to the sum of force magnitudes, or of a
/// potential. Infinite if a value is NaN or infinite.
double worst_error(const Fields& fields, const std::vector<DirectField>& expected) {
  double worst = 0.0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto off = [](Real a, double b) { return static_cast<double>(a) - b; };
    const auto& [exact, pull, mass] = expected[i];
    const double errors[] = {
        std::hypot(off(fields[i].x, exact.x), off(fields[i].y, exact.y), off(fields[i].z, exact.z)),
        std::abs(off(fields[i].potential, exact.potential))};
    const double sizes[] = {pull, std::abs(exact.potential)};
    for (int e = 0; e < 2; ++e) {
      if (errors[e] == 0.0) continue;
      if (!(errors[e] < std::numeric_limits<double>::max()))
        return std::numeric_limits<double>::infinity();
      worst = std::max(worst, errors[e] / sizes[e]);
    }
  }
  return worst;
}

const std::vector<std::string> inputs = {"uniform", "quantised", "coincident", "collinear",
                                         "clumps"};

TEST_CASE("Without an opening angle every walk is the direct sum over all pairs") {
  for (const std::string& input : inputs)
    for (const Count n : {Count{1}, Count{2}, Count{33}, Count{1500}})
      for (const double softening : {0.0, 0.1}) {
        for_each_backend([&]<class Space>(Space space) {
          auto problem = problem_of(space, make_points<3>(input, n, 5), 8);
          const auto expected = direct_fields(problem.host_points, problem.host_masses, softening);
          problem.open_at(0.0);
          for (const WalkKind kind : walks<Space>()) {
            INFO(backend_name<Space>() << ", " << input << ", n = " << n << ", softening "
                                       << softening << ", walk " << static_cast<int>(kind));
            // Measured: 2.8e-6.
            CHECK(worst_error(problem.template fields<2>(kind, softening), expected) < 6e-6);
          }
        });
      }
}

TEST_CASE("The direct sum of a walk is that of direct_gravity") {
  for_each_backend([]<class Space>(Space space) {
    auto problem = problem_of(space, make_points<3>("uniform", 700, 5), 8);
    std::vector<LocalIndex> rows(problem.size());
    std::iota(rows.begin(), rows.end(), LocalIndex{0});
    const auto exact = direct_gravity(problem.host_points, problem.host_masses, rows, 0.01);
    problem.open_at(0.0);
    const auto fields = problem.template fields<1>(WalkKind::fsm, 0.01);
    for (const LocalIndex row : rows) {
      CHECK(relative_error(fields[row], exact[row]) < 2e-5);  // measured: 8.6e-6
      CHECK(static_cast<double>(fields[row].potential) ==
            Catch::Approx(exact[row].potential).epsilon(2e-6));  // measured: 9.5e-7
    }
  });
}

TEST_CASE(
    "Every query includes every mass except its own exactly once, whatever the opening angle") {
  // With a softening much larger than all distances, each unit mass contributes 2^-30 to the
  // potential.
  const double softening = std::ldexp(1.0, 30);
  for (const std::string& input : inputs)
    for_each_backend([&]<class Space>(Space space) {
      auto problem = problem_of(space, make_points<3>(input, 1100, 5), 4);
      const auto expected = direct_fields(problem.host_points, problem.host_masses, 0.0);
      for (const double theta : {0.3, 0.8, 1.5, 100.0}) {
        problem.open_at(theta);
        for (const WalkKind kind : walks<Space>()) {
          INFO(backend_name<Space>()
               << ", " << input << ", theta " << theta << ", walk " << static_cast<int>(kind));
          const auto fields = problem.template fields<1>(kind, softening);
          int wrong = 0;
          for (std::size_t i = 0; i < fields.size(); ++i) {
            const double felt = -static_cast<double>(fields[i].potential) * softening;
            wrong += !(std::abs(felt - expected[i].mass) < 0.25);
          }
          CHECK(wrong == 0);
        }
      }
    });
}

TEST_CASE("Nodes are opened within the side over the angle plus the offset of the mass") {
  for_each_backend([]<class Space>(Space space) {
    auto problem = problem_of(space, make_points<3>("clumps", 3000, 5), 8);
    for (const double theta : {0.2, 0.7, 1.0, 3.0}) {
      problem.open_at(theta);
      const auto cells =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, problem.tree.cells);
      const auto mass =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, problem.moments.monopole);
      const auto reach =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, problem.moments.reach);
      const auto opening2 =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, problem.gravity.opening2);
      int wrong = 0;
      for (Count i = 0; i < problem.tree.size(); ++i) {
        double offset = 0.0;
        for (int a = 0; a < 3; ++a)
          offset = std::hypot(offset, static_cast<double>(mass(i).centre[a]) -
                                          static_cast<double>(cells(i).centre[a]));
        const double side = 2 * static_cast<double>(cells(i).half_side);
        const double radius = std::max(side / theta + offset, static_cast<double>(reach(i)));
        const double stored = std::sqrt(static_cast<double>(opening2(i)));
        wrong += !(stored >= radius && stored <= radius * (1 + 1e-6));
      }
      CHECK(wrong == 0);
    }
    CHECK_THROWS_AS(problem.open_at(-0.5), InputError);
    CHECK_THROWS_AS(problem.open_at(std::nan("")), InputError);
  });
}

/// Nodes and particles that act on a query, by recursion.
struct Recursion {
  Kokkos::View<OctreeNode*, Kokkos::HostSpace> nodes;
  Kokkos::View<Monopole*, Kokkos::HostSpace> mass;
  Kokkos::View<Real*, Kokkos::HostSpace> opening2;

  template <class Space>
  explicit Recursion(const GravityProblem<Space>& p)
      : nodes(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, p.tree.nodes)),
        mass(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, p.moments.monopole)),
        opening2(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, p.gravity.opening2)) {}

  void visit(Count i, const HostPoints<3>& points, Count query, std::uint32_t& taken,
             std::uint32_t& rows) const {
    Real square = 0;
    for (int a = 0; a < 3; ++a) {
      const Real d = points(query, a) - mass(i).centre[a];
      square = a == 0 ? d * d : std::fma(d, d, square);
    }
    if (square > opening2(i)) {
      ++taken;
    } else if (nodes(i).is_leaf()) {
      rows += nodes(i).rows();
    } else {
      for (Count c = 0; c < nodes(i).child_count; ++c)
        visit(nodes(i).first_child + c, points, query, taken, rows);
    }
  }
};

TEST_CASE("Every walk on every backend adds up the nodes and rows that recursion does") {
  for (const std::string& input : inputs)
    for_each_backend([&]<class Space>(Space space) {
      auto problem = problem_of(space, make_points<3>(input, 2000, 5), 8);
      problem.open_at(0.6);
      const Count n = problem.size();
      std::vector<std::uint32_t> nodes(n, 0), rows(n, 0);
      const Recursion recursion(problem);
      for (Count i = 0; i < n; ++i) recursion.visit(0, problem.host_points, i, nodes[i], rows[i]);
      for (const WalkKind kind : walks<Space>()) {
        if (kind == WalkKind::group) continue;  // opens more nodes
        INFO(backend_name<Space>() << ", " << input << ", walk " << static_cast<int>(kind));
        const auto counting = problem.counting_visitor();
        walk(space, kind, counting, {n, {}});
        CHECK(to_host(counting.nodes) == nodes);
        CHECK(to_host(counting.rows) == rows);
      }
    });
}

TEST_CASE("Fields of all walks agree to rounding, in any order of the queries") {
  Fields first;
  for_each_backend([&]<class Space>(Space space) {
    auto problem = problem_of(space, make_points<3>("clumps", 2500, 5), 16);
    const auto scale = direct_fields(problem.host_points, problem.host_masses, 0.0);
    problem.open_at(0.7);
    std::vector<LocalIndex> shuffled(problem.size());
    std::iota(shuffled.begin(), shuffled.end(), LocalIndex{0});
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
    const auto order = to_backend<Space>(shuffled);
    for (const WalkKind kind : walks<Space>()) {
      if (kind == WalkKind::group) continue;  // differs within the error of the walk
      INFO(backend_name<Space>() << ", walk " << static_cast<int>(kind));
      const auto fields = problem.template fields<2>(kind);
      if (first.empty()) first = fields;
      std::vector<DirectField> expected = scale;
      for (std::size_t i = 0; i < first.size(); ++i)
        expected[i].field = {static_cast<double>(first[i].x), static_cast<double>(first[i].y),
                             static_cast<double>(first[i].z),
                             static_cast<double>(first[i].potential)};
      // Measured: 0 on hosts, also below. GPUs may round sums otherwise, by no more than those of a
      // direct sum above.
      CHECK(worst_error(fields, expected) < 6e-6);
      const auto again = problem.template fields<2>(kind, 0.0, {problem.size(), order});
      CHECK(worst_error(again, expected) < 6e-6);
    }
  });
}

TEST_CASE("Queries may be points that are not in the tree") {
  for_each_backend([]<class Space>(Space space) {
    auto problem = problem_of(space, make_points<3>("uniform", 500, 5), 8);
    problem.open_at(0.4);
    auto visitor = problem.template visitor<2>(0.0);
    // Far outside, the whole tree acts as one mass of 999 near the centre of the unit cube.
    HostPoints<3> far("copse::test::far", 500);
    for (Count i = 0; i < 500; ++i) far(i, 0) = Real(-1000);
    visitor.queries = points_to_backend<Space, 3>(far);
    walk(space, WalkKind::fsm, visitor, {500, {}});
    for (const auto& field : problem.on_host(visitor.results)) {
      const double mass = 166.0 * 6 + 1 + 2;
      // Measured: 1.9e-5 and 9.4e-6, as the centre of mass is not quite that of the cube.
      CHECK(static_cast<double>(field.x) == Catch::Approx(mass / 1000.5 / 1000.5).epsilon(6e-5));
      CHECK(static_cast<double>(field.potential) == Catch::Approx(-mass / 1000.5).epsilon(3e-5));
    }
  });
}

TEST_CASE("A tree without particles exerts no force") {
  for_each_backend([]<class Space>(Space space) {
    GravityProblem<Space> problem(space, make_points<3>("uniform", 0, 1), small_masses(0), {});
    problem.open_at(0.5);
    auto visitor = problem.template visitor<2>(0.0);
    visitor.queries = points_to_backend<Space, 3>(make_points<3>("uniform", 40, 1));
    visitor.results = {Points<3, typename Space::memory_space>("copse::test::acceleration", 40),
                       {"copse::test::potential", 40}};
    for (const WalkKind kind : walks<Space>()) {
      walk(space, kind, visitor, {40, {}});
      for (const auto& field : problem.on_host(visitor.results)) {
        CHECK(field.x == Real(0));
        CHECK(field.potential == Real(0));
      }
    }
  });
}

}  // namespace
}  // namespace copse::test
