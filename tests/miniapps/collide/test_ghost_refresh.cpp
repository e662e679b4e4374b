// Run with 1 to 4 ranks. Oracle: positions are closed formulas of a particle's id and the step, so
// a ghost's position is known without a message.
#include "collide/distributed/ghost_refresh.hpp"
#include "several_ranks.hpp"

#include <algorithm>
#include <random>
#include <vector>

using namespace copse;
using namespace copse::collide;
using namespace copse::collide::test;

namespace {

constexpr Count own_rows = 200;
constexpr Count sent_rows = 60;  ///< to the next rank

double place(Tag tag, int step, int axis) {
  return 1000.0 * id_of(tag) + 10.0 * step + axis;
}

/// The ids of rank r are those from r * own_rows on; the first `sent_rows` are sent.
Tag own_tag(int rank, Count k) {
  return static_cast<Tag>(static_cast<Count>(rank) * own_rows + k);
}

/// One rank's particles and ghosts, in an order of their own.
class Rows {
 public:
  explicit Rows(const Communicator& comm) {
    const int ranks = comm.size();
    for (Count k = 0; k < own_rows; ++k) tags_.push_back(own_tag(comm.rank(), k));
    for (Count k = 0; k < sent_rows; ++k)
      tags_.push_back(own_tag((comm.rank() + ranks - 1) % ranks, k) | ghost_bit);
  }

  std::vector<Tag>& tags() { return tags_; }

  /// Own particles are at their places of `step`, ghosts nowhere.
  State<2, Kokkos::HostSpace> state(int step) const {
    auto state = allocate_state<2, Kokkos::HostSpace>(tags_.size(), false);
    for (Count i = 0; i < tags_.size(); ++i) {
      state.tag(i) = tags_[i];
      for (int a = 0; a < 2; ++a)
        state.position(i, a) = is_ghost(tags_[i]) ? -1.0 : place(tags_[i], step, a);
    }
    return state;
  }

 private:
  std::vector<Tag> tags_;
};

template <class Reorder>
void check_refresh(const Reorder& reorder) {
  const World ranks_of_test;
  const Communicator& comm = world();
  std::vector<Count> counts(static_cast<std::size_t>(comm.size()), 0);
  counts[static_cast<std::size_t>((comm.rank() + 1) % comm.size())] = sent_rows;
  Rows rows(comm);
  using Space = Kokkos::DefaultHostExecutionSpace;
  const Kokkos::View<Tag*, Kokkos::HostSpace> sent("sent", sent_rows), ghosts("ghosts", sent_rows);
  std::copy_n(rows.tags().begin(), sent_rows, sent.data());
  std::copy_n(rows.tags().begin() + own_rows, sent_rows, ghosts.data());
  GhostRefresh<2, Space> refresh{Space()};
  refresh.set_up(comm, comm.plan_exchange(counts), sent, ghosts);
  CollectiveClock clock;
  clock.start();
  std::mt19937 random(static_cast<unsigned>(11 + comm.rank()));
  for (int step = 0; step < 5; ++step) {
    reorder(rows.tags(), random);
    const auto state = rows.state(step);
    refresh.start(state, clock);
    refresh.finish(state, clock);
    Count wrong = 0;
    for (Count i = 0; i < state.rows(); ++i) {
      wrong += state.tag(i) != rows.tags()[i] ? 1 : 0;
      for (int a = 0; a < 2; ++a)
        wrong += state.position(i, a) != place(state.tag(i), step, a) ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("Ghosts get the positions of their particles if rows keep their order", "[collide]") {
  check_refresh([](std::vector<Tag>&, std::mt19937&) {});
}

TEST_CASE("Ghosts get the positions of their particles if rows move by a few places", "[collide]") {
  check_refresh([](std::vector<Tag>& tags, std::mt19937& random) {
    for (std::size_t i = 0; i + 6 <= tags.size(); i += 6)
      std::shuffle(tags.begin() + static_cast<std::ptrdiff_t>(i),
                   tags.begin() + static_cast<std::ptrdiff_t>(i + 6), random);
  });
}

TEST_CASE("Ghosts get the positions of their particles if rows move anywhere", "[collide]") {
  check_refresh([](std::vector<Tag>& tags, std::mt19937& random) {
    std::shuffle(tags.begin(), tags.end(), random);
  });
}
