/// \file
/// The runtime model. Oracles: numbers printed in [Rehmann 2022] and [Rehmann draft], and
/// hand-counted bytes.

#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <cmath>
#include <orb/model/machines.hpp>
#include <orb/model/published.hpp>
#include <orb/model/report.hpp>
#include <orb/model/traffic.hpp>
#include <type_traits>
#include <utility>
#include <vector>

using namespace copse;
using namespace copse::orb::model;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr double s = coordinate_bytes(1'000'000'000);

/// [Rehmann 2022] eq. 12 as printed: sum over i = 1 ... ceil(log2 d) of i p s / B. The factor i
/// does not cancel; this is L (L + 1) / 2 sweeps' worth where eq. 13 has L.
constexpr double thesis_eq12(std::uint32_t leaves, double steps, double bytes,
                             double host_bandwidth) {
  double seconds = 0;
  for (int i = 1; i <= orb_depth(leaves); ++i) seconds += i * steps * bytes / host_bandwidth;
  return seconds;
}

/// [Rehmann draft] "naive implementation", one cut: p s / B_CPU.
constexpr double draft_cpu_cut(double steps, double bytes, double host_bandwidth) {
  return steps * bytes / host_bandwidth;
}
/// The same on the GPU: p s / B_GPU + s / I + s / B_CPU.
constexpr double draft_gpu_cut(double steps, double bytes, double host_bandwidth,
                               double device_bandwidth, double link_bandwidth) {
  return steps * bytes / device_bandwidth + bytes / link_bandwidth + bytes / host_bandwidth;
}
/// [Rehmann draft] "GPU tree building", on the CPU: log(d) p s / B_CPU, with levels = log(d).
constexpr double draft_cpu_tree(double levels, double steps, double bytes, double host_bandwidth) {
  return levels * steps * bytes / host_bandwidth;
}
/// The same on the GPU as its numbers are computed: log(d) p s / B_GPU + 2 s / I + s / B_CPU. The
/// equation itself lacks the last term.
constexpr double draft_gpu_tree(double levels, double steps, double bytes, double host_bandwidth,
                                double device_bandwidth, double link_bandwidth) {
  return levels * steps * bytes / device_bandwidth + 2 * bytes / link_bandwidth +
         bytes / host_bandwidth;
}

Machine machine(MachineTable table, std::size_t i) {
  return published_machines(table).at(i);
}

}  // namespace

TEST_CASE("the thesis' seconds and speed-ups for Piz Daint come out of its equations") {
  const Machine m = machine(MachineTable::thesis, 0);
  REQUIRE(m.name == "Piz Daint");
  const double cpu = thesis_cpu(4096, 32, s, m.host_read);
  const double counting = thesis_gpu_counting(4096, 32, s, m.device_read, m.host_to_device);
  const double partitioning = thesis_gpu_partitioning(4096, 32, s, m.device_read, m.host_to_device);
  // Eqs. 17, 18 and 20 print seven digits that are up to 1.4e-4 above the true values.
  CHECK_THAT(cpu, WithinRel(67.77406, 2e-4));
  CHECK_THAT(counting, WithinRel(10.79648, 2e-4));
  CHECK_THAT(partitioning, WithinRel(6.67085, 2e-4));
  CHECK_THAT(cpu / counting, WithinRel(6.2774, 2e-4));        // eq. 19
  CHECK_THAT(cpu / partitioning, WithinRel(10.15973, 2e-4));  // eq. 21
  CHECK_THAT(cpu, WithinRel(12.0 * 32 * 12 / 68, 1e-12));
}

TEST_CASE("the thesis' logarithm is the binary one: no other base gives its numbers") {
  // ceil(ln 4096) = 9 and ceil(log10 4096) = 4 levels instead of 12.
  for (double levels : {std::ceil(std::log(4096.0)), std::ceil(std::log10(4096.0))})
    CHECK(std::abs(levels * (32 * 12.0 / 732 + 12.0 / 32) - 10.79648) > 2);
}

TEST_CASE("the factor i of equation 12 does not cancel: it makes 78 sweeps of 12") {
  const double as_printed = thesis_eq12(4096, 32, s, 68e9);
  CHECK_THAT(as_printed / thesis_cpu(4096, 32, s, 68e9), WithinRel(78.0 / 12.0, 1e-12));
}

