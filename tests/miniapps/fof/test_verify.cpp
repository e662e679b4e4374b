#include "link_cases.hpp"
#include <copse/app/verification.hpp>
#include <copse/particles/generators.hpp>

#include <fof/verify.hpp>

namespace copse::fof::test {
namespace {

/// Clustered particles, their labels, and members of two groups in the middle of the box.
struct VerifiedInput {
  static constexpr Count n = 20000;
  static constexpr Count limit = 8000;  ///< the slab holds half as many
  LinkedInput input;
  Labels<Kokkos::HostSpace> labels{"copse::test::labels", n};
  std::vector<std::vector<LocalIndex>> middle;

  VerifiedInput() {
    GeneratorOptions options;
    options.kind = "nfw";
    options.particles = n;
    input.particles = generate(Kokkos::Serial{}, options, 0, n);
    input.links = {.length = 0.2 * std::cbrt(1.0 / n),
                   .velocity = std::numeric_limits<double>::infinity()};
    input.friendship = make_friendship(input.links, input.particles.box);
    const auto all = labels_of(Kokkos::Serial{}, "leaf-pairs", input.problem());
    std::copy(all.begin(), all.end(), labels.data());
    std::vector<std::vector<LocalIndex>> groups(n);
    for (LocalIndex i = 0; i < n; ++i) groups[all[i]].push_back(i);
    for (const auto& group : groups) {
      if (group.size() < 3) continue;
      const bool inside = std::all_of(group.begin(), group.end(), [&](LocalIndex i) {
        return std::fabs(input.particles.position(i, 0) - Real(0.5)) < Real(0.05);
      });
      if (inside) middle.push_back(group);
    }
    REQUIRE(middle.size() >= 2);
  }

  bool passes() const {
    app::Verification verification;
    verify_labels(input, labels, verification, limit);
    return verification.passed();
  }
};

TEST_CASE("Right labels pass in a slab and as a whole") {
  VerifiedInput verified;
  CHECK(verified.passes());
  app::Verification whole;
  verify_labels(verified.input, verified.labels, whole);
  CHECK(whole.passed());
}

TEST_CASE("A member lost from a group in the slab is noticed") {
  VerifiedInput verified;
  const LocalIndex row = verified.middle[0].back();
  verified.labels(row) = row;
  CHECK_FALSE(verified.passes());
}

TEST_CASE("A group split in the slab is noticed") {
  VerifiedInput verified;
  const auto& group = verified.middle[0];
  for (std::size_t k = 1; k < group.size(); ++k) verified.labels(group[k]) = group[1];
  CHECK_FALSE(verified.passes());
}

TEST_CASE("Groups merged in the slab are noticed") {
  VerifiedInput verified;
  const LocalIndex least = std::min(verified.middle[0][0], verified.middle[1][0]);
  for (int g = 0; g < 2; ++g)
    for (const LocalIndex row : verified.middle[g]) verified.labels(row) = least;
  CHECK_FALSE(verified.passes());
}

TEST_CASE("A group in the slab that took a particle from outside is noticed") {
  VerifiedInput verified;
  for (LocalIndex i = verified.middle[0][0]; i < VerifiedInput::n; ++i)
    if (verified.labels(i) == i && verified.input.particles.position(i, 0) < Real(0.1)) {
      bool alone = true;
      for (LocalIndex j = 0; j < VerifiedInput::n; ++j)
        alone = alone && (j == i || verified.labels(j) != i);
      if (!alone) continue;
      verified.labels(i) = verified.middle[0][0];
      break;
    }
  CHECK_FALSE(verified.passes());
}

TEST_CASE("A slab without a whole group does not verify anything") {
  VerifiedInput verified;
  verified.input.links.length = 0.3;
  verified.input.friendship = make_friendship(verified.input.links, verified.input.particles.box);
  Kokkos::deep_copy(verified.labels, 0);
  CHECK_FALSE(verified.passes());
}

}  // namespace
}  // namespace copse::fof::test
