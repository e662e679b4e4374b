#include <copse/backend/error.hpp>
#include <copse/traversal/schedule/matrix_budget.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

using namespace copse;

TEST_CASE(
    "A row of visits takes one bit per leaf in whole words, a row of steps two bytes per step") {
  CHECK(matrix_row_bytes(MatrixKind::visits, 1) == 8);
  CHECK(matrix_row_bytes(MatrixKind::visits, 64) == 8);
  CHECK(matrix_row_bytes(MatrixKind::visits, 1024) == 128);
  CHECK(matrix_row_bytes(MatrixKind::steps, 1024) == 2048);
}

// Oracle: the definition of the plan, checked batch by batch.
TEST_CASE("Batches are whole packets, hold every query once and fit") {
  for (const Count queries : {1, 31, 32, 33, 64, 1000, 1000000})
    for (const Count columns : {1, 64, 1024})
      for (const Count available : {16384, 100000, 10000000})
        for (const Count wanted : {1, 2, 7, 100000}) {
          if (2 * 32 * matrix_row_bytes(MatrixKind::visits, columns) > available) continue;
          const BatchPlan plan =
              plan_batches(MatrixKind::visits, queries, columns, available, wanted);
          INFO(queries << " queries, " << columns << " columns, " << available << " bytes, "
                       << wanted << " wanted");
          CHECK(plan.batch % 32 == 0);
          CHECK(plan.batches >= std::min(wanted, (queries + 31) / 32));
          CHECK(plan.buffers == (plan.batches > 1 ? 2 : 1));
          CHECK(plan.buffers * plan.batch * matrix_row_bytes(MatrixKind::visits, columns) <=
                available);
          Count next = 0;
          for (Count b = 0; b < plan.batches; ++b) {
            REQUIRE(plan.begin(b) == next);
            REQUIRE(plan.end(b) > plan.begin(b));
            REQUIRE(plan.end(b) - plan.begin(b) <= plan.batch);
            next = plan.end(b);
          }
          CHECK(next == queries);
        }
}

TEST_CASE("No fewer batches than planned would fit") {
  const Count row = matrix_row_bytes(MatrixKind::steps, 100);
  for (const Count available : {20000, 50000, 130000}) {
    const BatchPlan plan = plan_batches(MatrixKind::steps, 10000, 100, available);
    REQUIRE(plan.batches > 1);
    CHECK(2 * (plan.batch + 32) * row > available);
    CHECK(10016 * row > available);
  }
  CHECK(plan_batches(MatrixKind::steps, 10000, 100, 10016 * row).batches == 1);
  CHECK(plan_batches(MatrixKind::steps, 0, 100, 0).batches == 0);
}

TEST_CASE("Too little memory is refused with the number of bytes required") {
  using Catch::Matchers::Message;
  CHECK_THROWS_MATCHES(plan_batches(MatrixKind::visits, 1000, 1024, 8191), InputError,
                       Message("the scheduling matrix needs at least 8192 bytes, for two batches "
                               "of 32 queries, and 8191 are available"));
  CHECK_NOTHROW(plan_batches(MatrixKind::visits, 1000, 1024, 8192));
  CHECK_THROWS_MATCHES(
      plan_batches(MatrixKind::visits, 3, 1024, 4095), InputError,
      Message("the scheduling matrix of 3 queries needs 4096 bytes, but only 4095 are available"));
  CHECK_NOTHROW(plan_batches(MatrixKind::visits, 3, 1024, 4096));
}
