#include <copse/backend/mpi/mpi_call.hpp>
#include <copse/backend/mpi/peer_exchange.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace copse {

namespace {

/// Maximum number of allocations that a rank exports at a time: enough for the arrays of a tree
/// build and of a table of particles.
constexpr std::size_t slots = 8;

constexpr int most_failures = 3;

using Identities = std::array<std::uint64_t, slots>;

}  // namespace

/// The message from one rank to another.
struct PeerExchange::Offer {
  bool able = false;              ///< the array can be mapped, or is empty
  int slot = -1;                  ///< index of the array's allocation in `exports`
  Identities exports{};           ///< identities of all exports of the rank; 0 where empty
  PeerMemory::Handle handle{};    ///< of the array's allocation
  std::uint64_t offset = 0;       ///< bytes from the allocation's base to the other rank's piece
  std::uint64_t stride = 0;       ///< bytes between columns
  std::uint64_t total_bytes = 0;  ///< sent by this rank to all ranks
};

/// State shared by all exchanges of a run.
struct PeerExchange::Shared {
  struct Mapping {
    std::uint64_t identity = 0;
    std::byte* base = nullptr;
  };
  std::shared_ptr<PeerMemory> memory;
  std::string reason;
  bool usable = false;
  int failures = 0;  ///< consecutive exchanges with a failed mapping
  std::array<PeerMemory::Allocation, slots> exports{};
  std::size_t next_slot = 0;
  std::vector<std::array<Mapping, slots>> mappings;  ///< [rank]

  ~Shared() { close_all(); }

  void close_all() {
    for (auto& of_rank : mappings)
      for (Mapping& mapping : of_rank) close(mapping);
  }

  void close(Mapping& mapping) {
    if (mapping.base) memory->close(mapping.base);
    mapping = {};
  }

  /// A mapping may fail temporarily: too little memory, or a small allocation that shares its block
  /// with another.
  void remember_failure() {
    if (++failures < most_failures) return;
    usable = false;
    reason = "no copies between devices: a rank could not map another's memory";
  }

  /// Removes exports whose allocations have been freed.
  void retire_exports() {
    for (auto& exported : exports) {
      if (exported.identity == 0) continue;
      const auto now = memory->allocation_of(exported.base);
      if (!now || now->identity != exported.identity) exported = {};
    }
  }

  /// The slot of an allocation; a new allocation takes an empty slot, or replaces the oldest.
  std::size_t slot_of(const PeerMemory::Allocation& allocation) {
    const auto with = [&](std::uint64_t identity) {
      const auto found = std::find_if(exports.begin(), exports.end(), [&](const auto& exported) {
        return exported.identity == identity;
      });
      return static_cast<std::size_t>(found - exports.begin());
    };
    std::size_t slot = with(allocation.identity);
    if (slot < slots) return slot;
    slot = with(0);
    if (slot == slots) slot = next_slot++ % slots;
    exports[slot] = allocation;
    return slot;
  }
};

PeerExchange::PeerExchange(MPI_Comm comm, std::shared_ptr<PeerMemory> memory)
    : comm_(comm), shared_(std::make_shared<Shared>()) {
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  member_.resize(static_cast<std::size_t>(size_));
  std::iota(member_.begin(), member_.end(), 0);
  shared_->memory = std::move(memory);
  shared_->mappings.resize(static_cast<std::size_t>(size_));
  shared_->reason = try_out();
  shared_->usable = shared_->reason.empty();
  if (shared_->usable) shared_->reason = "ranks of one node copy from each other's devices";
}

PeerExchange::PeerExchange(MPI_Comm part, const PeerExchange& whole)
    : comm_(part), shared_(whole.shared_) {
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  member_.resize(static_cast<std::size_t>(size_));
  const int me = whole.member_[static_cast<std::size_t>(whole.rank_)];
  check_mpi(MPI_Allgather(&me, 1, MPI_INT, member_.data(), 1, MPI_INT, comm_), "MPI_Allgather");
}

PeerExchange::~PeerExchange() = default;

