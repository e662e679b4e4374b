#pragma once
/// \file
/// Ghosts: copies of other ranks' particles that a rank needs.
///
/// The caller provides the predicate `needs(domain, here)`: true if a rank whose particles lie in
/// the box `domain` needs anything in the box `here`. It is called with the boxes of two domains to
/// find the neighbours, and with single particles as boxes of zero extent. It must be monotone: if
/// it is true for a part of a box, it is true for the box. Ghosts keep their coordinates; the
/// caller handles periodic images.
///
/// Two-sided ghosts are sent both ways across a border. If a pair of particles must meet on only
/// one rank, one-sided ghosts suffice: of two ranks only one gets ghosts of the other
/// (`gets_ghosts`), which halves the data sent.

#include <copse/algorithms/scan.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/packet.hpp>
#include <copse/domains/counted_messages.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/particles/destination_order.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace copse {

/// True if `rank` gets one-sided ghosts of rank `from`; otherwise `from` gets those of `rank`. The
/// choice by parity gives each rank ghosts from half of the others.
constexpr bool gets_ghosts(int rank, int from) {
  return rank != from && ((rank + from) % 2 == 0) == (rank < from);
}

enum class GhostSides : std::uint8_t { one, both };

/// The tight box of the particles, lower > upper if there are none. Waits for the result.
template <class ExecutionSpace>
BoxBound<3> domain_bound(const ExecutionSpace& space,
                         const Points<3, typename ExecutionSpace::memory_space>& position) {
  BoxBound<3> bound;
  const Box<3> box = bounding_box(space, position);
  for (int a = 0; a < 3; ++a) {
    const bool any = position.extent(0) > 0;
    bound.lower[a] = any ? box.lower[a] : std::numeric_limits<Real>::infinity();
    bound.upper[a] = any ? box.upper[a] : -std::numeric_limits<Real>::infinity();
  }
  return bound;
}

/// A rank, and the box of its particles.
struct Neighbour {
  BoxBound<3> domain;
  int rank;
};

namespace detail {

/// Particles per tile: one packet on a device, one thread on a host.
inline constexpr int ghost_tile = 1024;
inline constexpr int ghost_threads = 256;
inline constexpr int ghost_packets = ghost_threads / packet_width;

/// Counts the particles that neighbours need (Place is false), or writes their indices (true).
/// Entry k * tiles + t of the table holds how many particles of tile t neighbour k needs; after the
/// scan, the output offset of the first: ordered by neighbour, then by tile.
template <class ExecutionSpace, class Needs, bool Place>
struct VisitGhosts {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<ghost_threads, 4>>;
  using Team = typename Policy::member_type;
  Points<3, MemorySpace> position;
  Kokkos::View<const Neighbour*, Kokkos::LayoutLeft, MemorySpace> neighbours;
  Needs needs;
  Count tiles;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> table;  ///< [neighbours * tiles + 1]
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> rows;

  KOKKOS_FUNCTION BoxBound<3> point(Count row) const {
    BoxBound<3> here;
    for (int a = 0; a < 3; ++a) here.lower[a] = here.upper[a] = position(row, a);
    return here;
  }

