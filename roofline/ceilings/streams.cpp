#include "ceiling.hpp"
#include "plain_triad.hpp"
#include "workers.hpp"
#include <copse/backend/lane_vector.hpp>
#include <copse/backend/unroll.hpp>

#include <Kokkos_BitManipulation.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace copse::roofline {
namespace {

enum class Stream : std::uint8_t { read, copy, triad };

constexpr const char* stream_name(Stream stream) {
  return stream == Stream::read ? "read" : stream == Stream::copy ? "copy" : "triad";
}
constexpr int stream_arrays(Stream stream) {
  return 1 + static_cast<int>(stream);
}

constexpr double factor = 3.0;

constexpr int peer_rounds = 3;

/// a = b + 3 c, a = b, or the sum of b's bits.
struct Arrays {
  double* a;
  const double* b;
  const double* c;
  std::uint64_t* sums;  ///< [workers]
  Count chunk;          ///< elements of each worker
  Count workers;
  Count hop;  ///< how far a worker's parts of successive sweeps are apart
  int repeats;

  KOKKOS_FORCEINLINE_FUNCTION Count first(Count worker, int repeat) const {
    return (worker + static_cast<Count>(repeat) * hop) % workers * chunk;
  }
};

template <Stream S>
struct SweepOnHost {
  Arrays arg;
  /// As many sums at once as hide the time that an addition takes.
  using Words = LaneVector<std::uint64_t, 8>;
  static constexpr int sums = 8;

  void operator()(Count worker) const {
    Words sum[sums] = {};
    for (int r = 0; r < arg.repeats; ++r) {
      const Count first = arg.first(worker, r);
      double* KOKKOS_RESTRICT a = arg.a + first;
      const double* KOKKOS_RESTRICT b = arg.b + first;
      const double* KOKKOS_RESTRICT c = arg.c + first;
      if constexpr (S == Stream::read) {
        add_words(b, sum);
      } else {
        for (Count i = 0; i < arg.chunk; ++i) {
          if constexpr (S == Stream::copy) {
            a[i] = b[i];
          } else {
            a[i] = b[i] + factor * c[i];
          }
        }
      }
      // The next sweep is another one, though it looks the same.
      __asm__ volatile("" ::: "memory");
    }
    std::uint64_t total = 0;
    for (const Words& words : sum)
      for (int l = 0; l < 8; ++l) total += words[l];
    arg.sums[worker] = total;
  }

 private:
  void add_words(const double* b, Words (&sum)[sums]) const {
    static_assert(worker_grain<Kokkos::DefaultHostExecutionSpace> % (8 * sums) == 0);
    for (Count i = 0; i < arg.chunk; i += 8 * sums) {
      add_words_from(b + i, sum, std::make_integer_sequence<int, sums>{});
    }
  }
  template <int... K>
  static void add_words_from(const double* b, Words (&sum)[sums],
                             std::integer_sequence<int, K...>) {
    (add(b + 8 * K, sum[K]), ...);
  }
  static void add(const double* b, Words& sum) {
    Words words;
    std::memcpy(&words.v, b, sizeof(words.v));
    sum += words;
  }
};

/// 16 bytes, the widest load of a thread.
struct alignas(16) Pair {
  double x, y;
};

template <Stream S, class Member>
struct SweepOnDevice {
  Arrays arg;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto worker = static_cast<Count>(team.league_rank());
    std::uint64_t sum = 0;
    for (int r = 0; r < arg.repeats; ++r) {
      const Count first = arg.first(worker, r);
      Pair* const a = reinterpret_cast<Pair*>(arg.a + first);
      const Pair* const b = reinterpret_cast<const Pair*>(arg.b + first);
      const Pair* const c = reinterpret_cast<const Pair*>(arg.c + first);
      const Count pairs = arg.chunk / 2;
      for (Count at = static_cast<Count>(team.team_rank()); at < pairs;
           at += loads * team_threads) {
        Pair from_b[loads];
        Pair from_c[loads];
        COPSE_UNROLL
        for (int k = 0; k < loads; ++k) {
          from_b[k] = b[at + static_cast<Count>(k) * team_threads];
          if constexpr (S == Stream::triad)
            from_c[k] = c[at + static_cast<Count>(k) * team_threads];
        }
        COPSE_UNROLL
        for (int k = 0; k < loads; ++k) {
          const Count to = at + static_cast<Count>(k) * team_threads;
          if constexpr (S == Stream::read) {
            sum += Kokkos::bit_cast<std::uint64_t>(from_b[k].x) +
                   Kokkos::bit_cast<std::uint64_t>(from_b[k].y);
          } else if constexpr (S == Stream::copy) {
            a[to] = from_b[k];
          } else {
            a[to] = {from_b[k].x + factor * from_c[k].x, from_b[k].y + factor * from_c[k].y};
          }
        }
      }
    }
    if constexpr (S == Stream::read) {
      team.team_reduce(Kokkos::Sum<std::uint64_t>(sum));
      Kokkos::single(Kokkos::PerTeam(team), [&] { arg.sums[worker] = sum; });
    }
  }
};

