#include <copse/backend/backends.hpp>
#include <copse/backend/bandwidth.hpp>
#include <copse/backend/machine.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace copse {
namespace {

using Word = std::uint32_t;

/// Four words, the widest load of a device thread.
struct alignas(16) Quad {
  Word word[4];
};

constexpr int runs = 7;
constexpr int team_threads = 256;
constexpr int loads = 8;             ///< in flight per thread: enough to hide the memory latency
constexpr int tile_quads = 2048;     ///< per iteration of a host thread: 32 KiB
constexpr int cached_quads = 512;    ///< 8 KiB, half of the smallest common L1 cache
constexpr int cached_repeats = 128;  ///< repeats of the count in cache

/// Number of tiles counted from cache: many per thread, and enough threads for a device.
template <class ExecutionSpace>
constexpr Count cached_tiles = runs_on_host<ExecutionSpace> ? 256 : 4096;

/// The term that a sweep adds up: the words themselves, or the keys at or below a cut.
struct WordItself {
  KOKKOS_FORCEINLINE_FUNCTION Word operator()(Word word, int) const { return word; }
};
struct AtMostCut {
  float cut;
  float step;  ///< shifts the cut in every repeat, so that no repeat can be optimised away
  KOKKOS_FORCEINLINE_FUNCTION Word operator()(Word word, int repeat) const {
    return Kokkos::bit_cast<float>(word) <= cut + static_cast<float>(repeat) * step ? 1u : 0u;
  }
};

/// The oracle: one word per iteration.
template <class Term>
struct PlainSum {
  const Word* word;
  Term term;
  int repeats;
  KOKKOS_FUNCTION void operator()(Count i, Word& sum) const {
    for (int r = 0; r < repeats; ++r) sum += term(word[i], r);
  }
};

/// Host: one iteration sums a tile; compilers vectorise it.
template <class Term>
struct TileSum {
  const Word* word;
  Term term;
  int words;
  int repeats;
  KOKKOS_FUNCTION void operator()(Count tile, Word& sum) const {
    const Word* first = word + tile * words;
    Word partial = 0;
    for (int r = 0; r < repeats; ++r)
      for (int i = 0; i < words; ++i) partial += term(first[i], r);
    sum += partial;
  }
};

/// Device: every thread issues all its loads before it uses the first.
template <class Member, class Term>
struct TeamSum {
  const Quad* quad;
  Term term;
  int repeats;
  Word* total;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Quad* mine =
        quad + Count{loads} * team_threads * member.league_rank() + member.team_rank();
    Quad loaded[loads];
    for (int k = 0; k < loads; ++k) loaded[k] = mine[k * team_threads];
    Word partial = 0;
    for (int r = 0; r < repeats; ++r)
      for (int k = 0; k < loads; ++k)
        for (int j = 0; j < 4; ++j) partial += term(loaded[k].word[j], r);
    member.team_reduce(Kokkos::Sum<Word>(partial));
    Kokkos::single(Kokkos::PerTeam(member), [&] { Kokkos::atomic_add(total, partial); });
  }
};

template <class ExecutionSpace>
class Sweeper {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Array = Kokkos::View<Quad*, MemorySpace>;

  explicit Sweeper(const ExecutionSpace& space)
      : space_(space), total_("copse::bandwidth::total") {}

  /// Best rate, in words per second, of summing `term` over the array `repeats` times.
  template <class Term>
  double rate(const Array& array, const Term& term, int repeats) {
    const Word expected = plain(array, term, repeats);
    Word found = 0;
    const double seconds = best_seconds([&] { Kokkos::deep_copy(space_, total_, Word{0}); },
                                        [&] { sweep(array, term, repeats, found); });
    if constexpr (!runs_on_host<ExecutionSpace>) {
      Kokkos::deep_copy(space_, found, total_);
      space_.fence();
    }
    if (found != expected)
      throw std::runtime_error("a bandwidth kernel gave a wrong sum on " +
                               std::string(backend_name<ExecutionSpace>()));
    return static_cast<double>(array.extent(0)) * 4 * repeats / seconds;
  }