  /// Device: one packet per tile, 32 particles and up to 32 neighbours at a time. Lane k counts for
  /// neighbour k of the batch.
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count n = position.extent(0);
    const int lane = team.team_rank() % packet_width;
    const Count t =
        static_cast<Count>(team.league_rank()) * ghost_packets + team.team_rank() / packet_width;
    if (t >= tiles) return;
    const Count all = neighbours.extent(0);
    for (Count first = 0; first < all; first += packet_width) {
      const int batch = all - first < packet_width ? static_cast<int>(all - first) : packet_width;
      std::uint32_t before = 0;
      for (int round = 0; round < ghost_tile; round += packet_width) {
        const Count row = t * ghost_tile + round + lane;
        const bool used = row < n;
        const BoxBound<3> here = point(used ? row : n - 1);
        for (int k = 0; k < batch; ++k) {
          const std::uint32_t mask =
              packet_ballot(used && needs(neighbours(first + k).domain, here));
          if (mask == 0) continue;
          if (Place) {
            const Count place = table((first + k) * tiles + t) + packet_broadcast(before, k);
            const std::uint32_t below = mask & ((std::uint32_t{1} << lane) - 1);
            if ((mask >> lane) & 1)
              rows(place + Kokkos::popcount(below)) = static_cast<LocalIndex>(row);
          }
          if (lane == k) before += static_cast<std::uint32_t>(Kokkos::popcount(mask));
        }
      }
      if (!Place && lane < batch) table((first + lane) * tiles + t) = before;
    }
  }

  /// Host: one thread per tile.
  void operator()(Count t) const {
    const Count n = position.extent(0);
    const Count end = n < (t + 1) * ghost_tile ? n : (t + 1) * ghost_tile;
    for (Count k = 0; k < neighbours.extent(0); ++k) {
      Count before = 0;
      for (Count row = t * ghost_tile; row < end; ++row) {
        if (!needs(neighbours(k).domain, point(row))) continue;
        if (Place) rows(table(k * tiles + t) + before) = static_cast<LocalIndex>(row);
        ++before;
      }
      if (!Place) table(k * tiles + t) = before;
    }
  }

  void launch(const std::string& label, const ExecutionSpace& space) const {
    if constexpr (runs_on_host<ExecutionSpace>) {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles), *this);
    } else {
      const auto teams = static_cast<int>((tiles + ghost_packets - 1) / ghost_packets);
      Kokkos::parallel_for(label, Policy(space, teams, ghost_threads), *this);
    }
  }
};

/// The first entry of each neighbour in a table of `tiles` entries per neighbour.
template <class Counts>
struct ReadBegins {
  Counts table, begin;
  Count tiles;

  KOKKOS_FUNCTION void operator()(const Count k) const { begin(k) = table(k * tiles); }
};

/// Copies a column to or from 32-bit words in the records of a message.
template <class Column, class Rows, bool Pack>
struct MoveWords {
  using T = typename Column::non_const_value_type;
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  static constexpr Count words = sizeof(T) / 4;

  Column column;
  Rows rows;  ///< particles to pack; unused when unpacking
  std::uint32_t* records;
  Count stride;  ///< words per record
  Count first;   ///< this column's first word in the record

  KOKKOS_FUNCTION void operator()(const Count i) const {
    std::uint32_t* word = records + i * stride + first;
    for (std::size_t a = 0; a < column.extent(1); ++a, word += words) {
      if constexpr (Pack) {
        store(word, at(rows(i), a));
      } else {
        load(word, at(i, a));
      }
    }
  }

  KOKKOS_FUNCTION auto& at(Count row, [[maybe_unused]] std::size_t a) const {
    if constexpr (Column::rank() == 1) {
      return column(row);
    } else {
      return column(row, a);
    }
  }
  KOKKOS_FUNCTION static void store(std::uint32_t* word, const T& value) {
    if constexpr (words == 1) {
      *word = Kokkos::bit_cast<std::uint32_t>(value);
    } else {
      const auto bits = Kokkos::bit_cast<std::uint64_t>(value);
      word[0] = static_cast<std::uint32_t>(bits);
      word[1] = static_cast<std::uint32_t>(bits >> 32);
    }
  }
  KOKKOS_FUNCTION static void load(const std::uint32_t* word, T& value) {
    if constexpr (words == 1) {
      value = Kokkos::bit_cast<T>(*word);
    } else {
      value = Kokkos::bit_cast<T>(std::uint64_t{word[1]} << 32 | word[0]);
    }
  }
};

}  // namespace detail