/// Small whole numbers, so that sums and products are exact.
struct Fill {
  double* a;
  double* b;
  double* c;
  KOKKOS_FUNCTION void operator()(Count i) const {
    a[i] = -1.0;
    b[i] = static_cast<double>(i % 1021);
    c[i] = static_cast<double>(i % 509);
  }
};

template <Stream S>
struct CountWrong {
  const double* a;
  KOKKOS_FUNCTION void operator()(Count i, Count& wrong) const {
    const double b = static_cast<double>(i % 1021);
    const double c = static_cast<double>(i % 509);
    wrong += a[i] != (S == Stream::copy ? b : b + factor * c);
  }
};

struct SumBits {
  KOKKOS_FUNCTION void operator()(Count i, std::uint64_t& sum) const {
    sum += Kokkos::bit_cast<std::uint64_t>(static_cast<double>(i % 1021));
  }
};

/// Three arrays for sets up to some size, and what sweeps them.
template <class ExecutionSpace>
class Sweeps {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;

  Sweeps(const ExecutionSpace& space, Count elements)
      : space_(space),
        workers_(workers(space)),
        data_(Kokkos::view_alloc("copse::ceilings::streams", Kokkos::WithoutInitializing),
              3 * (elements + apart)),
        sums_("copse::ceilings::sums", workers_),
        // Arrays whose elements lie a multiple of 4 KiB apart get into each other's way.
        a_(data_.data()),
        b_(a_ + elements + apart),
        c_(b_ + elements + apart) {
    // By the workers that will sweep them: pages belong to who touches them first.
    Kokkos::parallel_for("copse::ceilings::fill", Range(space, 0, elements), Fill{a_, b_, c_});
  }

  template <Stream S>
  SetRate measure(Count set, bool kept, const Effort& effort) const {
    const Arrays arrays = arrays_for(set / stream_arrays(S), kept);
    const Count elements = arrays.chunk * workers_;
    const auto run = [&](int repeats) { launch<S>(arrays, repeats); };
    const int repeats = enough_repeats(space_, effort, run);
    Kokkos::parallel_for("copse::ceilings::fill", Range(space_, 0, elements), Fill{a_, b_, c_});
    const double seconds = best_seconds(space_, effort.runs, repeats, run);
    check<S>(elements, static_cast<std::uint64_t>(repeats));
    const Count bytes = stream_arrays(S) * elements * sizeof(double);
    return {stream_name(S), bytes, kept, static_cast<double>(bytes) * repeats / seconds};
  }

  double vendor_copy(Count set, const Effort& effort) const {
    const Count elements = arrays_for(set / 2, true).chunk * workers_;
    using Part = Kokkos::View<double*, MemorySpace, Kokkos::MemoryUnmanaged>;
    const Part to(a_, elements);
    const Part from(b_, elements);
    const double seconds =
        best_seconds(space_, effort.runs, 1, [&](int) { Kokkos::deep_copy(space_, to, from); });
    check<Stream::copy>(elements, 1);
    return 2.0 * sizeof(double) * static_cast<double>(elements) / seconds;
  }

 private:
  static constexpr Count apart = 136;  // 1088 bytes

