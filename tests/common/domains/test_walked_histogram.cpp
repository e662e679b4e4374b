// Oracle: the definition of a histogram of cells given by cuts, in a plain loop over particles.
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/domains/detail/walked_histogram.hpp>

#include <catch2/catch_test_macros.hpp>

#include <common/algorithms/on_each_backend.hpp>
#include <random>
#include <thread_team.hpp>

namespace copse::test {
namespace {

using Key = OrderedKey<Real>;

struct GivenPrefix {
  const Key* prefix;
  KOKKOS_FUNCTION Key operator()(Count s) const { return prefix[s]; }
};

/// x < 0.5 is a cell that is not wanted; the rest is cut at y = 0.25 into two wanted cells.
const std::vector<DecisionNode> three_cells = {
    {.slot = 1, .left = 1, .axis = 0, .cut = Real{0.5}},
    {.slot = 2, .axis = 2, .number = 0},
    {.slot = 3, .left = 3, .axis = 1, .cut = Real{0.25}},
    {.slot = 6, .axis = 0, .wanted = 0, .number = 1},
    {.slot = 7, .axis = 2, .wanted = 1, .number = 2},
};
const std::vector<DecisionNode> root_alone = {{.slot = 1, .axis = 1, .wanted = 0}};

struct Input {
  std::vector<DecisionNode> nodes;
  int depth;
  Count first;  ///< particles before the range counted, so that columns are unaligned
  Count rows;
  std::vector<Real> column[3];
  std::vector<std::uint32_t> weight;

  Input(const std::vector<DecisionNode>& tree, int levels, Count skipped, Count n)
      : nodes(tree), depth(levels), first(skipped), rows(n) {
    std::mt19937 bits(static_cast<unsigned>(n));
    for (auto& values : column)
      for (Count i = 0; i < first + rows; ++i)
        values.push_back(static_cast<Real>(bits() % 4096) / Real{4096});
    for (Count i = 0; i < first + rows; ++i) weight.push_back(bits() % 5 * 900000000u);
  }

  Count cells() const { return nodes.size() == 1 ? 1 : 2; }

  /// -1: not in a wanted cell
  int cell_of(Count row) const {
    if (nodes.size() == 1) return 0;
    if (column[0][row] <= Real{0.5}) return -1;
    return column[1][row] <= Real{0.25} ? 0 : 1;
  }
  Key key_of(Count row) const {
    if (nodes.size() == 1) return ordered_key(column[1][row]);
    return ordered_key(column[cell_of(row) == 0 ? 0 : 2][row]);
  }
  std::vector<Key> prefixes() const {
    std::vector<Key> prefix(cells(), ordered_key(Real{0.75}));
    for (Count i = first; i < first + rows; ++i)
      if (cell_of(i) >= 0) prefix[cell_of(i)] = key_of(i);
    return prefix;
  }