/// The particles that each neighbour needs, by rank (`ranks` of them) and ascending; a particle
/// appears once per neighbour that needs it. Ranks of neighbours ascend.
///
/// Count, scan, write: O(n K) for K neighbours; 12 bytes per particle, read twice; 8 bytes of table
/// per neighbour and 1024 particles; 4 bytes per selected particle for the result, which belongs to
/// the workspace. The result is complete in the order of `space`.
/// \throws InputError if more are selected than a rank may hold
template <class ExecutionSpace, class Needs>
DestinationOrder<typename ExecutionSpace::memory_space> select_near(
    const ExecutionSpace& space, const Points<3, typename ExecutionSpace::memory_space>& position,
    const std::vector<Neighbour>& near, int ranks, const Needs& needs,
    Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = position.extent(0);
  DestinationOrder<MemorySpace> chosen;
  chosen.counts.assign(static_cast<std::size_t>(ranks), 0);
  if (n == 0 || near.empty()) return chosen;

  const auto neighbours = workspace.template get<Neighbour>("ghosts::neighbours", near.size());
  Kokkos::deep_copy(neighbours,
                    Kokkos::View<const Neighbour*, Kokkos::LayoutLeft, Kokkos::HostSpace>(
                        near.data(), near.size()));
  const Count tiles = (n + detail::ghost_tile - 1) / detail::ghost_tile;
  const Count slots = near.size() * tiles;
  const auto table = workspace.template get<Count>("ghosts::table", slots + 1);
  detail::VisitGhosts<ExecutionSpace, Needs, false>{position, neighbours, needs, tiles, table, {}}
      .launch("copse::domains::count_ghosts", space);
  exclusive_scan(space, Kokkos::subview(table, std::pair(Count{0}, slots)), table);
  const auto begin = workspace.template get<Count>("ghosts::begin", near.size() + 1);
  // The offset of each neighbour's particles; the last element is the total.
  Kokkos::parallel_for("copse::domains::read_begins",
                       CountRange<ExecutionSpace>(space, 0, near.size() + 1),
                       detail::ReadBegins<decltype(table)>{table, begin, tiles});
  space.fence("copse::domains::count_ghosts");
  const auto begins = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, begin);
  const Count total = begins(near.size());
  if (total > max_particles_per_rank)
    throw InputError("other ranks need too many particles of one rank: use a shorter reach");
  for (std::size_t k = 0; k < near.size(); ++k)
    chosen.counts[static_cast<std::size_t>(near[k].rank)] = begins(k + 1) - begins(k);
  const auto rows = workspace.template get<LocalIndex>("ghosts::rows", total);
  detail::VisitGhosts<ExecutionSpace, Needs, true>{position, neighbours, needs, tiles, table, rows}
      .launch("copse::domains::place_ghosts", space);
  chosen.rows = rows;
  return chosen;
}

/// The particles of rank `rank` that other ranks need as ghosts. `domains` are the boxes of all
/// ranks' particles. Costs and throws as select_near.
template <class ExecutionSpace, class Needs>
DestinationOrder<typename ExecutionSpace::memory_space> select_ghosts(
    const ExecutionSpace& space, const Points<3, typename ExecutionSpace::memory_space>& position,
    const std::vector<BoxBound<3>>& domains, int rank, GhostSides sides, const Needs& needs,
    Workspace<typename ExecutionSpace::memory_space>& workspace) {
  const auto ranks = static_cast<int>(domains.size());
  std::vector<Neighbour> near;
  for (int other = 0; other < ranks; ++other)
    if ((sides == GhostSides::both ? other != rank : gets_ghosts(other, rank)) &&
        needs(domains[static_cast<std::size_t>(other)], domains[static_cast<std::size_t>(rank)]))
      near.push_back({domains[static_cast<std::size_t>(other)], other});
  return select_near(space, position, near, ranks, needs, workspace);
}

