#include "generated_on_host.hpp"
#include <copse/particles/point_models.hpp>
#include <copse/particles/uniform_points.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstring>

using namespace copse;

namespace {

template <int Dim>
using HostPoints = Points<Dim, Kokkos::HostSpace>;

/// Number of rows of `part` that differ bitwise from the rows of `whole` starting at `offset`.
template <int Dim>
Count different_rows(const HostPoints<Dim>& whole, const HostPoints<Dim>& part, Count offset) {
  Count different = 0;
  for (Count i = 0; i < part.extent(0); ++i)
    for (int a = 0; a < Dim; ++a)
      if (std::memcmp(&whole(offset + i, a), &part(i, a), sizeof(Real)) != 0) {
        ++different;
        break;
      }
  return different;
}

template <int Dim>
HostPoints<Dim> points_of(const PointModel& model) {
  return generate_points<Dim>(Kokkos::DefaultHostExecutionSpace{}, model, 0, model.points);
}

/// Calls `f(dim, name)` for every model of every dimension of this build.
template <class F>
void for_each_model(F&& f) {
  for_each_dimension([&](auto dim) {
    for (const std::string& name : point_model_names(dim())) {
      INFO(name << " in " << dim() << "-D");
      f(dim, name);
    }
  });
}

}  // namespace

// Oracle: the whole set on the Serial backend, bit for bit.
TEST_CASE("Every backend generates the same bits, in any slice") {
  for_each_model([]<int Dim>(std::integral_constant<int, Dim>, const std::string& name) {
    const PointModel model{name, 6007, 5};
    const auto whole = generate_points<Dim>(Kokkos::Serial{}, model, 0, model.points);
    for_each_backend([&](auto space) {
      for (const Count first : {0, 1, 3001}) {
        const auto there = generate_points<Dim>(space, model, first, model.points - first);
        const auto here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, there);
        REQUIRE(here.extent(0) == model.points - first);
        CHECK(different_rows<Dim>(whole, here, first) == 0);
      }
    });
  });
}

TEST_CASE("All coordinates are finite, and another seed gives other points") {
  for_each_model([]<int Dim>(std::integral_constant<int, Dim>, const std::string& name) {
    const auto points = points_of<Dim>({name, 20000, 7});
    Count wrong = 0;
    for (Count i = 0; i < points.extent(0); ++i)
      for (int a = 0; a < Dim; ++a) wrong += !std::isfinite(points(i, a));
    CHECK(wrong == 0);
    if (name != "lattice")
      CHECK(different_rows<Dim>(points, points_of<Dim>({name, 500, 8}), 0) > 400);
  });
}

TEST_CASE("A larger set of a point model begins with the smaller one") {
  for (const char* name : {"uniform", "normal", "clustered", "covtype-like", "mnist-like"})
    for_each_dimension([&]<int Dim>(std::integral_constant<int, Dim>) {
      const auto large = points_of<Dim>({name, 4000, 1});
      CHECK(different_rows<Dim>(large, points_of<Dim>({name, 1000, 1}), 0) == 0);
    });
}

// Oracles: the functions that generate the same points.
TEST_CASE(
    "In 3-D the particle models are those of the generators, else uniform is uniform_points") {
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    if constexpr (Dim == 3) {
      for (const std::string& kind : generator_names()) {
        INFO(kind);
        const auto particles = copse_test::generate_on_host(copse_test::options_of(kind, 3000, 9));
        CHECK(different_rows<3>(particles.position, points_of<3>({kind, 3000, 9}), 0) == 0);
      }
    } else {
      const auto uniform = uniform_points<Dim>(Kokkos::Serial{}, 9, 0, 1000);
      CHECK(different_rows<Dim>(uniform, points_of<Dim>({"uniform", 1000, 9}), 0) == 0);
    }
  });
}

TEST_CASE("Every model has a description, an empty slice and a single point") {
  for_each_model([]<int Dim>(std::integral_constant<int, Dim>, const std::string& name) {
    CHECK_FALSE(point_model_description(name).empty());
    CHECK(points_of<Dim>({name, 1, 1}).extent(0) == 1);
    CHECK(generate_points<Dim>(Kokkos::Serial{}, {name, 10, 1}, 10, 0).extent(0) == 0);
  });
}

TEST_CASE("Invalid requests for points are refused in one sentence that names the error") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  for_each_dimension([]<int Dim>(std::integral_constant<int, Dim>) {
    const auto refused = [](const PointModel& model, Count first, Count count,
                            const std::string& text) {
      CHECK_THROWS_MATCHES(generate_points<Dim>(Kokkos::Serial{}, model, first, count), InputError,
                           MessageMatches(ContainsSubstring(text)));
    };
    const std::string in_dim = " in " + std::to_string(Dim) + "-D: choose one of uniform, normal, ";
    refused({"mnist", 10, 1}, 0, 10, "'mnist'" + in_dim);
    if (Dim != 2) refused({"geographic", 10, 1}, 0, 10, "'geographic'" + in_dim);
    if (Dim != 3) refused({"plummer", 10, 1}, 0, 10, "'plummer'" + in_dim);
    refused({"clustered", 0, 1}, 0, 0, "0 points");
    refused({"clustered", (Count{1} << 48) + 1, 1}, 0, 1, "281474976710657");
    refused({"clustered", 10, 1}, 5, 6, "rows 5");
    refused({"clustered", 10, 1}, 1, ~Count{0}, "rows 1");
    refused({"clustered", Count{1} << 40, 1}, 0, (Count{1} << 32) + 1, "do not fit one rank");
  });
  CHECK_THROWS_MATCHES(point_model_description("mnist"), InputError,
                       MessageMatches(ContainsSubstring("geographic") && ContainsSubstring("nfw")));
}
