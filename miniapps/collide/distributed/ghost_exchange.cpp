#include "ghost_exchange.hpp"

#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace copse::collide {
namespace {

template <int D, class MemorySpace>
struct RoundPositions {
  Vectors<D, MemorySpace> from;
  Points<3, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(Count i) const {
    for (int a = 0; a < 3; ++a) to(i, a) = a < D ? static_cast<Real>(from(i, a)) : Real(0);
  }
};

template <class MemorySpace>
struct GatherTags {
  Kokkos::View<Tag*, MemorySpace> from;
  RowNumbers<MemorySpace> rows;
  Kokkos::View<Tag*, Kokkos::LayoutLeft, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(Count i) const { to(i) = from(rows(i)); }
};

/// Rows without a velocity.
template <int D, class MemorySpace>
struct StandStill {
  State<D, MemorySpace> particles;
  Count first;

  KOKKOS_FUNCTION void operator()(Count i) const {
    for (int a = 0; a < D; ++a) particles.velocity(first + i, a) = 0.0;
  }
};

/// Splits a plan whose counts each hold two numbers: returns the plan of the upper 32 bits (new
/// ghosts) and that of the lower 32 bits (deleted ghosts).
std::pair<ExchangePlan, ExchangePlan> halves_of(const ExchangePlan& plan) {
  const auto half = [](const ExchangePlan::Side& side, int shift) {
    std::vector<Count> counts;
    for (const Count both : side.counts) counts.push_back((both >> shift) & 0xffffffffU);
    return consecutive_pieces(std::move(counts));
  };
  return {{half(plan.send, 32), half(plan.receive, 32)},
          {half(plan.send, 0), half(plan.receive, 0)}};
}

}  // namespace

template <int D, class ExecutionSpace>
void GhostExchange<D, ExecutionSpace>::reset(int ranks, bool sizes) {
  sizes_ = sizes;
  const auto n = static_cast<std::size_t>(ranks);
  sent_.assign(n, {});
  held_.assign(n, {});
  size_.assign(n, {});
  theirs_.assign(n, 0);
}

template <int D, class ExecutionSpace>
Count GhostExchange<D, ExecutionSpace>::choose(const State<D, MemorySpace>& own,
                                               const std::vector<Neighbour>& neighbours,
                                               const WithinReach<D>& needs,
                                               CountedMessages& messages) {
  const Count n = own.rows();
  const Points<3, MemorySpace> rounded(
      workspace_.template get<Real>("collide::rounded", 3 * n).data(), n);
  Kokkos::parallel_for("copse::collide::round_positions", CountRange<ExecutionSpace>(space_, 0, n),
                       RoundPositions<D, MemorySpace>{own.position, rounded});
  auto order = select_near(space_, rounded, neighbours, messages.ranks(), needs, workspace_);
  if (kind_ == GhostMessages::delta) return choose_changes(own, order, messages);
  rows_ = order.rows;
  plan_ = messages.plan(std::move(order.counts));
  return plan_.receive.total();
}

template <int D, class ExecutionSpace>
ExchangePlan GhostExchange<D, ExecutionSpace>::whole_plan() const {
  if (kind_ == GhostMessages::all) return plan_;
  std::vector<Count> sent;
  for (const auto& list : sent_) sent.push_back(list.size());
  return {consecutive_pieces(std::move(sent)), consecutive_pieces(theirs_)};
}

template <int D, class ExecutionSpace>
Kokkos::View<const Tag*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>
GhostExchange<D, ExecutionSpace>::sent_tags(const State<D, MemorySpace>& own) {
  if (kind_ == GhostMessages::delta) {
    std::vector<Tag> tags;
    for (const auto& list : sent_) tags.insert(tags.end(), list.begin(), list.end());
    return upload(space_, tags, workspace_, "collide::all_sent_tags");
  }
  const auto tags = workspace_.template get<Tag>("collide::all_sent_tags", rows_.extent(0));
  Kokkos::parallel_for("copse::collide::gather_tags",
                       CountRange<ExecutionSpace>(space_, 0, rows_.extent(0)),
                       GatherTags<MemorySpace>{own.tag, rows_, tags});
  return tags;
}

