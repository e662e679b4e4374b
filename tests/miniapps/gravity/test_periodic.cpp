// Oracle: Ewald sums in double over all pairs (method "direct"; test_ewald.cpp compares it with
// published values).
#include "body_problem.hpp"
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

gravity::Request periodic_request(double theta, Count order) {
  gravity::Request request = request_for(theta, order);
  request.periodic = true;
  request.method = "breadth";  // others need the table of the correction
  return request;
}

/// Ewald sums in tree order, which is the same for all buckets.
std::vector<GravityField<double>> ewald_sums(const HostBodies& input) {
  const Kokkos::DefaultHostExecutionSpace space;
  return Solved(space, input, periodic_request(0.0, 2), "direct", 8).fields;
}

/// Relative errors of accelerations, ascending.
template <class Space>
std::vector<double> errors_of(const Space& space, const HostBodies& input,
                              const gravity::Request& request, const std::string& method,
                              std::uint32_t bucket,
                              const std::vector<GravityField<double>>& exact) {
  Solved<Space> found(space, input, request, method, bucket);
  found.exact = exact;
  return found.errors();
}

TEST_CASE("With an opening angle of zero every method sums 27 images and the correction") {
  const HostBodies input = clustered_bodies(300);
  const auto exact = ewald_sums(input);
  for_each_backend([&](const auto& space) {
    for (const std::string method : {"lists", "fmm", "breadth", "bucket", "particle"})
      for (const std::uint32_t bucket : {1u, 20u}) {
        INFO(backend_name<std::decay_t<decltype(space)>>() << " " << method << " " << bucket);
        const double largest =
            errors_of(space, input, periodic_request(0.0, 2), method, bucket, exact).back();
        CHECK(largest < 2e-5);  // measured: 4.3e-6 and less
      }
  });
}

TEST_CASE("Errors in a periodic box fall with the order and the opening angle") {
  const HostBodies input = clustered_bodies(600);
  const auto exact = ewald_sums(input);
  const Kokkos::DefaultHostExecutionSpace space;
  for (const std::string method : {"lists", "fmm", "breadth"}) {
    const auto median = [&](double theta, Count order) {
      const auto errors = errors_of(space, input, periodic_request(theta, order), method, 8, exact);
      return errors[errors.size() / 2];
    };
    const double wide = median(0.8, 2), narrow = median(0.4, 2), higher = median(0.4, 4);
    INFO(method << " " << wide << " " << narrow << " " << higher);
    CHECK(narrow < 0.5 * wide);
    CHECK(higher < 0.5 * narrow);
  }
}

TEST_CASE("In a periodic box, too, lists with deferred leaves have the buckets' interactions") {
  const HostBodies input = clustered_bodies(2000);
  const Kokkos::DefaultHostExecutionSpace space;
  const gravity::Request request = periodic_request(0.6, 2);
  const Solved solved(space, input, request, "lists", 8);
  const auto count = [&](const std::string& method) {
    return gravity::make_method(method, space, request)->count(solved.bodies);
  };
  const auto lists = count("lists"), bucket = count("bucket");
  CHECK((lists.cells == bucket.cells && lists.bodies == bucket.bodies));
  // The images are counted, too.
  gravity::Request isolated = request;
  isolated.periodic = false;
  CHECK(lists.cells > gravity::make_method("lists", space, isolated)->count(solved.bodies).cells +
                          26 * input.size());
}

}  // namespace
}  // namespace copse::test
