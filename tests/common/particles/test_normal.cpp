#include "generated_on_host.hpp"

#include <catch2/catch_test_macros.hpp>

using copse::Count;

// Oracle: the normal distribution truncated to the box, F(x) = (Phi(z) - Phi(z0)) / (Phi(z1) -
// Phi(z0)). A truncation that piled particles up on the faces or wrapped them would show for the
// wide blob, of which 68 % would lie outside along an axis.
TEST_CASE("Normal coordinates follow the normal distribution truncated to the box") {
  for (const double sigma : {0.125, 0.5, 1.0}) {
    auto options = copse_test::options_of("normal", 40000);
    options.model.normal_sigma = sigma;
    const auto p = copse_test::generate_on_host(options);
    const auto phi = [&](double x) { return 0.5 * std::erfc(-(x - 0.5) / sigma / std::sqrt(2.0)); };
    for (int a = 0; a < 3; ++a) {
      std::vector<double> x(p.size());
      for (Count i = 0; i < p.size(); ++i) x[i] = p.position(i, a);
      const auto cdf = [&](double u) { return (phi(u) - phi(0.0)) / (phi(1.0) - phi(0.0)); };
      INFO("sigma " << sigma << " axis " << a);
      CHECK(copse_test::kolmogorov_distance(x, cdf) < copse_test::kolmogorov_limit(x.size()));
    }
  }
}