bool PeerExchange::usable() const {
  return shared_->usable;
}

const std::string& PeerExchange::reason() const {
  return shared_->reason;
}

std::size_t PeerExchange::open_mappings() const {
  std::size_t open = 0;
  for (const auto& of_rank : shared_->mappings)
    for (const auto& mapping : of_rank) open += mapping.base != nullptr;
  return open;
}

bool PeerExchange::agreed(bool here) const {
  int all = here;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
  return all != 0;
}

/// Returns an empty string if every rank could read the data of every other rank.
std::string PeerExchange::try_out() {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  int here = 0;
  check_mpi(MPI_Comm_size(node, &here), "MPI_Comm_size");
  MPI_Comm_free(&node);
  if (!agreed(here == size_)) return "no copies between devices: ranks are on several nodes";
  if (!agreed(shared_->memory != nullptr)) return "no copies between devices: a rank has no device";

  PeerMemory& memory = *shared_->memory;
  const auto ranks = static_cast<std::size_t>(size_);
  const auto me = static_cast<std::uint64_t>(rank_);
  const std::size_t bytes = ranks * sizeof(std::uint64_t);
  // The first half is sent, the second received: rank r sends the number r P + s to rank s.
  std::byte* const room = memory.allocate(2 * bytes);
  std::vector<std::uint64_t> numbers(ranks);
  std::iota(numbers.begin(), numbers.end(), me * ranks);
  shared_->usable = room != nullptr;
  if (room) {
    memory.copy(room, numbers.data(), bytes, 0);
    memory.wait();
  }
  const auto one_each = consecutive_pieces(std::vector<Count>(ranks, 1));
  const PeerArrays arrays{.send = room,
                          .receive = room ? room + bytes : nullptr,
                          .element_bytes = sizeof(std::uint64_t)};
  bool right = begin({one_each, one_each}, arrays, 0);
  if (right) {
    finish();
    memory.copy(numbers.data(), room + bytes, bytes, 0);
    memory.wait();
    for (std::size_t r = 0; r < ranks; ++r) right = right && numbers[r] == r * ranks + me;
  }
  // All ranks must close the mappings before any rank frees the memory.
  shared_->close_all();
  right = agreed(right);
  shared_->exports = {};
  if (room) memory.release(room);
  return right ? "" : "no copies between devices: a trial failed";
}

PeerExchange::Offer PeerExchange::offer_of(const void* array, std::size_t bytes) {
  Offer offer;
  offer.total_bytes = bytes;
  if (!shared_->usable) return offer;
  shared_->retire_exports();
  offer.able = true;
  if (bytes > 0) {
    const auto allocation = shared_->memory->allocation_of(array);
    const auto handle = allocation ? shared_->memory->handle_of(*allocation) : std::nullopt;
    offer.able = handle.has_value();
    if (handle) {
      offer.slot = static_cast<int>(shared_->slot_of(*allocation));
      offer.handle = *handle;
      offer.offset =
          static_cast<std::uint64_t>(static_cast<const std::byte*>(array) - allocation->base);
    }
  }
  for (std::size_t s = 0; s < slots; ++s) offer.exports[s] = shared_->exports[s].identity;
  return offer;
}

/// Closes mappings of memory that is no longer exported and opens the wanted ones.
bool PeerExchange::open_offers(const std::vector<Offer>& offers, const std::vector<bool>& wanted) {
  for (std::size_t r = 0; r < offers.size(); ++r) {
    auto& mappings = shared_->mappings[static_cast<std::size_t>(member_[r])];
    for (std::size_t s = 0; s < slots; ++s)
      if (mappings[s].identity != offers[r].exports[s]) shared_->close(mappings[s]);
  }
  for (std::size_t r = 0; r < offers.size(); ++r) {
    if (static_cast<int>(r) == rank_ || !wanted[r]) continue;
    const auto slot = static_cast<std::size_t>(offers[r].slot);
    auto& mapping = shared_->mappings[static_cast<std::size_t>(member_[r])][slot];
    if (mapping.base) continue;
    mapping = {offers[r].exports[slot], shared_->memory->open(offers[r].handle)};
    if (!mapping.base) return false;
  }
  return true;
}