  Arrays arrays_for(Count bytes, bool kept) const {
    constexpr Count grain = worker_grain<ExecutionSpace>;
    const Count chunk = std::max<Count>(1, bytes / (workers_ * grain * sizeof(double))) * grain;
    return {a_, b_, c_, sums_.data(), chunk, workers_, kept ? Count{0} : Count{37}, 1};
  }

  template <Stream S>
  void launch(Arrays arrays, int repeats) const {
    arrays.repeats = repeats;
    if constexpr (runs_on_host<ExecutionSpace>) {
      Kokkos::parallel_for("copse::ceilings::stream", Range(space_, 0, workers_),
                           SweepOnHost<S>{arrays});
    } else {
      using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
      Kokkos::parallel_for("copse::ceilings::stream",
                           Policy(space_, static_cast<int>(workers_), team_threads),
                           SweepOnDevice<S, typename Policy::member_type>{arrays});
    }
  }

  template <Stream S>
  void check(Count elements, std::uint64_t repeats) const {
    if constexpr (S == Stream::read) {
      const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums_);
      std::uint64_t found = 0;
      for (Count w = 0; w < workers_; ++w) found += sums(w);
      std::uint64_t expected = 0;
      Kokkos::parallel_reduce("copse::ceilings::check", Range(space_, 0, elements), SumBits{},
                              expected);
      require_result<ExecutionSpace>(found == expected * repeats, "reading");
    } else {
      Count wrong = 0;
      Kokkos::parallel_reduce("copse::ceilings::check", Range(space_, 0, elements),
                              CountWrong<S>{a_}, wrong);
      require_result<ExecutionSpace>(wrong == 0, stream_name(S));
    }
  }

  ExecutionSpace space_;
  Count workers_;
  Kokkos::View<double*, MemorySpace> data_;
  Kokkos::View<std::uint64_t*, MemorySpace> sums_;
  double* a_;
  double* b_;
  double* c_;
};

/// Room for each of up to three arrays of a set, rounded up as the sweeps round.
template <class ExecutionSpace>
Count elements_for(const ExecutionSpace& space, Count set) {
  return set / sizeof(double) + workers(space) * worker_grain<ExecutionSpace>;
}

}  // namespace

template <class ExecutionSpace>
std::vector<SetRate> measure_streams(const ExecutionSpace& space, const std::vector<Count>& sets,
                                     const Effort& effort) {
  const Sweeps<ExecutionSpace> sweeps(space, elements_for(space, sets.back()));
  std::vector<SetRate> rates;
  for (const bool kept : {true, false}) {
    if (!kept && !hands_on<ExecutionSpace>) continue;
    for (const Count set : sets) {
      rates.push_back(sweeps.template measure<Stream::read>(set, kept, effort));
      rates.push_back(sweeps.template measure<Stream::copy>(set, kept, effort));
      rates.push_back(sweeps.template measure<Stream::triad>(set, kept, effort));
    }
  }
  return rates;
}

template <class ExecutionSpace>
StreamPeers measure_stream_peers(const ExecutionSpace& space, Count set, const Effort& effort) {
  StreamPeers peers;
  const Sweeps<ExecutionSpace> sweeps(space, elements_for(space, set));
  const auto take_best = [](double& best, double rate) { best = std::max(best, rate); };
  // In turn, so that what else the machine does meets all alike.
  for (int round = 0; round < peer_rounds; ++round) {
    take_best(peers.vendor_copy, sweeps.vendor_copy(set, effort));
    take_best(peers.kernel_copy,
              sweeps.template measure<Stream::copy>(set, true, effort).bytes_per_second);
    take_best(peers.kernel_triad,
              sweeps.template measure<Stream::triad>(set, true, effort).bytes_per_second);
    if constexpr (runs_on_host<ExecutionSpace>)
      take_best(peers.plain_triad, plain_triad(static_cast<int>(workers(space)), set, effort.runs));
  }
  return peers;
}

#define COPSE_INSTANTIATE(Space)                                                                \
  template std::vector<SetRate> measure_streams<Space>(const Space&, const std::vector<Count>&, \
                                                       const Effort&);                          \
  template StreamPeers measure_stream_peers<Space>(const Space&, Count, const Effort&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::roofline