/// A column to exchange: this rank's particles, and the destination of the ghosts received, ordered
/// by rank. Both are [n] or [n][k], with elements of 4 or 8 bytes.
template <AnyView Own, AnyView Ghosts>
struct GhostColumn {
  Own own;
  Ghosts ghosts;
};
template <AnyView Own, AnyView Ghosts>
GhostColumn(Own, Ghosts) -> GhostColumn<Own, Ghosts>;

/// The ghosts of one rank: chosen once, exchanged any number of times. Buffers stay allocated.
template <class ExecutionSpace>
class GhostLayer {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Rows = Kokkos::View<const LocalIndex*, MemorySpace>;

  explicit GhostLayer(const ExecutionSpace& space) : space_(space) {}

  /// Chooses which of this rank's particles go to which rank. Collective; costs and throws as
  /// select_near.
  template <class Needs>
  void choose(const Points<3, MemorySpace>& position, GhostSides sides, const Needs& needs,
              CountedMessages& messages) {
    const BoxBound<3> bound = domain_bound(space_, position);
    messages.clock().communicate(messages.comm(), [&] {
      domains_ = messages.comm().allgatherv(std::span<const BoxBound<3>>(&bound, 1));
    });
    auto order =
        select_ghosts(space_, position, domains_, messages.rank(), sides, needs, workspace_);
    rows_ = order.rows;
    plan_ = messages.plan(std::move(order.counts));
  }

  /// Sends the current values of the chosen particles' columns: one message per neighbour.
  /// Collective; every rank passes the same columns. Complete on return.
  template <class... Own, class... Ghosts>
  void exchange(CountedMessages& messages, const GhostColumn<Own, Ghosts>&... columns) {
    const Count stride = (words_of(columns.own) + ...);
    const Count sent = plan_.send.total(), got = plan_.receive.total();
    const auto send = workspace_.template get<std::uint32_t>("ghosts::sent", sent * stride);
    const auto receive = workspace_.template get<std::uint32_t>("ghosts::received", got * stride);
    Count first = 0;
    const auto pack = [&](const auto& column) {
      using Own_ = std::decay_t<decltype(column)>;
      Kokkos::parallel_for(
          "copse::domains::pack_ghosts", CountRange<ExecutionSpace>(space_, 0, sent),
          detail::MoveWords<Own_, Rows, true>{column, rows_, send.data(), stride, first});
      first += words_of(column);
    };
    (pack(columns.own), ...);
    space_.fence("copse::domains::pack_ghosts");
    messages.exchange({in_words(plan_.send, stride), in_words(plan_.receive, stride)}, send,
                      receive);
    first = 0;
    const auto unpack = [&](const auto& column) {
      using Ghosts_ = std::decay_t<decltype(column)>;
      Kokkos::parallel_for(
          "copse::domains::unpack_ghosts", CountRange<ExecutionSpace>(space_, 0, got),
          detail::MoveWords<Ghosts_, Rows, false>{column, {}, receive.data(), stride, first});
      first += words_of(column);
    };
    (unpack(columns.ghosts), ...);
    space_.fence("copse::domains::unpack_ghosts");
  }

  Count size() const { return plan_.receive.total(); }                  ///< ghosts received
  const Rows& rows() const { return rows_; }                            ///< particles sent
  const ExchangePlan& plan() const { return plan_; }                    ///< counts, by rank
  const std::vector<BoxBound<3>>& domains() const { return domains_; }  ///< boxes of all ranks

 private:
  template <class Column>
  static Count words_of(const Column& column) {
    return column.extent(1) * (sizeof(typename Column::value_type) / 4);
  }
  static ExchangePlan::Side in_words(ExchangePlan::Side side, Count stride) {
    for (Count& count : side.counts) count *= stride;
    for (Count& offset : side.offsets) offset *= stride;
    return side;
  }

  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
  Rows rows_;
  ExchangePlan plan_;
  std::vector<BoxBound<3>> domains_;
};

}  // namespace copse