TEST_CASE("the draft's numbers for Piz Daint are right") {
  const Machine m = machine(MachineTable::draft, 0);
  const double cpu = draft_cpu_cut(32, s, m.host_read);
  const double gpu = draft_gpu_cut(32, s, m.host_read, m.device_read, m.host_to_device);
  CHECK_THAT(cpu, WithinAbs(5.65, 0.005));
  CHECK_THAT(gpu, WithinAbs(1.08, 0.005));
  CHECK_THAT(cpu / gpu, WithinAbs(5.25, 0.005));
  // "log(d)" is 32 there: d = 2^32.
  const double tree = draft_cpu_tree(32, 32, s, m.host_read);
  const double gpu_tree = draft_gpu_tree(32, 32, s, m.host_read, m.device_read, m.host_to_device);
  CHECK_THAT(tree, WithinAbs(180.7, 0.05));  // printed 180
  CHECK_THAT(gpu_tree, WithinAbs(17.71, 0.005));
  CHECK_THAT(tree / gpu_tree, WithinAbs(10.2, 0.005));
}

TEST_CASE("of the draft's numbers for Summit, 2.56, 70.28 and 4.95 are wrong") {
  const Machine m = machine(MachineTable::draft, 1);
  REQUIRE(m.name == "Summit");
  const double cpu = draft_cpu_cut(32, s, m.host_read);
  const double gpu = draft_gpu_cut(32, s, m.host_read, m.device_read, m.host_to_device);
  CHECK_THAT(cpu, WithinAbs(2.26, 0.005));  // printed 2.56
  CHECK_THAT(gpu, WithinAbs(0.74, 0.005));  // one GPU, although it says six
  CHECK_THAT(cpu / gpu, WithinAbs(3.06, 0.005));
  // With the two sockets and six GPUs of its own formulas:
  const double node = draft_cpu_cut(32, s, 2 * 170e9);
  const double six = draft_gpu_cut(32, s, 2 * 170e9, 6 * 900e9, 6 * 50e9);
  CHECK_THAT(node, WithinAbs(1.13, 0.005));
  CHECK_THAT(six, WithinAbs(0.146, 0.0005));
  CHECK_THAT(node / six, WithinAbs(7.71, 0.005));

  const double tree = draft_cpu_tree(32, 32, s, m.host_read);
  const double gpu_tree = draft_gpu_tree(32, 32, s, m.host_read, m.device_read, m.host_to_device);
  CHECK_THAT(tree, WithinAbs(72.28, 0.005));  // printed 70.28
  CHECK_THAT(gpu_tree, WithinAbs(14.2, 0.005));
  CHECK_THAT(tree / gpu_tree, WithinAbs(5.09, 0.005));  // printed 4.95
}

TEST_CASE("the draft's Eiger has one of its two sockets") {
  const Machine m = machine(MachineTable::draft, 2);
  CHECK_THAT(draft_cpu_tree(32, 32, s, m.host_read / 2), WithinAbs(60.0, 0.005));
  CHECK_FALSE(m.has_device());
}

TEST_CASE("the thesis' two measured counts do not have the rates that it states") {
  constexpr double bytes_read = 4.0 * (1 << 27);
  // Section 6.6 prints 560 GB/s for 1.9 ms.
  CHECK_THAT(bytes_read / 1.9e-3, WithinRel(282.6e9, 1e-3));
  // Section 4.3.4: 2.3 ms would be more than three times the memory bandwidth of 68 GB/s; the "58
  // gflops" are keys, with four operations each.
  CHECK_THAT(bytes_read / 2.3e-3, WithinRel(233.4e9, 1e-3));
  CHECK_THAT((1 << 27) / 2.3e-3, WithinRel(58e9, 1e-2));
}

TEST_CASE("the corrected table has both sockets of Summit, and differs in nothing else") {
  const auto printed = published_machines(MachineTable::thesis);
  const auto corrected = published_machines(MachineTable::corrected);
  REQUIRE(printed.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(corrected[i].host_read == printed[i].host_read * (i == 1 ? 2 : 1));
    CHECK(corrected[i].device_read == printed[i].device_read);
    CHECK(corrected[i].host_to_device == printed[i].host_to_device);
  }
}