template <int D, class ExecutionSpace>
Count GhostExchange<D, ExecutionSpace>::choose_changes(const State<D, MemorySpace>& own,
                                                       const DestinationOrder<MemorySpace>& order,
                                                       CountedMessages& messages) {
  const Count chosen = order.rows.extent(0);
  const auto tags = workspace_.template get<Tag>("collide::chosen_tags", chosen);
  Kokkos::parallel_for("copse::collide::gather_tags", CountRange<ExecutionSpace>(space_, 0, chosen),
                       GatherTags<MemorySpace>{own.tag, order.rows, tags});
  space_.fence("copse::collide::gather_tags");
  const std::vector<Tag> ids = download(tags);
  const std::vector<LocalIndex> rows = download(order.rows);

  const auto ranks = static_cast<std::size_t>(messages.ranks());
  std::vector<LocalIndex> moved_rows, new_rows, deleted;
  std::vector<Count> moved_counts(ranks), changed_counts(ranks);
  std::vector<std::pair<Tag, LocalIndex>> list;
  std::size_t next = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    list.clear();
    for (const std::size_t end = next + order.counts[r]; next < end; ++next)
      list.emplace_back(ids[next], rows[next]);
    std::sort(list.begin(), list.end());
    std::vector<Tag> now;
    for (const auto& [id, row] : list) now.push_back(id);
    const GhostChanges changes = changes_between(sent_[r], now);
    for (const LocalIndex place : changes.moved) moved_rows.push_back(list[place].second);
    for (const LocalIndex place : changes.added) new_rows.push_back(list[place].second);
    deleted.insert(deleted.end(), changes.deleted.begin(), changes.deleted.end());
    moved_counts[r] = changes.moved.size();
    changed_counts[r] = Count{changes.added.size()} << 32 | changes.deleted.size();
    sent_[r] = std::move(now);
  }
  const auto [added_plan, deleted_plan] = halves_of(messages.plan(std::move(changed_counts)));
  std::vector<LocalIndex> told(deleted_plan.receive.total());
  using Host = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  messages.exchange(deleted_plan, Host(deleted.data(), deleted.size()),
                    Host(told.data(), told.size()));
  std::vector<Count> expected(ranks);
  DeletedGhosts deletions;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto begin = told.begin() + static_cast<std::ptrdiff_t>(deleted_plan.receive.offsets[r]);
    const Count count = deleted_plan.receive.counts[r];
    deletions.of_rank.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
    expected[r] = theirs_[r] - count;
    theirs_[r] = expected[r] + added_plan.receive.counts[r];
  }
  app::corruptible(deletions, messages.comm());
  plan_ = {consecutive_pieces(std::move(moved_counts)), consecutive_pieces(std::move(expected))};
  rows_ = upload(space_, moved_rows, workspace_, "collide::moved_rows");
  const RecordColumns columns{.tag = true, .size = sizes_};
  new_words_ = send("new", own, upload(space_, new_rows, workspace_, "collide::new_rows"), columns,
                    added_plan, messages);
  apply(deletions, added_plan, columns);
  Count total = 0;
  for (const auto& ghosts : held_) total += ghosts.size();
  return total;
}

template <int D, class ExecutionSpace>
void GhostExchange<D, ExecutionSpace>::apply(const DeletedGhosts& deleted,
                                             const ExchangePlan& added,
                                             const RecordColumns& columns) {
  const std::vector<std::uint32_t> words = download(new_words_);
  const Count stride = columns.template words<D>();
  moved_places_.clear();
  new_places_.clear();
  LocalIndex first = 0;
  for (std::size_t r = 0; r < held_.size(); ++r) {
    std::vector<Tag> ids;
    std::vector<double> new_sizes;
    for (Count k = 0; k < added.receive.counts[r]; ++k) {
      const std::uint32_t* record = &words[(added.receive.offsets[r] + k) * stride];
      ids.push_back(record[stride - 1]);
      if (columns.size)
        new_sizes.push_back(
            Kokkos::bit_cast<double>(std::uint64_t{record[stride - 2]} << 32 | record[stride - 3]));
    }
    std::vector<double> old_sizes = std::move(size_[r]);
    if (columns.size)  // of the ghosts that stay
      for (auto place = deleted.of_rank[r].rbegin(); place != deleted.of_rank[r].rend(); ++place)
        old_sizes.erase(old_sizes.begin() + static_cast<std::ptrdiff_t>(*place));
    const GhostChanges changes = apply_changes(held_[r], deleted.of_rank[r], ids);
    if (columns.size) {
      size_[r].resize(held_[r].size());
      for (std::size_t k = 0; k < changes.moved.size(); ++k)
        size_[r][changes.moved[k]] = old_sizes[k];
      for (std::size_t k = 0; k < changes.added.size(); ++k)
        size_[r][changes.added[k]] = new_sizes[k];
    }
    for (std::size_t k = 0; k < plan_.receive.counts[r]; ++k)
      moved_places_.push_back(first + changes.moved[k]);
    for (const LocalIndex place : changes.added) new_places_.push_back(first + place);
    first += static_cast<LocalIndex>(held_[r].size());
  }
}