/// Exchanges the offers. Returns the same on all ranks: are all arrays mappable, and is any of them
/// large enough?
bool PeerExchange::trade(std::vector<Offer>& offers, std::size_t least_bytes) const {
  std::vector<Offer> out(offers.size());
  out.swap(offers);
  check_mpi(MPI_Alltoall(out.data(), sizeof(Offer), MPI_BYTE, offers.data(), sizeof(Offer),
                         MPI_BYTE, comm_),
            "MPI_Alltoall");
  return std::all_of(offers.begin(), offers.end(), [](const Offer& offer) { return offer.able; }) &&
         std::any_of(offers.begin(), offers.end(),
                     [&](const Offer& offer) { return offer.total_bytes >= least_bytes; });
}

/// Opens the wanted mappings. Returns false on all ranks if a mapping failed on any.
bool PeerExchange::map_offers(const std::vector<Offer>& offers, const std::vector<bool>& wanted) {
  const bool opened = open_offers(offers, wanted);
  if (!agreed(opened)) {
    shared_->remember_failure();
    return false;
  }
  shared_->failures = 0;
  return true;
}

/// The address of another rank's offered array in this process.
std::byte* PeerExchange::mapped(const std::vector<Offer>& offers, std::size_t r) const {
  const auto& mappings = shared_->mappings[static_cast<std::size_t>(member_[r])];
  return mappings[static_cast<std::size_t>(offers[r].slot)].base + offers[r].offset;
}

bool PeerExchange::begin(const ExchangePlan& plan, const PeerArrays& arrays,
                         std::size_t least_bytes) {
  const auto ranks = static_cast<std::size_t>(size_);
  Offer mine = offer_of(arrays.send, plan.send.total() * arrays.element_bytes * arrays.columns);
  mine.stride = arrays.send_stride;
  std::vector<Offer> offers(ranks, mine);
  std::vector<bool> wanted(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    offers[r].offset += plan.send.offsets[r] * arrays.element_bytes;
    wanted[r] = plan.receive.counts[r] > 0;
  }
  if (!trade(offers, least_bytes) || !map_offers(offers, wanted)) return false;

  int lane = 0;
  // The rank's own piece comes last, because it uses no link.
  for (int step = 1; step <= size_; ++step) {
    const auto from = static_cast<std::size_t>((rank_ + size_ - step) % size_);
    const std::size_t bytes = plan.receive.counts[from] * arrays.element_bytes;
    if (bytes == 0) continue;
    const std::byte* source =
        static_cast<const std::byte*>(arrays.send) + plan.send.offsets[from] * arrays.element_bytes;
    if (step < size_) source = mapped(offers, from);
    std::byte* const target =
        static_cast<std::byte*>(arrays.receive) + plan.receive.offsets[from] * arrays.element_bytes;
    for (std::size_t c = 0; c < arrays.columns; ++c)
      shared_->memory->copy(target + c * arrays.receive_stride, source + c * offers[from].stride,
                            bytes, lane++);
  }
  return true;
}

std::vector<std::byte*> PeerExchange::open_for_writing(void* array, std::size_t bytes,
                                                       std::size_t least_bytes) {
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<Offer> offers(ranks, offer_of(array, bytes));
  std::vector<bool> wanted(ranks);
  const bool worth_it = trade(offers, least_bytes);
  for (std::size_t r = 0; r < ranks; ++r) wanted[r] = offers[r].total_bytes > 0;
  if (!worth_it || !map_offers(offers, wanted)) return {};
  std::vector<std::byte*> places(ranks, nullptr);
  for (std::size_t r = 0; r < ranks; ++r)
    if (wanted[r])
      places[r] = static_cast<int>(r) == rank_ ? static_cast<std::byte*>(array) : mapped(offers, r);
  return places;
}

void PeerExchange::finish() {
  shared_->memory->wait();
  check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
}

}  // namespace copse