TEST_CASE("variants move the bytes that were counted by hand for one level and for twelve") {
  if (!std::is_same_v<Real, float>) SKIP("counted for single precision");
  const auto host = [](Search search, std::uint32_t d) {
    return traffic({Placement::host, search}, Count{1} << 30, d, 32).total();
  };
  CHECK_THAT(host(Search::select, 2), WithinRel(4.4 + 4 + 4 + 16 + 16, 1e-12));
  CHECK_THAT(host(Search::select, 4096), WithinRel(12 * 44.4, 1e-12));
  CHECK_THAT(host(Search::bisection, 4096), WithinRel(12 * (32 * 4 + 40.0), 1e-12));
  CHECK_THAT(host(Search::histogram, 2), WithinRel(3 * 4 + 40.0, 1e-12));
  // Three levels per sweep, six per round, and the first round does not read row numbers; the leaf
  // number of each row is a byte written and read.
  CHECK_THAT(host(Search::fused, 2), WithinRel(12 + 1.6 + 2 + 28, 1e-12));
  CHECK(host(Search::fused, 8) == host(Search::fused, 2));
  CHECK_THAT(host(Search::fused, 64), WithinRel(2 * 13.6 + 30, 1e-12));
  CHECK_THAT(host(Search::fused, 128), WithinRel(2 * 13.6 + 30 + 13.6 + 34, 1e-12));
  CHECK_THAT(host(Search::fused, 4096), WithinRel(2 * 13.6 + 30 + 2 * 13.6 + 34, 1e-12));
  // 2^24 particles: rounds of six and of two levels, down to cells of 2^16 particles, then teams,
  // which read a key twice. Fewer than 2^21 particles are cut without a round, by three histograms
  // per level.
  const auto fused = [](Count n, std::uint32_t d) {
    return traffic({Placement::host, Search::fused}, n, d, 32).total();
  };
  CHECK_THAT(fused(1 << 24, 1 << 12), WithinRel(2 * 13.6 + 30 + 13.6 + 34 + 4 * (8 + 32.0), 1e-12));
  CHECK_THAT(fused(1 << 20, 32), WithinRel(5 * (12 + 40.0), 1e-12));
  CHECK_THAT(fused(1 << 20, 1 << 12), WithinRel(5 * (12 + 40.0) + 7 * (8 + 32.0), 1e-12));
  CHECK_THAT(fused(1 << 20, 1 << 14), WithinRel(5 * (12 + 40.0) + 9 * (8 + 32.0), 1e-12));
  // Subtrees have 2^20 rows: 2^30 particles are cut 10 times before the subtrees, 2^22 particles 4
  // times. Two threads need 16 subtrees, with an even number of levels below them.
  CHECK_THAT(host(Search::depth_first, 1024), WithinRel(10 * 44.4, 1e-12));
  CHECK_THAT(host(Search::depth_first, 4096), WithinRel(10 * 44.4 + 32, 1e-12));
  CHECK_THAT(host(Search::depth_first, 1 << 15), WithinRel(11 * 44.4 + 32, 1e-12));
  const auto depth_first = [](Count n, std::uint32_t d, Count threads) {
    Variant v{Placement::host, Search::depth_first};
    v.threads = threads;
    return traffic(v, n, d, 32).total();
  };
  CHECK_THAT(depth_first(1 << 22, 4096, 1), WithinRel(4 * 44.4 + 32, 1e-12));
  CHECK_THAT(depth_first(1 << 20, 4096, 2), WithinRel(4 * 44.4 + 32, 1e-12));
  CHECK_THAT(depth_first(1 << 20, 4096, 4), WithinRel(6 * 44.4 + 32, 1e-12));
  CHECK_THAT(depth_first(1 << 10, 8, 2), WithinRel(3 * 44.4, 1e-12));
  CHECK(host(Search::select, 1) == 0);
}