template <int D, class ExecutionSpace>
auto GhostExchange<D, ExecutionSpace>::send(const std::string& name,
                                            const State<D, MemorySpace>& from, const Rows& rows,
                                            const RecordColumns& columns, const ExchangePlan& plan,
                                            CountedMessages& messages) -> Words {
  const Count stride = columns.template words<D>();
  const ExchangePlan words = in_words(plan, stride);
  const auto packed =
      workspace_.template get<std::uint32_t>("collide::sent_" + name, words.send.total());
  const auto received =
      workspace_.template get<std::uint32_t>("collide::received_" + name, words.receive.total());
  Kokkos::parallel_for("copse::collide::pack_ghosts",
                       CountRange<ExecutionSpace>(space_, 0, plan.send.total()),
                       PackRecords<D, MemorySpace>{from, rows, columns, packed});
  messages.exchange(words, packed, received);
  return received;
}

template <int D, class ExecutionSpace>
void GhostExchange<D, ExecutionSpace>::exchange(const State<D, MemorySpace>& all, Count own,
                                                CountedMessages& messages) {
  const Count ghosts = all.rows() - own;
  const auto unpack = [&](const Words& words, const RecordColumns& columns, const Rows& places,
                          Count count) {
    Kokkos::parallel_for(
        "copse::collide::unpack_ghosts", CountRange<ExecutionSpace>(space_, 0, count),
        UnpackRecords<D, MemorySpace>{words, columns, all, own, places, ghost_bit});
  };
  const RecordColumns whole{.tag = true, .size = sizes_};
  const bool delta = kind_ == GhostMessages::delta;
  const RecordColumns columns = delta ? RecordColumns{} : whole;
  const Words words = send("ghosts", all, rows_, columns, plan_, messages);
  if (delta) {
    const auto range = std::pair(own, own + ghosts);
    std::vector<Tag> tags;
    std::vector<double> sizes;
    for (std::size_t r = 0; r < held_.size(); ++r) {
      for (const Tag id : held_[r]) tags.push_back(id | ghost_bit);
      sizes.insert(sizes.end(), size_[r].begin(), size_[r].end());
    }
    Kokkos::deep_copy(space_, Kokkos::subview(all.tag, range),
                      upload(space_, tags, workspace_, "collide::ghost_tags"));
    if (whole.size)
      Kokkos::deep_copy(space_, Kokkos::subview(all.size, range),
                        upload(space_, sizes, workspace_, "collide::ghost_sizes"));
    unpack(words, columns, upload(space_, moved_places_, workspace_, "collide::moved_places"),
           moved_places_.size());
    unpack(new_words_, whole, upload(space_, new_places_, workspace_, "collide::new_places"),
           new_places_.size());
  } else {
    unpack(words, columns, {}, plan_.receive.total());
  }
  Kokkos::parallel_for("copse::collide::stand_still", CountRange<ExecutionSpace>(space_, 0, ghosts),
                       StandStill<D, MemorySpace>{all, own});
  space_.fence("copse::collide::unpack_ghosts");
}

#define COPSE_INSTANTIATE(Space)          \
  template class GhostExchange<2, Space>; \
  template class GhostExchange<3, Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
