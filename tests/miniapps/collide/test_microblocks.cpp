// Lists of microblocks, and what is wrong with the published ones [Li, Scott, Twigg 2012, sections
// 2.3 and 2.7] and with the published exchange of ghosts (section 2.4.3). Oracles: blocks computed
// from positions on the host, lists of the standard library, the reference of collide, and all
// interleavings of two threads.
#include "collide/methods/slots.hpp"
#include "collide/reference.hpp"
#include "collide/start.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

using namespace copse;
using namespace copse::collide;

namespace {

template <class T, class ExecutionSpace>
using Column = Kokkos::View<T*, typename ExecutionSpace::memory_space>;

/// Slots of all blocks of a grid, and the passes on them.
template <int D, class ExecutionSpace>
struct FilledSlots {
  using MemorySpace = typename ExecutionSpace::memory_space;

  CellGrid<D, double> grid;
  Vectors<D, MemorySpace> position;
  Slots<MemorySpace> slots;
  Column<LocalIndex, ExecutionSpace> slot;
  Overflow<MemorySpace> overflow;

  FilledSlots(Count rows, std::uint32_t cells, LocalIndex per_block) {
    Kokkos::Array<double, D> upper;
    for (int a = 0; a < D; ++a) upper[a] = 1.0;
    grid = CellGrid<D, double>::cover({}, upper, 0.99 / cells, false, 1000000);
    position = Vectors<D, MemorySpace>("position", rows);
    slots = {Column<SlotState, ExecutionSpace>("states", grid.size() * per_block),
             Column<LocalIndex, ExecutionSpace>("rows", grid.size() * per_block), per_block};
    slot = Column<LocalIndex, ExecutionSpace>("slot", rows);
    overflow.step = decltype(overflow.step)("overflow");
    Kokkos::deep_copy(overflow.step, Overflow<MemorySpace>::never);
  }

  void scatter(std::mt19937& random) {
    const auto host = Kokkos::create_mirror_view(position);
    for (Count i = 0; i < host.extent(0); ++i)
      for (int a = 0; a < D; ++a) host(i, a) = static_cast<double>(random()) / 4294967296.0;
    Kokkos::deep_copy(position, host);
  }

  template <class Body>
  void run(Count count, const Body& body) const {
    Kokkos::parallel_for(Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<LocalIndex>>(
                             0, static_cast<LocalIndex>(count)),
                         body);
    Kokkos::fence();
  }
  void add_rows() const {
    run(position.extent(0),
        AddRows<D, MemorySpace>{{grid, position}, slots, slot, overflow, Count{3}});
  }
  Count first_overflow() const {
    Count step;
    Kokkos::deep_copy(step, overflow.step);
    return step;
  }
  /// The rows of each block.
  std::vector<std::vector<LocalIndex>> lists() const {
    const auto state = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, slots.state);
    const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, slots.rows);
    std::vector<std::vector<LocalIndex>> found(grid.size());
    for (Count s = 0; s < state.extent(0); ++s) {
      REQUIRE(state(s) != SlotState::adding);
      if (state(s) == SlotState::full) found[s / slots.per_block].push_back(rows(s));
    }
    for (auto& list : found) std::sort(list.begin(), list.end());
    return found;
  }
  /// Every row in the block of its position, ascending.
  std::vector<std::vector<LocalIndex>> expected() const {
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, position);
    std::vector<std::vector<LocalIndex>> lists(grid.size());
    for (LocalIndex i = 0; i < x.extent(0); ++i) {
      Count block = 0, stride = 1;
      for (int a = 0; a < D; ++a) {
        block += stride * static_cast<Count>(x(i, a) * static_cast<double>(grid.cells[a]));
        stride *= grid.cells[a];
      }
      lists[block].push_back(i);
    }
    return lists;
  }
};

