// Run with 1, 2, 3 and 4 ranks. A window of shared host memory stands for devices that map each
// other's memory. Oracle: closed formulas in source, destination and element; how many mappings are
// open is counted by the stand-in.
#include <copse/backend/mpi/peer_exchange.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <map>
#include <numeric>
#include <vector>

using namespace copse;

namespace {

/// What goes wrong on one rank.
enum class Fault { none, cannot_name, cannot_open, no_room, wrong_data };

/// In the destructor itself the check would keep nvcc's front end busy for ever.
void expect_all_closed(int open) {
  CHECK(open == 0);
}

/// Allocations in this rank's part of a shared window. A freed one's place is used again.
class WindowMemory : public PeerMemory {
 public:
  static constexpr std::size_t part_bytes = std::size_t{1} << 16;

  explicit WindowMemory(Fault fault = Fault::none) : fault_(fault) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    void* base = nullptr;
    MPI_Win_allocate_shared(part_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window_);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    base_ = static_cast<std::byte*>(base);
  }
  ~WindowMemory() override {
    expect_all_closed(open_);
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  std::optional<Allocation> allocation_of(const void* pointer) override {
    for (const auto& [base, identity] : identities_)
      if (base <= pointer && pointer < base + bytes_.at(base)) return Allocation{base, identity};
    return {};
  }
  std::optional<Handle> handle_of(const Allocation& allocation) override {
    if (fault_ == Fault::cannot_name) return {};
    Handle handle{};
    const std::uint64_t words[3] = {static_cast<std::uint64_t>(rank_),
                                    static_cast<std::uint64_t>(allocation.base - base_),
                                    allocation.identity};
    std::memcpy(handle.data(), words, sizeof(words));
    return handle;
  }
  std::byte* open(const Handle& handle) override {
    if (fault_ == Fault::cannot_open) return nullptr;
    std::uint64_t words[3];
    std::memcpy(words, handle.data(), sizeof(words));
    MPI_Aint bytes = 0;
    int unit = 0;
    void* base = nullptr;
    MPI_Win_shared_query(window_, static_cast<int>(words[0]), &bytes, &unit, &base);
    ++open_;
    ++opened_;
    return static_cast<std::byte*>(base) + words[1];
  }
  void close(std::byte*) override { --open_; }
  void copy(void* to, const void* from, std::size_t bytes, int) override {
    std::memcpy(to, from, bytes);
    if (fault_ == Fault::wrong_data) static_cast<std::byte*>(to)[0] ^= std::byte{1};
  }
  void wait() override { MPI_Win_sync(window_); }
  std::byte* allocate(std::size_t bytes) override {
    if (fault_ == Fault::no_room) return nullptr;
    std::byte* place = base_;
    for (const auto& [base, size] : bytes_)
      if (place + bytes > base) place = base + size;
    bytes_[place] = bytes;
    identities_[place] = next_identity_++;
    return place;
  }
  void release(std::byte* memory) override {
    bytes_.erase(memory);
    identities_.erase(memory);
  }

  void become(Fault fault) { fault_ = fault; }
  int open_mappings() const { return open_; }
  int opened_so_far() const { return opened_; }

 private:
  Fault fault_;
  int rank_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* base_ = nullptr;
  std::map<std::byte*, std::size_t> bytes_;
  std::map<std::byte*, std::uint64_t> identities_;
  std::uint64_t next_identity_ = 1;
  int open_ = 0;
  int opened_ = 0;
};

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Elements that rank `from` sends to rank `to`: sometimes none, from the last rank never any.
Count piece(int from, int to, int ranks) {
  return ranks > 1 && from == ranks - 1 ? 0 : static_cast<Count>((from + 2 * to) % 3 * 5);
}
std::uint32_t element(int round, int from, int to, Count k, int column) {
  return static_cast<std::uint32_t>((((round * 10 + from) * 10 + to) * 100 + column * 40) +
                                    static_cast<int>(k));
}

ExchangePlan plan_of(MPI_Comm comm) {
  const int me = rank_of(comm), ranks = size_of(comm);
  std::vector<Count> out, in;
  for (int r = 0; r < ranks; ++r) {
    out.push_back(piece(me, r, ranks));
    in.push_back(piece(r, me, ranks));
  }
  return {consecutive_pieces(out), consecutive_pieces(in)};
}

constexpr int columns = 3;

/// An array of three columns at some distance from the base of its allocation.
struct Array {
  static constexpr std::size_t header = 32;
  WindowMemory& memory;
  std::byte* base;
  Count rows;

