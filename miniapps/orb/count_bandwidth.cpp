#include "count_bandwidth.hpp"

#include "count/count_left.hpp"
#include <copse/algorithms/ordered_key.hpp>
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/bisection.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace copse::orb {

namespace {

using Word = OrderedKey<Real>;

/// Device version: reads like CountBlockByPackets, without a table or a comparison. `keys` is the
/// start of an allocation, so every tile begins on a 16-byte boundary.
template <class ExecutionSpace>
struct SumBitsByPackets {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace,
                                    Kokkos::LaunchBounds<PacketShape::threads, PacketShape::teams>>;
  using Team = typename Policy::member_type;
  const Real* keys;
  Count n;
  Kokkos::View<Word, typename ExecutionSpace::memory_space> result;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count begin = static_cast<Count>(team.league_rank()) * tile_size;
    const int size = static_cast<int>(n - begin < tile_size ? n - begin : tile_size);
    Word total = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, packet_width),
        [&](int lane, Word& sum) {
          const int me = team.team_rank() * packet_width + lane;
          Quad quad[PacketShape::loads];
          if (size == tile_size) {
            const Quad* whole = reinterpret_cast<const Quad*>(keys + begin);
            for (int l = 0; l < PacketShape::loads; ++l)
              quad[l] = whole[l * PacketShape::threads + me];
          } else {
            for (int l = 0; l < PacketShape::loads; ++l)
              quad[l] = load_quad(keys + begin, size, 0, l * PacketShape::threads + me, Real{0});
          }
          for (int l = 0; l < PacketShape::loads; ++l)
            for (int k = 0; k < quad_keys; ++k) sum += Kokkos::bit_cast<Word>(quad[l].key[k]);
        },
        Kokkos::Sum<Word>(total));
    team.team_reduce(Kokkos::Sum<Word>(total));
    Kokkos::single(Kokkos::PerTeam(team), [&]() { Kokkos::atomic_add(&result(), total); });
  }
};

/// Sum of the bits of all keys as integers: reads everything, computes almost nothing, and wraps
/// around to the same result in any order.
template <class ExecutionSpace>
Word sum_of_bits(const ExecutionSpace& space, const Real* keys, Count n) {
  const Count blocks = (n + tile_size - 1) / tile_size;
  if constexpr (runs_on_host<ExecutionSpace>) {
    Word sum = 0;
    Kokkos::parallel_reduce(
        "copse::orb::read", Kokkos::RangePolicy<ExecutionSpace>(space, 0, blocks),
        [=](Count block, Word& total) {
          const Count end = std::min((block + 1) * tile_size, n);
          Word mine = 0;
          for (Count i = block * tile_size; i < end; ++i) mine += Kokkos::bit_cast<Word>(keys[i]);
          total += mine;
        },
        Kokkos::Sum<Word>(sum));
    return sum;
  } else {
    const Kokkos::View<Word, typename ExecutionSpace::memory_space> sum("copse::orb::read_sum");
    using Kernel = SumBitsByPackets<ExecutionSpace>;
    Kokkos::parallel_for("copse::orb::read",
                         typename Kernel::Policy(space, static_cast<int>(blocks),
                                                 PacketShape::packets, packet_width),
                         Kernel{keys, n, sum});
    Word result = 0;
    Kokkos::deep_copy(space, result, sum);
    return result;
  }
}

/// One row of the table: a phase, measured and reported.
class BandwidthTable {
 public:
  explicit BandwidthTable(app::Session& session) : session_(session) {}

  template <class Body>
  void add(const std::string& name, double bytes, const Body& body) {
    const std::string label = "copse::orb::bandwidth_" + name;
    session_.measure("copse::orb::bandwidth_run_" + name, [&](int) {
      const Kokkos::Profiling::ScopedRegion region(label);
      body();
    });
    session_.report().set_work(label, bytes, 0.0);
    const double rate = bytes / session_.last_samples(label).median();
    table_.add_row({name, fmt::format("{:.1f}", rate * 1e-9)});
    session_.report().results()["gigabytes_per_second"][name] = rate * 1e-9;
    if (name == "warp")
      session_.report().add_figure_of_merit("count_bandwidth", rate * 1e-9, "GB/s");
  }
  const app::Table& table() const { return table_; }