template <int D, class ExecutionSpace>
void check_migration(const ExecutionSpace&) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  std::mt19937 random(5);
  for (const bool by_row : {false, true}) {
    FilledSlots<D, ExecutionSpace> f(400, 4, 400);
    f.scatter(random);
    f.add_rows();
    REQUIRE(f.lists() == f.expected());
    for (int step = 0; step < 20; ++step) {
      CAPTURE(D, by_row, step);
      f.scatter(random);
      if (by_row)
        f.run(400, MigrateRow<D, MemorySpace>{
                       {f.grid, f.position}, f.slots, f.slot, f.overflow, Count{0}});
      else
        f.run(f.grid.size(),
              MigrateBlock<D, MemorySpace>{{f.grid, f.position}, f.slots, f.overflow, Count{0}});
      REQUIRE(f.lists() == f.expected());
      REQUIRE(f.first_overflow() == Overflow<MemorySpace>::never);
    }
  }
}

/// The most particles in a microblock, computed from positions.
Count fullest_block(const State<2, Kokkos::HostSpace>& state, const Physics<2>& physics) {
  std::map<std::array<double, 2>, Count> blocks;
  Count most = 0;
  for (Count i = 0; i < state.rows(); ++i) {
    std::array<double, 2> block{};
    for (int a = 0; a < 2; ++a) {
      const double side = physics.region.side[a];
      const double count = std::floor(side / (2.0 * physics.force.cutoff));
      block[a] = std::floor(std::min(state.position(i, a) / side * count, count - 1.0));
    }
    most = std::max(most, ++blocks[block]);
  }
  return most;
}