TEST_CASE("the host link carries one coordinate per level, or all three once") {
  // [Rehmann 2022] section 6.7: N ceil(log2 d) against 3 N numbers.
  for (std::uint32_t d : {2u, 8u, 4096u}) {
    const double counting =
        traffic({Placement::count_on_device, Search::bisection}, 1000, d, 32).to_device;
    const double whole = traffic({Placement::device, Search::bisection}, 1000, d, 32).to_device;
    CHECK(counting == orb_depth(d) * sizeof(Real));
    CHECK(whole == 3 * sizeof(Real));
  }
  CHECK(traffic({Placement::host, Search::bisection}, 1000, 64, 32).to_device == 0);
}

TEST_CASE("histogram rounds fix all bits of a key and shrink their bins as cells multiply") {
  if (!std::is_same_v<Real, float>) SKIP("counted for 32 bits");
  CHECK(histogram_rounds(0) == 3);
  CHECK(histogram_rounds(11) == 3);
  CHECK(histogram_rounds(12) == 4);
  CHECK(histogram_rounds(30) == 8);
}

TEST_CASE("ranks send what a simulated exchange moves") {
  // Oracle: particles with random leaves. Every cut sorts a cell's particles by side and
  // redistributes them, the i-th of n to the owner of the leaf at fraction i / n of its cell.
  constexpr int n = 1 << 18;
  struct Particle {
    std::uint32_t leaf;
    int rank;
  };
  for (const auto& [ranks, leaves] : {std::pair{2, 64u}, std::pair{3, 64u}, std::pair{4, 4096u},
                                      std::pair{5, 37u}, std::pair{8, 8u}, std::pair{7, 4u}}) {
    const auto owner = [r = std::uint64_t(ranks), d = leaves](std::uint64_t leaf) {
      return static_cast<int>(leaf * r / d);
    };
    std::vector<Particle> all(n);
    std::uint64_t random = 12345;
    for (int i = 0; i < n; ++i) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      all[i] = {static_cast<std::uint32_t>((random >> 33) % leaves),
                static_cast<int>(std::int64_t{i} * ranks / n)};
    }
    double sent = 0;
    const auto divide = [&](const auto& self, std::vector<Particle> cell, std::uint32_t first,
                            std::uint32_t d) -> void {
      if (d == 1) return;
      const std::uint32_t d_left = left_leaves(d, LeafRule::complete);
      std::vector<Particle> sides[2];
      for (const Particle& p : cell) sides[p.leaf >= first + d_left].push_back(p);
      for (int side : {0, 1}) {
        const std::uint32_t begin = side == 0 ? first : first + d_left;
        const std::uint32_t d_side = side == 0 ? d_left : d - d_left;
        for (std::size_t i = 0; i < sides[side].size(); ++i) {
          const int to = owner(begin + i * d_side / sides[side].size());
          sent += sides[side][i].rank != to;
          sides[side][i].rank = to;
        }
        self(self, sides[side], begin, d_side);
      }
    };
    divide(divide, all, 0, leaves);
    INFO(ranks << " ranks, " << leaves << " leaves");
    CHECK_THAT(sent / n, WithinAbs(rows_sent(Reshuffle::global, ranks, leaves), 0.02));
  }
  CHECK(rows_sent(Reshuffle::local, 4, 64) == 0.75);
  CHECK(rows_sent(Reshuffle::once, 8, 64) == 0.875);
  CHECK(rows_sent(Reshuffle::global, 1, 64) == 0);
  CHECK(rows_sent(Reshuffle::global, 8, 1) == 0.875);  // seven of eight ranks send all they have
  CHECK_THAT(rows_sent(Reshuffle::global, 8, 4096), WithinRel(7 / 8. + 3 / 4. + 1 / 2., 1e-12));
}

TEST_CASE("names on the command line find the variant that is modelled") {
  CHECK(modelled_variant("serial").name() == "host depth first");
  CHECK(modelled_variant("serial", "device").name() == "host select");
  CHECK(modelled_variant("serial", "fused").name() == "host fused");
  CHECK(modelled_variant("serial", "device", "histogram").name() == "host histogram");
  CHECK(modelled_variant("serial", "count-on-device", "bisection").name() == "host bisection");
  CHECK(modelled_variant("serial", "host", "quickselect").name() == "host select");
  for_each_backend([](auto space) {
    using Space = decltype(space);
    if (runs_on_host<Space>) return;
    const auto backend = backend_name<Space>();
    CHECK(modelled_variant(backend).name() == "device fused");
    CHECK(modelled_variant(backend, "host", "bisection").name() == "host bisection");
    CHECK(modelled_variant(backend, "count-on-device", "bisection").name() ==
          "count on device, bisection");
  });
}