 private:
  app::Session& session_;
  app::Table table_{{"kernel", "GB/s"}};
};

template <class ExecutionSpace>
void measure_on(const ExecutionSpace& space, app::Session& session, Count cells) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  const Particles<MemorySpace> particles = session.load_particles(space);
  const Count n = particles.size();
  if (cells > n)
    throw InputError(fmt::format(
        "--count-bandwidth needs at least one particle for each of the {} cells, not {}", cells,
        n));
  const Real* keys = particles.position.data();
  const Real cut = middle_below(particles.box.lower[0], particles.box.upper[0]);

  Workspace<MemorySpace> workspace;
  CutTrials<MemorySpace> trials;
  trials.segments = workspace.template get<Segment>("bandwidth::segments", cells);
  trials.column = workspace.template get<AxisColumn>("bandwidth::column", cells);
  trials.cut = workspace.template get<Real>("bandwidth::cut", cells);
  trials.left = workspace.template get<Count>("bandwidth::left", cells);
  trials.rows = n;
  // Cells with equal numbers of particles, and one plane for all. No product overflows: particles
  // and cells are 32-bit numbers.
  Kokkos::parallel_for(
      "copse::orb::bandwidth_begin", Range(space, 0, cells), KOKKOS_LAMBDA(Count s) {
        trials.segments(s) = Segment{n * s / cells, n * (s + 1) / cells};
        trials.column(s) = AxisColumn{keys};
        trials.cut(s) = cut;
      });

  // The oracle, on the host.
  const auto column = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace{}, Kokkos::subview(particles.position, Kokkos::ALL, 0));
  const Real* host = column.data();
  std::vector<Count> expected(cells);
  Count all = 0;
  for (Count s = 0; s < cells; ++s) {
    expected[s] = static_cast<Count>(std::count_if(host + n * s / cells, host + n * (s + 1) / cells,
                                                   [&](Real x) { return x <= cut; }));
    all += expected[s];
  }
  Word bits = 0;
  for (Count i = 0; i < n; ++i) bits += Kokkos::bit_cast<Word>(host[i]);

  const double bytes = static_cast<double>(n) * sizeof(Real);
  BandwidthTable table(session);
  {
    const Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> to(
        Kokkos::view_alloc("copse::orb::bandwidth_copy", Kokkos::WithoutInitializing), n);
    const Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> from(keys, n);
    table.add("copy", 2.0 * bytes, [&] { Kokkos::deep_copy(space, to, from); });
  }
  Word read = 0;
  table.add("read", bytes, [&] { read = sum_of_bits(space, keys, n); });
  app::corruptible(read, std::string("read"));
  session.verification().require("read_is_right", read == bits);
  Count naive = 0;
  table.add("naive", bytes, [&] {
    Kokkos::parallel_reduce("copse::orb::count_naive", CountRange<ExecutionSpace>(space, 0, n),
                            CountUpTo{keys, cut}, naive);
  });
  app::corruptible(naive, std::string("naive"));
  session.verification().require("naive_counts_right", naive == all);
  for (const std::string& name : count_names()) {
    CountLeft<ExecutionSpace> count(count_named(name));
    count.prepare(space, trials, workspace);
    table.add(name, bytes, [&] {
      Kokkos::deep_copy(space, trials.left, Count{0});
      count.run(space, trials);
    });
    const auto left = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, trials.left);
    app::corruptible(left(0), name);
    Count wrong = 0;
    for (Count s = 0; s < cells; ++s) wrong += left(s) != expected[s];
    session.verification().check(name + "_counts_right", static_cast<double>(wrong));
  }
  session.print(table.table());
}

}  // namespace

void measure_count_bandwidth(app::Session& session, const Request& request) {
  dispatch_backend(session.options().backend,
                   [&](auto space) { measure_on(space, session, request.leaves); });
}

}  // namespace copse::orb