/// Calls f for each order in which two threads may make their steps; each step is a function of a
/// new state.
template <class State>
void for_each_interleaving(const std::vector<std::function<void(State&)>>& one,
                           const std::vector<std::function<void(State&)>>& other,
                           const std::function<void(const State&)>& f) {
  std::vector<int> order(one.size(), 0);
  order.resize(one.size() + other.size(), 1);
  do {
    State state;
    std::size_t next[2] = {0, 0};
    for (const int thread : order) (thread == 0 ? one : other)[next[thread]++](state);
    f(state);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace

TEST_CASE("A list of a block grows and removes as a set of rows does", "[collide]") {
  BlockRows list;
  std::multiset<LocalIndex> model;
  std::mt19937 random(3);
  for (LocalIndex row = 0; row < 1000; ++row) {
    list.add(row);
    model.insert(row);
    if (random() % 3 == 0) {
      const LocalIndex gone = list.remove_at(static_cast<LocalIndex>(random() % list.size()));
      REQUIRE(model.erase(gone) == 1);
    }
    std::multiset<LocalIndex> found;
    for (LocalIndex k = 0; k < list.size(); ++k) found.insert(list[k]);
    REQUIRE(found == model);
  }
}

TEST_CASE("A full block refuses rows and says so; those it took are each in one slot",
          "[collide]") {
  for_each_backend([](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    FilledSlots<2, Space> f(1000, 1, 64);  // one block
    f.add_rows();
    REQUIRE(f.first_overflow() == 3);
    const auto rows = f.lists().front();
    CHECK(rows.size() == 64);
    CHECK(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
    const auto slot = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, f.slot);
    Count refused = 0;
    for (Count i = 0; i < 1000; ++i)
      refused += slot(i) == Slots<typename Space::memory_space>::none;
    CHECK(refused == 1000 - 64);  // which section 2.7.2 drops
  });
}

TEST_CASE("After jumps of any length every row is once in the block of its position", "[collide]") {
  for_each_backend([](const auto& space) {
    check_migration<2>(space);
    check_migration<3>(space);
  });
}

TEST_CASE("Particles that meet in one block in the middle of a run move as in the reference",
          "[collide]") {
  // They fly towards one point and are there after 21 steps, so blocks overflow within a call of
  // advance().
  app::CommonOptions common;
  common.generate = "gas";
  common.backend = "serial";
  Request request;
  request.force_name = "soft-sphere";
  request.temperature = 0.0;
  request.settle(common);
  Start<2> start = gas_start<2>(request, 300, 1);
  const Physics<2> physics = request.physics(start.region);
  for (Count i = 0; i < 300; ++i)
    for (int a = 0; a < 2; ++a)
      start.state.velocity(i, a) =
          (0.3 * start.region.side[a] - start.state.position(i, a)) / (21 * physics.dt);
  for (const int steps : {20, 21, 22, 40}) {
    auto expected = copy_state<Kokkos::HostSpace>(start.state);
    Count most = 0;                       // contacts of a step
    Count slots = 4, slots_of_steps = 0;  // of a block
    for (int s = 0; s < steps; ++s) {
      while (slots < fullest_block(expected, physics)) slots *= 2;
      slots_of_steps += slots;
      const auto contacts = find_reference_contacts(expected, physics);
      most = std::max<Count>(most, contacts.partners.size());
      reference_step(expected, physics, contacts);
    }
    if (steps == 40) CHECK(most > 10000);
    const double mean_slots = static_cast<double>(slots_of_steps) / steps;
    for_each_backend([&](const auto& space) {
      using MemorySpace = typename std::decay_t<decltype(space)>::memory_space;
      for (const char* variant : slots_variant_names) {
        CAPTURE(steps, variant);
        request.slots_variant = variant;
        const auto method = make_method<2>("microblocks-slots", space, physics, request);
        method->load(copy_state<MemorySpace>(start.state));
        method->advance(static_cast<Count>(steps));
        CHECK(method->figures().at("slots_per_block") == mean_slots);
        const auto found = by_id(method->state());
        for (Count i = 0; i < 300; ++i)
          for (int a = 0; a < 2; ++a) {
            const double mine[] = {found.position(i, a), found.velocity(i, a)};
            const double theirs[] = {expected.position(i, a), expected.velocity(i, a)};
            REQUIRE(std::memcmp(mine, theirs, sizeof mine) == 0);
          }
      }
    });
  }
}

TEST_CASE("A list that is read without its lock, as published, is read after it was freed",
          "[collide]") {
  // Thread 0 reads the list of its block. Thread 1 adds to it under a lock that thread 0 does not
  // take: a larger array, the old one freed.
  struct List {
    bool freed[2] = {false, false};
    int array = 0;  // in use
    int seen = -1;
    bool read_freed = false;
  };
  using Steps = std::vector<std::function<void(List&)>>;
  const auto look = [](List& l) { l.seen = l.array; };
  const auto read = [](List& l) { l.read_freed = l.freed[l.seen]; };
  const auto replace = [](List& l) { l.array = 1; };
  const auto free_old = [](List& l) { l.freed[0] = true; };
  int orders = 0, faults = 0;
  const std::function<void(const List&)> count = [&](const List& l) {
    ++orders;
    faults += l.read_freed;
  };
  for_each_interleaving<List>(Steps{look, read}, Steps{replace, free_old}, count);
  CHECK(orders == 6);
  CHECK(faults == 1);
  // Under the lock both are one step of their threads.
  orders = faults = 0;
  for_each_interleaving<List>(Steps{[&](List& l) { look(l), read(l); }},
                              Steps{[&](List& l) { replace(l), free_old(l); }}, count);
  CHECK(orders == 2);
  CHECK(faults == 0);
}

TEST_CASE(
    "A slot that becomes FULL before its row is written, as without a fence, gives a stale row",
    "[collide]") {
  struct Slot {
    SlotState state = SlotState::adding;
    int row = 7;  // a particle that left
    bool is_full = false;
    int seen = -1;
  };
  using Steps = std::vector<std::function<void(Slot&)>>;
  const auto write = [](Slot& s) { s.row = 8; };
  const auto publish = [](Slot& s) { s.state = SlotState::full; };
  const Steps reader{[](Slot& s) { s.is_full = s.state == SlotState::full; },
                     [](Slot& s) { s.seen = s.is_full ? s.row : -1; }};
  int stale = 0;
  const std::function<void(const Slot&)> count = [&](const Slot& s) { stale += s.seen == 7; };
  for_each_interleaving<Slot>(Steps{write, publish}, reader, count);
  CHECK(stale == 0);
  // Without a fence the stores may become visible in the other order, and then the particle that
  // left is moved twice.
  for_each_interleaving<Slot>(Steps{publish, write}, reader, count);
  CHECK(stale == 1);
}

TEST_CASE(
    "Ghosts that a region gets while its thread sends its particles, as published, are sent on",
    "[collide]") {
  // The region has particle 1 and room for a ghost. Its thread sends what it finds in two places;
  // its neighbour writes ghost 2 to the second place, or to a box of its own.
  struct Region {
    int rows[2] = {1, -1};
    int count = 1;
    int box = -1;
    std::vector<int> sent;
  };
  using Steps = std::vector<std::function<void(Region&)>>;
  const auto send = [](int place) {
    return [place](Region& r) {
      if (place < r.count) r.sent.push_back(r.rows[place]);
    };
  };
  const Steps sender{send(0), send(1)};
  const auto write = [](Region& r) { r.rows[1] = 2; };
  const auto enlarge = [](Region& r) { r.count = 2; };
  int orders = 0, ghosts = 0, unwritten = 0;
  const std::function<void(const Region&)> count = [&](const Region& r) {
    ++orders;
    ghosts += static_cast<int>(std::count(r.sent.begin(), r.sent.end(), 2));
    unwritten += static_cast<int>(std::count(r.sent.begin(), r.sent.end(), -1));
  };
  for_each_interleaving<Region>(sender, Steps{write, enlarge}, count);
  CHECK(orders == 6);
  CHECK(ghosts == 3);
  for_each_interleaving<Region>(sender, Steps{enlarge, write}, count);
  CHECK(unwritten > 0);
  orders = ghosts = unwritten = 0;
  for_each_interleaving<Region>(sender, Steps{[](Region& r) { r.box = 2; }}, count);
  CHECK(orders == 3);
  CHECK(ghosts + unwritten == 0);
}

TEST_CASE(
    "One kernel whose passes are separated within thread blocks only breaks Newton's third law",
    "[collide]") {
  // Two particles in contact, in two thread blocks. The kernel of section 2.7.3 may run one thread
  // block to its end before the other begins: its particle then has moved.
  Physics<2> physics;
  physics.region.side = {1.0, 1.0};
  const auto momentum_after = [&](bool barrier) {
    auto state = allocate_state<2, Kokkos::HostSpace>(2, false);
    for (LocalIndex i = 0; i < 2; ++i) {
      state.tag(i) = i;
      for (int a = 0; a < 2; ++a) state.velocity(i, a) = 0.0;
      state.position(i, 0) = 0.5 + 0.005 * i;
      state.position(i, 1) = 0.5;
    }
    const Pairs<2, Kokkos::HostSpace> pairs{state, physics};
    Vector<2> acceleration[2];
    const auto force = [&](LocalIndex i) {
      const LocalIndex j = 1 - i;
      acceleration[i] = {};
      Contact<2> contact;
      if (pairs.meet(i, pairs.position(i), j, contact)) pairs.pull(contact, acceleration[i]);
    };
    const auto move = [&](LocalIndex i) {
      Vector<2> x = pairs.position(i), v{};
      pairs.move(acceleration[i], x, v);
      for (int a = 0; a < 2; ++a) {
        state.position(i, a) = x[a];
        state.velocity(i, a) = v[a];
      }
    };
    for (const LocalIndex i : {0U, 1U}) {
      force(i);
      if (!barrier) move(i);
    }
    if (barrier)
      for (const LocalIndex i : {0U, 1U}) move(i);
    return state.velocity(0, 0) + state.velocity(1, 0);
  };
  CHECK(momentum_after(true) == 0.0);
  CHECK(momentum_after(false) != 0.0);
}