  Array(WindowMemory& in, Count n)
      : memory(in), base(in.allocate(header + (n + 1) * columns * 4)), rows(n) {}
  ~Array() { memory.release(base); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  std::size_t stride() const { return (rows + 1) * sizeof(std::uint32_t); }
  std::uint32_t* column(int c) const {
    return reinterpret_cast<std::uint32_t*>(base + header + static_cast<std::size_t>(c) * stride());
  }
};

struct Outcome {
  bool begun;
  int wrong;
};

/// Fills `send` for this round, exchanges, and compares what came with the formula.
Outcome exchange(PeerExchange& peers, MPI_Comm comm, int round, const Array& send,
                 const Array& receive, std::size_t least_bytes = 0) {
  const int me = rank_of(comm), ranks = size_of(comm);
  const ExchangePlan plan = plan_of(comm);
  for (int c = 0; c < columns; ++c) {
    Count row = 0;
    for (int to = 0; to < ranks; ++to)
      for (Count k = 0; k < piece(me, to, ranks); ++k)
        send.column(c)[row++] = element(round, me, to, k, c);
  }
  send.memory.wait();
  const PeerArrays arrays{.send = send.column(0),
                          .receive = receive.column(0),
                          .element_bytes = sizeof(std::uint32_t),
                          .columns = columns,
                          .send_stride = send.stride(),
                          .receive_stride = receive.stride()};
  Outcome outcome{peers.begin(plan, arrays, least_bytes), 0};
  if (!outcome.begun) return outcome;
  peers.finish();
  for (int c = 0; c < columns; ++c) {
    Count row = 0;
    for (int from = 0; from < ranks; ++from)
      for (Count k = 0; k < piece(from, me, ranks); ++k)
        outcome.wrong += receive.column(c)[row++] != element(round, from, me, k, c);
  }
  return outcome;
}

}  // namespace

TEST_CASE("every piece of every column arrives, and arrays in use are mapped once") {
  const auto memory = std::make_shared<WindowMemory>();
  PeerExchange peers(MPI_COMM_WORLD, memory);
  REQUIRE(peers.usable());
  CHECK(memory->open_mappings() == 0);  // those of the trial are closed
  const ExchangePlan plan = plan_of(MPI_COMM_WORLD);
  const Array first(*memory, plan.send.total()), second(*memory, plan.send.total());
  const Array receive(*memory, plan.receive.total());
  int after_first_rounds = 0;
  for (int round = 0; round < 6; ++round) {
    const Outcome outcome =
        exchange(peers, MPI_COMM_WORLD, round, round % 2 ? second : first, receive);
    CHECK(outcome.begun);
    CHECK(outcome.wrong == 0);
    if (round == 1) after_first_rounds = memory->opened_so_far();
  }
  CHECK(memory->opened_so_far() == after_first_rounds);
  CHECK(static_cast<int>(peers.open_mappings()) == memory->open_mappings());
}

TEST_CASE(
    "memory that was freed and allocated again, elsewhere or at the same address, is mapped anew") {
  const auto memory = std::make_shared<WindowMemory>();
  PeerExchange peers(MPI_COMM_WORLD, memory);
  const ExchangePlan plan = plan_of(MPI_COMM_WORLD);
  const Array receive(*memory, plan.receive.total());
  int sources = 0;
  for (int r = 0; r < size_of(MPI_COMM_WORLD); ++r)
    sources += r != rank_of(MPI_COMM_WORLD) && plan.receive.counts[static_cast<std::size_t>(r)] > 0;
  for (int round = 0; round < 20; ++round) {
    const Array padding(*memory, static_cast<Count>(round % 3));
    const Array send(*memory, plan.send.total());
    const Outcome outcome = exchange(peers, MPI_COMM_WORLD, round, send, receive);
    CHECK(outcome.begun);
    CHECK(outcome.wrong == 0);
    CHECK(memory->open_mappings() == sources);
  }
}

TEST_CASE("more arrays than a rank exports at a time take turns") {
  const auto memory = std::make_shared<WindowMemory>();
  PeerExchange peers(MPI_COMM_WORLD, memory);
  const ExchangePlan plan = plan_of(MPI_COMM_WORLD);
  const Array receive(*memory, plan.receive.total());
  std::vector<std::unique_ptr<Array>> arrays;
  for (int i = 0; i < 11; ++i)
    arrays.push_back(std::make_unique<Array>(*memory, plan.send.total()));
  for (int round = 0; round < 33; ++round) {
    const Outcome outcome = exchange(peers, MPI_COMM_WORLD, round % 10,
                                     *arrays[static_cast<std::size_t>(round) % 11], receive);
    CHECK(outcome.begun);
    CHECK(outcome.wrong == 0);
    CHECK(memory->open_mappings() <= 8 * (size_of(MPI_COMM_WORLD) - 1));
  }
}

TEST_CASE("parts of the ranks exchange through the mappings of the whole") {
  const auto memory = std::make_shared<WindowMemory>();
  PeerExchange peers(MPI_COMM_WORLD, memory);
  for (int round = 0; round < 4; ++round) {
    MPI_Comm part = MPI_COMM_NULL;
    const int me = rank_of(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, round % 2 ? me % 2 : me / 2, -me, &part);
    {
      PeerExchange of_part(part, peers);
      const ExchangePlan plan = plan_of(part), whole = plan_of(MPI_COMM_WORLD);
      const Array send(*memory, plan.send.total()), receive(*memory, plan.receive.total());
      const Outcome outcome = exchange(of_part, part, round, send, receive);
      CHECK(outcome.begun);
      CHECK(outcome.wrong == 0);
      const Array send_all(*memory, whole.send.total()), all(*memory, whole.receive.total());
      CHECK(exchange(peers, MPI_COMM_WORLD, round, send_all, all).wrong == 0);
    }
    MPI_Comm_free(&part);
  }
}

TEST_CASE("every rank writes to the memory of every other rank, except one without memory") {
  const auto memory = std::make_shared<WindowMemory>();
  PeerExchange peers(MPI_COMM_WORLD, memory);
  const int me = rank_of(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
  const bool roomless = ranks > 1 && me == ranks - 1;
  const Array first(*memory, 4 * static_cast<Count>(ranks)), second(*memory, 5);
  for (int round = 0; round < 4; ++round) {
    // Four elements of each rank; of a column in the second round and of an array with a header.
    std::uint32_t* const mine = round % 2 ? first.column(1) : first.column(0);
    const std::size_t bytes = roomless ? 0 : 4 * static_cast<std::size_t>(ranks) * 4;
    const auto places = peers.open_for_writing(roomless ? nullptr : mine, bytes, 1);
    REQUIRE(places.size() == static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) {
      std::byte* const place = places[static_cast<std::size_t>(r)];
      CHECK((place == nullptr) == (ranks > 1 && r == ranks - 1));
      if (place == nullptr) continue;
      for (Count k = 0; k < 4; ++k) {
        const std::uint32_t value = element(round, me, r, k, 0);
        std::memcpy(place + (4 * static_cast<Count>(me) + k) * sizeof(value), &value,
                    sizeof(value));
      }
    }
    memory->wait();
    peers.finish();
    memory->wait();
    int wrong = 0;
    if (!roomless)
      for (int from = 0; from < ranks; ++from)
        for (Count k = 0; k < 4; ++k)
          wrong += mine[4 * static_cast<Count>(from) + k] != element(round, from, me, k, 0);
    CHECK(wrong == 0);
    // An exchange between uses the same mappings, and leaves them open.
    const ExchangePlan plan = plan_of(MPI_COMM_WORLD);
    const Array send(*memory, plan.send.total()), receive(*memory, plan.receive.total());
    CHECK(exchange(peers, MPI_COMM_WORLD, round, send, receive).wrong == 0);
  }
  CHECK(peers.open_for_writing(second.column(0), 20, 21).empty());
  CHECK(peers.open_for_writing(second.column(0), 20, 20).size() == static_cast<std::size_t>(ranks));
  peers.finish();
}

TEST_CASE("no rank writes to memory that its owner cannot export or a peer cannot open") {
  const auto memory = std::make_shared<WindowMemory>();
  PeerExchange peers(MPI_COMM_WORLD, memory);
  if (size_of(MPI_COMM_WORLD) == 1) SKIP("needs two ranks");
  const Array room(*memory, 8);
  for (const Fault fault : {Fault::cannot_name, Fault::cannot_open}) {
    if (rank_of(MPI_COMM_WORLD) == 1) memory->become(fault);
    CHECK(peers.open_for_writing(room.column(0), 32, 1).empty());
    memory->become(Fault::none);
  }
  CHECK_FALSE(peers.open_for_writing(room.column(0), 32, 1).empty());
  peers.finish();
}

TEST_CASE("exchanges below the threshold take the other path on all ranks") {
  const auto memory = std::make_shared<WindowMemory>();
  PeerExchange peers(MPI_COMM_WORLD, memory);
  const ExchangePlan plan = plan_of(MPI_COMM_WORLD);
  const Array send(*memory, plan.send.total()), receive(*memory, plan.receive.total());
  CHECK_FALSE(exchange(peers, MPI_COMM_WORLD, 0, send, receive, 1 << 20).begun);
  CHECK(peers.usable());
  std::uint64_t most = plan.send.total() * columns * sizeof(std::uint32_t);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  CHECK(exchange(peers, MPI_COMM_WORLD, 0, send, receive, most).begun);
  CHECK_FALSE(exchange(peers, MPI_COMM_WORLD, 0, send, receive, most + 1).begun);
}

TEST_CASE("a fault of one rank in the trial fails the trial on all ranks") {
  if (size_of(MPI_COMM_WORLD) == 1) SKIP("needs two ranks");
  for (const Fault fault :
       {Fault::cannot_name, Fault::cannot_open, Fault::no_room, Fault::wrong_data}) {
    const bool mine = rank_of(MPI_COMM_WORLD) == 1;
    const PeerExchange peers(MPI_COMM_WORLD,
                             std::make_shared<WindowMemory>(mine ? fault : Fault::none));
    CHECK_FALSE(peers.usable());
    CHECK(peers.reason().find("a trial failed") != std::string::npos);
  }
  const auto some = std::make_shared<WindowMemory>();
  const PeerExchange none(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD) == 0 ? nullptr : some);
  CHECK_FALSE(none.usable());
}

TEST_CASE(
    "memory that cannot be exported or mapped takes another path, permanently after three "
    "failures") {
  const auto memory = std::make_shared<WindowMemory>();
  PeerExchange peers(MPI_COMM_WORLD, memory);
  const int ranks = size_of(MPI_COMM_WORLD);
  if (ranks == 1) SKIP("needs two ranks");
  const ExchangePlan plan = plan_of(MPI_COMM_WORLD);
  const Array send(*memory, plan.send.total()), receive(*memory, plan.receive.total());
  if (rank_of(MPI_COMM_WORLD) == 0) memory->become(Fault::cannot_name);
  const bool named = !exchange(peers, MPI_COMM_WORLD, 0, send, receive).begun;
  CHECK(named);
  memory->become(Fault::none);
  CHECK(exchange(peers, MPI_COMM_WORLD, 1, send, receive).begun);

  const Array other(*memory, plan.send.total());
  if (rank_of(MPI_COMM_WORLD) == 1) memory->become(Fault::cannot_open);
  CHECK_FALSE(exchange(peers, MPI_COMM_WORLD, 2, other, receive).begun);
  memory->become(Fault::none);
  CHECK(exchange(peers, MPI_COMM_WORLD, 3, other, receive).begun);

  const Array another(*memory, plan.send.total());
  if (rank_of(MPI_COMM_WORLD) == 1) memory->become(Fault::cannot_open);
  for (int failure = 1; failure <= 3; ++failure) {
    CHECK(peers.usable());
    CHECK_FALSE(exchange(peers, MPI_COMM_WORLD, 4, another, receive).begun);
  }
  CHECK_FALSE(peers.usable());
  memory->become(Fault::none);
  CHECK_FALSE(exchange(peers, MPI_COMM_WORLD, 5, another, receive).begun);
}
