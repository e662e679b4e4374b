#include <copse/app/verification.hpp>
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <mpi.h>

#include <limits>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using copse::VerificationError;
using copse::app::Verification;

namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks_of_world() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

}  // namespace

TEST_CASE("a value up to the tolerance passes and anything else fails, NaN included") {
  Verification v;
  CHECK(v.check("exact", 0.0));
  CHECK(v.check("at the tolerance", 1e-6, 1e-6));
  CHECK_FALSE(v.check("above", 1.1e-6, 1e-6));
  CHECK_FALSE(v.check("nan", std::numeric_limits<double>::quiet_NaN(), 1e30));
  CHECK(v.require("true", true));
  CHECK_FALSE(v.require("false", false));
  CHECK_FALSE(v.passed());
  CHECK_THROWS_MATCHES(
      v.throw_if_failed(), VerificationError,
      MessageMatches(ContainsSubstring("above, nan, false") && !ContainsSubstring("exact")));
}

TEST_CASE("checks that all pass do not throw") {
  Verification v;
  v.check("exact", 0.0);
  CHECK(v.passed());
  CHECK_NOTHROW(v.throw_if_failed());
}

// Oracle: only the last rank's value is wrong.
TEST_CASE("a failure on one rank is a failure on all, with the worst value") {
  Verification v;
  const bool last = rank_of_world() == ranks_of_world() - 1;
  v.check("good", 0.0);
  v.check("bad", last ? ranks_of_world() : 0.0);
  v.check("nan", last ? std::numeric_limits<double>::quiet_NaN() : 0.0);
  v.agree(MPI_COMM_WORLD);
  CHECK(v.checks()[0].passed);
  CHECK_FALSE(v.checks()[1].passed);
  CHECK(v.checks()[1].value == ranks_of_world());
  CHECK_FALSE(v.checks()[2].passed);
  CHECK_THROWS_AS(v.throw_if_failed(), VerificationError);
}

TEST_CASE("ranks that made different checks fail on every rank") {
  if (ranks_of_world() == 1) return;
  Verification v;
  v.check(rank_of_world() == 0 ? "counts" : "boxes", 0.0);
  CHECK_THROWS_AS(v.agree(MPI_COMM_WORLD), VerificationError);
}

TEST_CASE("the table shows every check and marks the failed one") {
  Verification v;
  v.check("counts", 0.0);
  v.check("boxes", 3.0);
  CHECK_THAT(v.table().to_string(),
             ContainsSubstring("counts  passed") && ContainsSubstring("FAILED"));
}