  std::vector<Count> counted_by_hand(const KeyDigit<Key>& digit, bool weighted) const {
    const auto prefix = prefixes();
    constexpr int key_bits = KeyDigit<Key>::key_bits;
    const auto top = [&](Key key, int n) { return n == 0 ? Key{0} : Key(key >> (key_bits - n)); };
    std::vector<Count> bins(cells() << digit.bits, 0);
    for (Count i = first; i < first + rows; ++i) {
      const int cell = cell_of(i);
      if (cell < 0 || top(key_of(i), digit.known) != top(prefix[cell], digit.known)) continue;
      const Key value = top(key_of(i), digit.known + digit.bits) % (Key{1} << digit.bits);
      bins[(Count(cell) << digit.bits) + value] += weighted ? weight[i] : 1;
    }
    return bins;
  }
};

const KeyDigit<Key> digits[] = {{0, 11}, {11, 11}, {22, 10}, {KeyDigit<Key>::key_bits, 0}};

/// The particles of a team, and of a batch of its threads, are multiples of 256 and divide tiles of
/// 4096.
std::vector<Input> inputs() {
  std::vector<Input> all;
  for (const Count n : {1, 255, 256, 257, 2047, 2049, 4096, 4097, 13000})
    for (const Count skipped : {0, 1, 3}) {
      all.emplace_back(root_alone, 0, skipped, n);
      all.emplace_back(three_cells, 2, skipped, n);
    }
  return all;
}

template <class Weight>
Weight weight_of(const std::uint32_t* weights) {
  if constexpr (Weight::weighted)
    return IntegerWeight{weights};
  else
    return UnitWeight{};
}

template <class Weight, class Space>
void check_on_device(const Space& space, const Input& input) {
  INFO(backend_name<Space>() << ", " << input.rows << " rows, first " << input.first);
  const auto nodes = to_backend<Space>(input.nodes);
  const auto weights = to_backend<Space>(input.weight);
  const auto prefix = to_backend<Space>(input.prefixes());
  const decltype(to_backend<Space>(input.column[0])) column[3] = {
      to_backend<Space>(input.column[0]), to_backend<Space>(input.column[1]),
      to_backend<Space>(input.column[2])};
  detail::CountByWalking<Weight> counting;
  counting.walk = {
      nodes.data(), static_cast<std::int32_t>(input.nodes.size()), input.depth, {}, input.rows};
  for (int a = 0; a < 3; ++a) counting.walk.column[a] = column[a].data() + input.first;
  for (const auto& digit : digits) {
    INFO("digit of " << digit.bits << " after " << digit.known);
    Kokkos::View<Count*, Kokkos::LayoutLeft, typename Space::memory_space> bins(
        "copse::test::bins", input.cells() << digit.bits);
    Kokkos::deep_copy(bins, 77);  // previous contents must not count
    counting(space, 0, digit, GivenPrefix{prefix.data()},
             weight_of<Weight>(weights.data() + input.first), bins);
    CHECK(to_host(bins) == input.counted_by_hand(digit, Weight::weighted));
  }
}

TEST_CASE("Rows count on devices in the bins of the cell that they walk to") {
  for_each_backend([]<class Space>(Space space) {
    if constexpr (!runs_on_host<Space>)
      for (const Input& input : inputs()) {
        check_on_device<UnitWeight>(space, input);
        check_on_device<IntegerWeight>(space, input);
      }
  });
}

template <class Weight>
void check_teams(const Input& input, const KeyDigit<Key>& digit, Count tiles_of_team) {
  INFO(input.rows << " rows, first " << input.first << ", " << tiles_of_team << " tiles a team");
  const auto prefix = input.prefixes();
  std::vector<Count> bins(input.cells() << digit.bits, 0);
  DecisionTree walk{input.nodes.data(),
                    static_cast<std::int32_t>(input.nodes.size()),
                    input.depth,
                    {},
                    input.rows};
  for (int a = 0; a < 3; ++a) walk.column[a] = input.column[a].data() + input.first;
  const detail::WalkedHistogramTiles<Kokkos::Serial, Key, GivenPrefix, Weight> kernel{
      walk,
      digit,
      GivenPrefix{prefix.data()},
      weight_of<Weight>(input.weight.data() + input.first),
      bins.data(),
      static_cast<int>(bins.size()),
      tiles_of_team * tile_size};
  const Count teams = (detail::walked_tiles(input.rows) + tiles_of_team - 1) / tiles_of_team;
  run_by_thread_teams(static_cast<int>(teams), decision_threads, kernel.scratch_bytes(), kernel);
  CHECK(bins == input.counted_by_hand(digit, Weight::weighted));
}

TEST_CASE("A device team counts the same as one thread, to the last row") {
  for (const auto& [tree, depth] : {std::pair{root_alone, 0}, {three_cells, 2}})
    for (const Count n : {1, 257, 2049, 9000}) {
      const Input input(tree, depth, 1, n);
      check_teams<UnitWeight>(input, digits[0], 1);
      check_teams<UnitWeight>(input, digits[1], 2);
      check_teams<IntegerWeight>(input, digits[1], 2);
    }
}

TEST_CASE("Digits of weights are narrower where their sums would not fit") {
  using detail::CountByWalking;
  CHECK(CountByWalking<UnitWeight>::bits(1, 32) == 11);
  CHECK(CountByWalking<UnitWeight>::bits(4, 32) == 11);
  CHECK(CountByWalking<UnitWeight>::bits(5, 32) ==
        8);  // 10 bits fit, but four digits need only eight
  CHECK(CountByWalking<IntegerWeight>::bits(2, 32) == 11);
  CHECK(CountByWalking<IntegerWeight>::bits(4, 32) == 8);
}

}  // namespace
}  // namespace copse::test
