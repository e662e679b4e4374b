/// Solutions of the exercises on the runtime model.

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace copse::book {
namespace {

// [begin levels]
/// [Rehmann 2022] eq. 15 for Piz Daint and 10^9 particles: log(d) (p s / B_G + s / I_GC).
double seconds_of_counting_on_gpu(double log_d, double steps) {
  const double s = 12e9;  // bytes of all coordinates
  return std::ceil(log_d) * (steps * s / 732e9 + s / 32e9);
}

/// Eq. 12 in units of p s / B_C, as printed: the i-th of its terms has a factor i.
double sweeps_as_printed(int levels) {
  double sweeps = 0;
  for (int i = 1; i <= levels; ++i) sweeps += i;
  return sweeps;
}

/// Corrected: level i has 2^(i-1) cells, and each cell has that fraction of the bytes.
double sweeps_of_levels(int levels) {
  double sweeps = 0;
  for (int i = 1; i <= levels; ++i) {
    const double cells = std::exp2(i - 1), share = 1 / cells;
    sweeps += cells * share;
  }
  return sweeps;
}
// [end levels]

// [begin pays]
struct Node {
  double host, device, link;  // bytes per second
};

/// Seconds of a level per particle, with the counting steps on the host.
double level_on_host(const Node& node, double steps) {
  return steps * 4 / node.host;
}

/// The same with counting on the device. In each level the axis is packed (4 bytes read, 4
/// written), crosses the link, and is swept on the device.
double level_counted_on_device(const Node& node, double steps) {
  return 8 / node.host + 4 / node.link + steps * 4 / node.device;
}

/// Number of steps per cut from which counting on the device pays: the intersection of the two
/// lines.
int steps_that_pay(const Node& node) {
  const double once = 8 / node.host + 4 / node.link;
  return static_cast<int>(std::ceil(once / (4 / node.host - 4 / node.device)));
}
// [end pays]

// [begin sent]
/// The average number of times that a particle is sent in global reshuffling over P = 2^k ranks.
/// Cells lie on P ranks, then on P / 2 and so on, and the sides of a cut on half as many. Of a
/// cell's ranks only the first and the last keep rows, half of theirs: the first cut sends 1 - 1 /
/// P of all rows, the second 1 - 2 / P.
double times_sent(int ranks) {
  double sent = 0;
  for (int stay = 1; stay < ranks; stay *= 2) sent += 1 - static_cast<double>(stay) / ranks;
  return sent;
}

/// The same by moving rows: row i of n is on rank i P / n. Every level stably orders the rows of
/// each cell by its two children; rows that change rank are counted.
double times_sent_by_rows(std::size_t ranks, std::size_t n) {
  std::mt19937 random(11);
  struct Row {
    std::size_t to, at;  // the final rank and the current rank
  };
  std::vector<Row> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = {random() % ranks, i * ranks / n};
  std::size_t sent = 0;
  for (std::size_t side = ranks / 2; side > 0; side /= 2) {
    const auto child = [side](const Row& row) { return row.to / side; };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row& a, const Row& b) { return child(a) < child(b); });
    // A child's rows are divided in order among its `side` ranks.
    for (auto begin = rows.begin(); begin != rows.end();) {
      const std::size_t mine = child(*begin);
      const auto end =
          std::find_if(begin, rows.end(), [&](const Row& row) { return child(row) != mine; });
      const auto size = static_cast<std::size_t>(end - begin);
      for (std::size_t i = 0; i < size; ++i, ++begin) {
        const std::size_t rank = mine * side + i * side / size;
        sent += rank != begin->at;
        begin->at = rank;
      }
    }
  }
  return static_cast<double>(sent) / static_cast<double>(n);
}
// [end sent]

TEST_CASE("The model 1: logarithms are binary, and equation 12 lacks the cells") {
  CHECK(seconds_of_counting_on_gpu(std::log2(4096.0), 32) == Catch::Approx(10.79648).epsilon(2e-4));
  CHECK(seconds_of_counting_on_gpu(std::log(4096.0), 32) < 8.2);
  CHECK(seconds_of_counting_on_gpu(std::log10(4096.0), 32) < 3.7);
  CHECK(sweeps_as_printed(12) == 78);
  CHECK(sweeps_of_levels(12) == 12);
}

TEST_CASE("The model 2: on Piz Daint counting on the GPU pays off from five steps on") {
  const Node piz_daint{68e9, 732e9, 32e9};
  CHECK(steps_that_pay(piz_daint) == 5);
  for (int steps = 1; steps <= 64; ++steps)
    CHECK((level_counted_on_device(piz_daint, steps) < level_on_host(piz_daint, steps)) ==
          (steps >= 5));
  // With the partition, 40 bytes per level on the host, these are seconds of the chapter's table.
  const double partition = 40 / piz_daint.host, particle_levels = 12e9;
  CHECK(particle_levels * (level_on_host(piz_daint, 32) + partition) ==
        Catch::Approx(29.65).margin(0.005));
  CHECK(particle_levels * (level_counted_on_device(piz_daint, 32) + partition) ==
        Catch::Approx(12.07).margin(0.005));
  const double gain = level_on_host(piz_daint, 32) / level_counted_on_device(piz_daint, 32);
  CHECK(gain == Catch::Approx(4.5).margin(0.05));
  // Even with a link as fast as the device's memory, two copies on the host remain.
  CHECK(steps_that_pay({68e9, 732e9, 732e9}) == 3);
}

TEST_CASE("The model 3: global reshuffling sends log2 P - 1 + 1 / P times") {
  for (const int ranks : {1, 2, 4, 8, 64})
    CHECK(times_sent(ranks) == Catch::Approx(std::log2(ranks) - 1 + 1.0 / ranks));
  CHECK(times_sent(8) == Catch::Approx(7.0 / 8 + 3.0 / 4 + 1.0 / 2));
  for (const int ranks : {2, 4, 8})
    CHECK(times_sent_by_rows(static_cast<std::size_t>(ranks), 100000) ==
          Catch::Approx(times_sent(ranks)).epsilon(0.02));
}

}  // namespace
}  // namespace copse::book
