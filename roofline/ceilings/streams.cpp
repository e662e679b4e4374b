#include "ceiling.hpp"
#include "plain_triad.hpp"
#include "sweep.hpp"
#include "workers.hpp"

#include <Kokkos_BitManipulation.hpp>

#include <algorithm>
#include <cstdint>

namespace copse::roofline {
namespace {

constexpr int peer_rounds = 3;

/// Small integers, so that sums and products are exact.
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

/// Three arrays for sets up to some size, and the workers that sweep them.
template <class ExecutionSpace>
class Sweeps {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  Sweeps(const ExecutionSpace& space, Count elements)
      : space_(space),
        workers_(workers(space)),
        data_(Kokkos::view_alloc("copse::ceilings::streams", Kokkos::WithoutInitializing),
              3 * (elements + apart)),
        sums_("copse::ceilings::sums", workers_),
        // Arrays whose elements lie a multiple of 4 KiB apart conflict in the caches.
        a_(data_.data()),
        b_(a_ + elements + apart),
        c_(b_ + elements + apart) {
    // Filled by the workers that will sweep them: pages belong to the thread that touches them
    // first.
    Kokkos::parallel_for("copse::ceilings::fill", CountRange<ExecutionSpace>(space, 0, elements),
                         Fill{a_, b_, c_});
  }

  template <Stream S>
  SetRate measure(Count set, bool kept, const Effort& effort) const {
    const Arrays arrays = arrays_for(set / stream_arrays(S), kept);
    const Count elements = arrays.chunk * workers_;
    const auto run = [&](int repeats) { launch<S>(arrays, repeats); };
    const int repeats = enough_repeats(space_, effort, run);
    Kokkos::parallel_for("copse::ceilings::fill", CountRange<ExecutionSpace>(space_, 0, elements),
                         Fill{a_, b_, c_});
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
  /// From this many tiles per team of a full device on, a set is written by one team per tile; a
  /// sweep then takes much longer than a launch.
  static constexpr Count come_and_go = 16;

  Arrays arrays_for(Count bytes, bool kept) const {
    constexpr Count grain = worker_grain<ExecutionSpace>;
    const Count chunk = std::max<Count>(1, bytes / (workers_ * grain * sizeof(double))) * grain;
    return {a_, b_, c_, sums_.data(), chunk, workers_, kept ? Count{0} : Count{37}, 1};
  }

  template <Stream S>
  void launch(Arrays arrays, int repeats) const {
    arrays.repeats = repeats;
    if constexpr (runs_on_host<ExecutionSpace>) {
      Kokkos::parallel_for("copse::ceilings::stream",
                           CountRange<ExecutionSpace>(space_, 0, workers_), SweepOnHost<S>{arrays});
    } else {
      using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
      const auto sweep = [&] {
        Kokkos::parallel_for("copse::ceilings::stream",
                             Policy(space_, static_cast<int>(arrays.workers), team_threads),
                             SweepOnDevice<S, typename Policy::member_type>{arrays});
      };
      // Persistent teams drift apart until they write all over a set, which costs a seventh of the
      // memory rate; one team per tile keeps the writes close together.
      const Count tiles = arrays.chunk / worker_grain<ExecutionSpace> * arrays.workers;
      if (S == Stream::read || tiles < come_and_go * arrays.workers) return sweep();
      arrays.workers = tiles;
      arrays.chunk = worker_grain<ExecutionSpace>;
      arrays.repeats = 1;
      for (int r = 0; r < repeats; ++r) sweep();
    }
  }

  template <Stream S>
  void check(Count elements, std::uint64_t repeats) const {
    if constexpr (S == Stream::read) {
      const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums_);
      std::uint64_t found = 0;
      for (Count w = 0; w < workers_; ++w) found += sums(w);
      std::uint64_t expected = 0;
      Kokkos::parallel_reduce("copse::ceilings::check",
                              CountRange<ExecutionSpace>(space_, 0, elements), SumBits{}, expected);
      require_result<ExecutionSpace>(found == expected * repeats, "reading");
    } else {
      Count wrong = 0;
      Kokkos::parallel_reduce("copse::ceilings::check",
                              CountRange<ExecutionSpace>(space_, 0, elements), CountWrong<S>{a_},
                              wrong);
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

/// Elements of an array of so many bytes, rounded up like the sweeps.
template <class ExecutionSpace>
Count elements_for(const ExecutionSpace& space, Count bytes) {
  constexpr Count grain = worker_grain<ExecutionSpace>;  // a multiple of the widest load
  return (bytes / sizeof(double) / grain + workers(space)) * grain;
}

/// Measures all sets with one stream; the workers have first touched the parts that they sweep.
template <Stream S, class ExecutionSpace>
void sweep_sets(const ExecutionSpace& space, const std::vector<Count>& sets, const Effort& effort,
                std::vector<SetRate>& rates) {
  const Sweeps<ExecutionSpace> sweeps(space, elements_for(space, sets.back() / stream_arrays(S)));
  for (const bool kept : {true, false}) {
    if (!kept && !hands_on<ExecutionSpace>) continue;
    for (const Count set : sets) rates.push_back(sweeps.template measure<S>(set, kept, effort));
  }
}

}  // namespace

template <class ExecutionSpace>
std::vector<SetRate> measure_streams(const ExecutionSpace& space, const std::vector<Count>& sets,
                                     const Effort& effort) {
  std::vector<SetRate> rates;
  sweep_sets<Stream::read>(space, sets, effort, rates);
  sweep_sets<Stream::copy>(space, sets, effort, rates);
  sweep_sets<Stream::triad>(space, sets, effort, rates);
  return rates;
}

template <class ExecutionSpace>
StreamPeers measure_stream_peers(const ExecutionSpace& space, Count set, const Effort& effort) {
  StreamPeers peers;
  const Sweeps<ExecutionSpace> sweeps(space, elements_for(space, set));
  const auto take_best = [](double& best, double rate) { best = std::max(best, rate); };
  // Alternate, so that interference from other work affects all alike.
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
