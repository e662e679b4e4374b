// Oracles: direct sums in double, and the fields of the same method without a share of the host.
#include "body_problem.hpp"
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

gravity::Request shared_request(double share, double theta) {
  gravity::Request request = request_for(theta, 2);
  request.host_share = share;
  return request;
}

TEST_CASE("Whatever the share of the host, every body has the field of the direct sum") {
  const HostBodies input = clustered_bodies(700);
  for_each_backend([&](const auto& space) {
    for (const double share : {0.001, 0.3, 0.9999})
      for (const std::string method : {"breadth", "bucket", "particle"}) {
        INFO(backend_name<std::decay_t<decltype(space)>>() << " " << method << " " << share);
        const Solved solved(space, input, shared_request(share, 0.0), method, 8);
        CHECK(solved.errors().back() < 1e-4);  // as without a share
      }
  });
}

TEST_CASE("Bodies that decide alone have the same interactions on the host and on the device") {
  const HostBodies input = clustered_bodies(2000);
  for_each_backend([&](const auto& space) {
    for (const std::string mac : {"bmax", "relative"})
      for (const bool spline : {false, true}) {
        INFO(backend_name<std::decay_t<decltype(space)>>() << " " << mac << " " << spline);
        gravity::Request request = request_for(0.5, 3, mac);
        if (spline) request.kernel = SofteningKernel::spline;
        const Solved alone(space, input, request, "particle", 8);
        const auto counted = gravity::make_method("particle", space, request)->count(alone.bodies);
        request.host_share = 0.4;
        const Solved shared(space, input, request, "particle", 8);
        const auto both = gravity::make_method("particle", space, request)->count(alone.bodies);
        CHECK((both.cells == counted.cells && both.bodies == counted.bodies &&
               both.tests == counted.tests));
        double worst = 0.0;
        for (std::size_t i = 0; i < alone.fields.size(); ++i)
          worst = std::max(worst,
                           std::abs(shared.fields[i].potential / alone.fields[i].potential - 1.0));
        CHECK(worst < 1e-5);  // sums are rounded in another order on a device
      }
  });
}

TEST_CASE("A share of the host is one of the active bodies") {
  const HostBodies input = clustered_bodies(2000);
  gravity::Request request = shared_request(0.5, 0.5);
  request.active_fraction = 0.3;
  for_each_backend([&](const auto& space) {
    const Solved solved(space, input, request, "breadth", 8);
    Count computed = 0;
    double worst = 0.0;
    for (std::size_t i = 0; i < solved.fields.size(); ++i) {
      if (std::isnan(solved.fields[i].potential)) continue;
      ++computed;
      worst =
          std::max(worst, std::abs(solved.fields[i].potential / solved.exact[i].potential - 1.0));
    }
    CHECK(computed == solved.bodies.targets.count);
    CHECK(worst < 1e-2);
  });
}

}  // namespace
}  // namespace copse::test