  /// Best time of `run` alone; `prepare` is called before each run and not timed.
  template <class Prepare, class Run>
  double best_seconds(const Prepare& prepare, const Run& run) {
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i <= runs; ++i) {
      prepare();
      space_.fence();
      const Kokkos::Timer timer;
      run();
      space_.fence();
      if (i > 0) best = std::min(best, timer.seconds());  // the first run warms up
    }
    return best;
  }

 private:
  template <class Term>
  Word plain(const Array& array, const Term& term, int repeats) {
    Word sum = 0;
    Kokkos::parallel_reduce("copse::bandwidth::plain",
                            Kokkos::RangePolicy<ExecutionSpace>(space_, 0, array.extent(0) * 4),
                            PlainSum<Term>{array.data()->word, term, repeats}, sum);
    return sum;
  }

  /// A host's sum is stored in `sum`, a device's in total_.
  template <class Term>
  void sweep(const Array& array, const Term& term, int repeats, [[maybe_unused]] Word& sum) {
    if constexpr (runs_on_host<ExecutionSpace>) {
      const int quads = repeats > 1 ? cached_quads : tile_quads;
      Kokkos::parallel_reduce(
          "copse::bandwidth::sweep",
          Kokkos::RangePolicy<ExecutionSpace>(space_, 0, array.extent(0) / quads),
          TileSum<Term>{array.data()->word, term, 4 * quads, repeats}, sum);
    } else {
      using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
      Kokkos::parallel_for(
          "copse::bandwidth::sweep",
          Policy(space_, static_cast<int>(array.extent(0) / (loads * team_threads)), team_threads),
          TeamSum<typename Policy::member_type, Term>{array.data(), term, repeats, total_.data()});
    }
  }

  ExecutionSpace space_;
  Kokkos::View<Word, MemorySpace> total_;
};

}  // namespace

template <class ExecutionSpace>
Bandwidth measure_bandwidth(const ExecutionSpace& space, Count bytes) {
  using Array = typename Sweeper<ExecutionSpace>::Array;
  static_assert(tile_quads == loads * team_threads && tile_quads % cached_quads == 0);
  constexpr Count tile_bytes = tile_quads * sizeof(Quad);
  const Count quads = std::max<Count>(1, (bytes + tile_bytes - 1) / tile_bytes) * tile_quads;
  const Array array(Kokkos::view_alloc("copse::bandwidth::array", Kokkos::WithoutInitializing),
                    quads);
  Word* const word = array.data()->word;
  Kokkos::parallel_for(
      "copse::bandwidth::fill", Kokkos::RangePolicy<ExecutionSpace>(space, 0, quads * 4),
      KOKKOS_LAMBDA(const Count i) {
        const Word hash = static_cast<Word>(i) * 2654435761u;
        word[i] = Kokkos::bit_cast<Word>(static_cast<float>(hash >> 8) * 0x1p-24f);
      });
  Bandwidth result;
  result.bytes = quads * sizeof(Quad);
  Sweeper<ExecutionSpace> sweeper(space);
  result.read = sizeof(Word) * sweeper.rate(array, WordItself{}, 1);
  result.count = sweeper.rate(array, AtMostCut{0.5f, 0.0f}, 1);
  const Count cached = std::min<Count>(quads, cached_tiles<ExecutionSpace> * tile_quads);
  result.count_in_cache =
      sweeper.rate(Kokkos::subview(array, Kokkos::pair<Count, Count>(0, cached)),
                   AtMostCut{0.25f, 0x1p-9f}, cached_repeats);

  const Array copy(Kokkos::view_alloc("copse::bandwidth::copy", Kokkos::WithoutInitializing),
                   quads);
  const auto nothing = [] {};
  result.copy = 2 * static_cast<double>(result.bytes) /
                sweeper.best_seconds(nothing, [&] { Kokkos::deep_copy(space, copy, array); });
  if constexpr (!runs_on_host<ExecutionSpace>) {
    // Pinning is slow, and the link reaches its rate with this size.
    const Count sent = std::min<Count>(quads, (Count{1} << 28) / sizeof(Quad));
    const Kokkos::View<Quad*, Kokkos::SharedHostPinnedSpace> pinned("copse::bandwidth::pinned",
                                                                    sent);
    const auto target = Kokkos::subview(copy, Kokkos::pair<Count, Count>(0, sent));
    result.from_host =
        static_cast<double>(sent * sizeof(Quad)) /
        sweeper.best_seconds(nothing, [&] { Kokkos::deep_copy(space, target, pinned); });
  }
  return result;
}

template <class ExecutionSpace>
Count bandwidth_bytes() {
  const Count wanted = Count{1} << (runs_on_host<ExecutionSpace> ? 28 : 31);
  return std::min<Count>(wanted, backend_memory_bytes(backend_name<ExecutionSpace>()) / 16);
}

#define COPSE_INSTANTIATE(Space)                                    \
  template Bandwidth measure_bandwidth<Space>(const Space&, Count); \
  template Count bandwidth_bytes<Space>();
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
