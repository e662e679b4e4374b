#include "schedule_matrices.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/profile_batches.hpp>

#include <catch2/catch_test_macros.hpp>

namespace copse::test {
namespace {

/// Replaces a walk: writes values that depend on the query, the column and the query's input.
template <class Element>
KOKKOS_INLINE_FUNCTION Element pretended(Count query, Count column, std::uint32_t input) {
  return static_cast<Element>((query * 2654435761U + column * 97 + input) >> 3);
}

template <class Element, class MemorySpace>
struct PretendToWalk {
  const std::uint32_t* input;
  BatchMatrix<Element, MemorySpace> matrix;
  Count first;
  KOKKOS_FUNCTION void operator()(Count r) const {
    // Every third row is left untouched; it must be zero.
    if ((first + r) % 3 == 2) return;
    for (Count c = 0; c < matrix.extent(1); ++c)
      matrix(r, c) += pretended<Element>(first + r, c, input[first + r]);
  }
};

template <class Element>
Element expected(Count query, Count column) {
  const auto input = static_cast<std::uint32_t>(query * query);
  return query % 3 == 2 ? Element{0} : pretended<Element>(query, column, input);
}

template <class Space>
struct FakeInspector {
  using Memory = typename Space::memory_space;
  Kokkos::View<std::uint32_t*, Memory> input;

  explicit FakeInspector(Count queries) : input("copse::test::input", queries) {
    const auto host = Kokkos::create_mirror_view(input);
    for (Count q = 0; q < queries; ++q) host(q) = static_cast<std::uint32_t>(q * q);
    Kokkos::deep_copy(input, host);
  }
  template <class Element>
  void operator()(const Space& instance, Count first, Count count,
                  const BatchMatrix<Element, Memory>& matrix) const {
    Kokkos::parallel_for("copse::test::pretend", Kokkos::RangePolicy<Space>(instance, 0, count),
                         PretendToWalk<Element, Memory>{input.data(), matrix, first});
  }
};

template <class Element, class Space>
void check_matrix(const Space& space, Count queries, Count width, MatrixKind kind, Count columns,
                  Count instances) {
  BatchPipeline<Space> pipeline(space);  // reused, so that batches get used buffers
  pipeline.instances.resize(instances, space);
  const FakeInspector<Space> inspect(queries);
  const Count row = matrix_row_bytes(kind, columns);
  for (const Count bytes : {64 * row, 6 * 64 * row, 2000 * row}) {
    const BatchPlan plan = plan_batches(kind, queries, columns, bytes);
    const BatchMatrix<Element, Host> whole("copse::test::whole", queries, width);
    std::vector<Count> firsts;
    const StoreBatch<Element> store{whole};
    profile_in_batches<Element>(space, plan, width, pipeline, inspect,
                                [&](Count first, const HostBatch<Element>& batch) {
                                  firsts.push_back(first);
                                  store(first, batch);
                                });
    Count wrong = 0;
    for (Count q = 0; q < queries; ++q)
      for (Count c = 0; c < width; ++c) wrong += whole(q, c) != expected<Element>(q, c);
    INFO(backend_name<Space>() << ", " << queries << " queries in " << plan.batches << " batches");
    CHECK(wrong == 0);
    CHECK(firsts.size() == plan.batches);
    CHECK(std::is_sorted(firsts.begin(), firsts.end()));
  }
}

TEST_CASE("Concatenated batches equal the whole matrix, whatever their size") {
  for_each_backend([]<class Space>(Space space) {
    // Several instances make sense on devices only, but batches must alternate correctly
    // everywhere.
    for (const Count queries : {1, 32, 33, 1000})
      for (const Count instances : {1, 2, 3}) {
        check_matrix<VisitWord>(space, queries, 3, MatrixKind::visits, 150, instances);
        check_matrix<Step>(space, queries, 7, MatrixKind::steps, 7, instances);
      }
  });
}

TEST_CASE("Signatures of batches equal those of the whole matrix") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    const Count queries = 1000;
    const FakeInspector<Space> inspect(queries);
    const SignatureFormat format(std::numeric_limits<Step>::max());
    const auto signatures = [&](Count bytes) {
      const Kokkos::View<Signature*, Kokkos::LayoutLeft, Memory> keys("copse::test::keys", queries);
      Workspace<Memory> workspace;
      const BatchPlan plan = plan_batches(MatrixKind::steps, queries, 6, bytes);
      signatures_in_batches<Step>(space, plan, 6, format, workspace, inspect, keys);
      const auto host = Kokkos::create_mirror_view_and_copy(Host{}, keys);
      return std::vector<Signature>(host.data(), host.data() + queries);
    };
    const BatchMatrix<Step, Host> all("copse::test::whole", queries, 6);
    for (Count q = 0; q < queries; ++q)
      for (Count i = 0; i < 6; ++i) all(q, i) = expected<Step>(q, i);
    const Kokkos::View<Signature*, Kokkos::LayoutLeft, Host> at_once("copse::test::keys", queries);
    write_signatures(Kokkos::Serial{}, all, format, at_once);
    const std::vector<Signature> whole(at_once.data(), at_once.data() + queries);
    CHECK(signatures(1000 * 100) == whole);
    CHECK(signatures(2 * 32 * 12) == whole);
    CHECK(signatures(5000) == whole);
  });
}

}  // namespace
}  // namespace copse::test