TEST_CASE("levels that ranks share are histograms and rows with ids, the others the variant's") {
  if (!std::is_same_v<Real, float>) SKIP("counted for single precision");
  const auto on_ranks = [](Variant v, int ranks, Reshuffle reshuffle) {
    return rank_traffic(v, Count{1} << 30, 4096, 32, ranks, reshuffle);
  };
  const Variant host{Placement::host, Search::select};
  // Three histogram sweeps, the partition's count, and the move of 20 bytes per row.
  constexpr double shared = 3 * 4 + 4 + 4 + 20 + 20;
  CHECK_THAT(on_ranks(host, 1, Reshuffle::global).total(), WithinRel(12 * 44.4, 1e-12));
  CHECK_THAT(on_ranks(host, 4, Reshuffle::global).total(),
             WithinRel(2 * shared + 10 * 44.4, 1e-12));
  CHECK_THAT(on_ranks(host, 5, Reshuffle::global).total(), WithinRel(3 * shared + 9 * 44.4, 1e-12));
  CHECK_THAT(on_ranks(host, 4, Reshuffle::local).total(), WithinRel(12 * shared, 1e-12));
  CHECK_THAT(on_ranks(host, 1, Reshuffle::once).total(), WithinRel(12 * 44.4, 1e-12));
  CHECK_THAT(on_ranks(host, 2, Reshuffle::once).total(), WithinRel(shared + 11 * 44.4, 1e-12));
  CHECK_THAT(on_ranks(host, 4, Reshuffle::once).total(), WithinRel(2 * shared + 10 * 44.4, 1e-12));
  const Traffic device = on_ranks({Placement::device, Search::select}, 4, Reshuffle::global);
  CHECK(device.host_read + device.host_moved == 0);
  CHECK(device.to_device == 12);
  CHECK_THAT(device.device_read, WithinRel(2 * 16 + 10 * 8.4, 1e-12));
  CHECK_THAT(device.device_moved, WithinRel(2 * 44 + 10 * 36.0, 1e-12));
  // A device moves once: three passes per level, over one and then two coordinates; one pass that
  // finds the cells and writes the targets, which are read with the points and again with the ids.
  constexpr double move = 1 + 1 + 12 + 12 + 1 + 8 + 8;
  const Traffic two = on_ranks({Placement::device, Search::select}, 2, Reshuffle::once);
  CHECK_THAT(two.device_read, WithinRel(3 * 4 + 4 + 11 * 8.4, 1e-12));
  CHECK_THAT(two.device_moved, WithinRel(move + 11 * 36.0, 1e-12));
  const Traffic four = on_ranks({Placement::device, Search::select}, 4, Reshuffle::once);
  CHECK_THAT(four.device_read, WithinRel(3 * 4 + 3 * 8 + 8 + 10 * 8.4, 1e-12));
  CHECK_THAT(four.device_moved, WithinRel(move + 10 * 36.0, 1e-12));
}

TEST_CASE("predicted seconds are bytes over bandwidth, shared by ranks, plus what they send") {
  if (!std::is_same_v<Real, float>) SKIP("counted for single precision");
  Machine m = machine(MachineTable::corrected, 0);
  const Variant host{Placement::host, Search::select};
  CHECK_THAT(predict_seconds(m, host, 1'000'000, 4096, 32), WithinRel(12 * 44.4e6 / 68e9, 1e-12));
  CHECK_THAT(predict_seconds(m, host, 1'000'000, 4096, 32, 4),
             WithinRel((2 * 60 + 10 * 44.4) * 0.25e6 / 68e9, 1e-12));
  m.network = 10e9;
  CHECK_THAT(predict_seconds(m, host, 1'000'000, 64, 32, 2, Reshuffle::local),
             WithinRel((6 * 60 / 68e9 + 0.5 * 20 / 10e9) * 0.5e6, 1e-12));
  CHECK(predict_seconds(machine(MachineTable::corrected, 2), {Placement::device, Search::select},
                        1000, 64, 32) < 0);
}
