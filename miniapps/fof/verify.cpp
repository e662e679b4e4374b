#include "verify.hpp"

#include "reference.hpp"
#include "species/verify_attached.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

namespace copse::fof {
namespace {

/// Counts invalid labels: larger than the particle's own index, or the index of a particle with a
/// different label.
Count count_impossible(const Labels<Kokkos::HostSpace>& labels) {
  const Count n = labels.extent(0);
  Count wrong = 0;
  for (Count i = 0; i < n; ++i)
    if (labels(i) > i || labels(labels(i)) != labels(i))
      ++wrong;  // the first test keeps the index in range
  return wrong;
}

/// The particles between two planes across an axis, as a separate problem.
struct Slab {
  std::vector<LocalIndex> rows;
  std::vector<bool> near_plane;  ///< [rows] true within the linking length of a plane
  LinkProblem<Kokkos::HostSpace> problem;
  Box<3> box;
};

Slab cut_slab(const LinkedInput& input, Count wanted) {
  const auto& position = input.particles.position;
  const Count n = position.extent(0);
  Slab slab;
  slab.box = input.particles.box;
  const int axis = slab.box.longest_axis();
  std::vector<Real> along(n);
  for (Count i = 0; i < n; ++i) along[i] = position(i, axis);
  const Count first = (n - wanted) / 2;
  std::nth_element(along.begin(), along.begin() + static_cast<std::ptrdiff_t>(first), along.end());
  const Real low = along[first];
  std::nth_element(along.begin(), along.begin() + static_cast<std::ptrdiff_t>(first + wanted - 1),
                   along.end());
  const Real high = along[first + wanted - 1];
  const auto reach = static_cast<Real>(input.links.length * 1.001);
  for (Count i = 0; i < n; ++i) {
    const Real x = position(i, axis);
    if (x < low || x > high) continue;
    slab.rows.push_back(static_cast<LocalIndex>(i));
    slab.near_plane.push_back(x - low < reach || high - x < reach);
  }
  const LinkProblem<Kokkos::HostSpace> whole = input.problem();
  const Count rows = slab.rows.size();
  slab.problem.friendship = whole.friendship;
  slab.problem.position = Points<3, Kokkos::HostSpace>("copse::fof::slab_position", rows);
  if (whole.has_velocity())
    slab.problem.velocity = Points<3, Kokkos::HostSpace>("copse::fof::slab_velocity", rows);
  for (Count k = 0; k < rows; ++k)
    for (int a = 0; a < 3; ++a) {
      slab.problem.position(k, a) = whole.position(slab.rows[k], a);
      if (whole.has_velocity()) slab.problem.velocity(k, a) = whole.velocity(slab.rows[k], a);
    }
  return slab;
}

std::string verify_slab(const LinkedInput& input, const Labels<Kokkos::HostSpace>& labels,
                        app::Verification& verification, Count wanted) {
  const Slab slab = cut_slab(input, wanted);
  const std::vector<LocalIndex> reference = reference_labels(slab.problem, slab.box);
  const Count rows = slab.rows.size();
  // A reference group is complete if none of its members is near a plane.
  std::vector<bool> complete(rows, true);
  for (Count k = 0; k < rows; ++k)
    if (slab.near_plane[k]) complete[reference[k]] = false;
  Count torn = 0;
  for (Count k = 0; k < rows; ++k)
    if (labels(slab.rows[k]) != labels(slab.rows[reference[k]])) ++torn;
  // Group sizes in the whole input. All members of a complete group are in the slab.
  std::vector<Count> members(labels.extent(0), 0), in_slab(labels.extent(0), 0);
  for (Count i = 0; i < labels.extent(0); ++i) ++members[labels(i)];
  Count others = 0, whole = 0;
  for (Count k = 0; k < rows; ++k)
    if (complete[reference[k]]) ++in_slab[labels(slab.rows[k])];
  for (Count k = 0; k < rows; ++k)
    if (reference[k] == k && complete[k]) {
      ++whole;
      const LocalIndex label = labels(slab.rows[k]);
      if (label != slab.rows[k] || in_slab[label] != members[label]) ++others;
    }
  verification.check("friends_in_different_groups", static_cast<double>(torn));
  verification.check("groups_unlike_the_reference", static_cast<double>(others));
  // Fails if nothing was compared, for example if one group contains all particles.
  verification.require("some_groups_lie_in_the_slab", whole > 0);
  return fmt::format("verified with the {} particles of a slab that contains {} whole groups", rows,
                     whole);
}

/// Gathers a column of all ranks on rank 0; returns it unchanged on a single rank.
template <class Column>
Column gathered(const Communicator& comm, const Column& mine) {
  return comm.size() == 1 ? mine : Column(comm.gatherv(mine, 0));
}

/// The linked particles of all ranks on rank 0, in input order; empty on other ranks.
LinkedInput gather_linked(const Communicator& comm, const LinkedInput& input) {
  LinkedInput all;
  all.links = input.links;
  all.friendship = input.friendship;
  all.particles.box = input.particles.box;
  all.particles.position = gathered(comm, input.particles.position);
  all.particles.velocity = gathered(comm, input.particles.velocity);
  return all;
}

/// The input of verify_attached: positions of all species, and the indices of linked and other
/// particles.
LinkedInput gather_species(const Communicator& comm, const LinkedInput& input) {
  const Count first_row = comm.exclusive_scan(Count{input.all.size()});
  const auto gather_rows = [&](const auto& mine) {
    const auto rows = gathered(comm, mine);
    const auto rows_before = comm.gather(first_row, 0);
    const auto counts = comm.gather(Count{mine.extent(0)}, 0);
    Count k = 0;
    for (std::size_t rank = 1; rank < counts.size(); ++rank) {
      k += counts[rank - 1];
      for (Count i = k; i < k + counts[rank]; ++i)
        rows(i) += static_cast<LocalIndex>(rows_before[rank]);
    }
    return rows;
  };
  LinkedInput all;
  all.friendship = input.friendship;
  all.partial = true;
  all.all.position = gathered(comm, input.all.position);
  all.rows = gather_rows(input.rows);
  all.others = gather_rows(input.others);
  return all;
}

bool ranks_agree(const Communicator& comm, const Friendship& rule) {
  std::array<Real, 5> least{rule.reach2, rule.velocity_factor, rule.period[0], rule.period[1],
                            rule.period[2]};
  std::array<Real, 5> most = least;
  comm.allreduce(std::span(least), Reduction::min);
  comm.allreduce(std::span(most), Reduction::max);
  return least == most;
}

/// Runs the checks on rank 0, records them on every rank, and prints the returned sentence.
void check_on_root(app::Session& session, const Communicator& comm,
                   const std::function<std::string(app::Verification&)>& make_checks) {
  app::Verification of_root;
  session.together([&] {
    if (comm.rank() == 0) session.print(make_checks(of_root));
  });
  std::string names;
  std::vector<double> values;
  for (const app::Check& check : of_root.checks()) {
    names += check.name + '\n';
    values.push_back(check.value);
  }
  names.resize(comm.broadcast(Count{names.size()}, 0));
  values.resize(comm.broadcast(Count{values.size()}, 0));
  comm.broadcast(std::span(names), 0);
  comm.broadcast(std::span(values), 0);
  std::size_t begin = 0;
  for (const double value : values) {
    const std::size_t end = names.find('\n', begin);
    session.verification().check(names.substr(begin, end - begin), value);
    begin = end + 1;
  }
}

}  // namespace

std::string verify_labels(const LinkedInput& input, const Labels<Kokkos::HostSpace>& labels,
                          app::Verification& verification, Count limit) {
  const Count n = labels.extent(0);
  const Count impossible = count_impossible(labels);
  if (!verification.check("labels_that_are_no_smallest_row", static_cast<double>(impossible)))
    return "the labels are invalid; nothing else was compared";
  if (n > limit) return verify_slab(input, labels, verification, limit / 2);
  const std::vector<LocalIndex> reference = reference_labels(input.problem(), input.particles.box);
  Count torn = 0, wrong = 0;
  for (Count i = 0; i < n; ++i) {
    if (labels(i) != labels(reference[i])) ++torn;
    if (labels(i) != reference[i]) ++wrong;
  }
  verification.check("friends_in_different_groups", static_cast<double>(torn));
  verification.check("groups_unlike_the_reference", static_cast<double>(wrong));
  return fmt::format("verified all {} particles", n);
}

void check_verifiable(const app::Session& session) {
  if (!session.options().verify || session.ranks() == 1) return;
  if (session.total_particles() > largest_gathered)
    throw InputError(fmt::format(
        "--verify gathers the groups on one rank, which holds at most {} particles, not {}",
        largest_gathered, session.total_particles()));
}

void verify_linkings(app::Session& session, const Communicator& comm, const LinkedInput& input,
                     const std::vector<MeasuredLinking>& measured) {
  if (!session.options().verify) return;
  const MeasuredLinking& first = measured.front();
  const GlobalId* const labels = first.labels.data();
  for (const MeasuredLinking& m : measured) {
    if (&m == &first) continue;
    session.verification().require(
        m.name() + "_equals_" + first.name(),
        std::equal(labels, labels + first.labels.extent(0), m.labels.data()));
  }
  const LinkedInput all = gather_linked(comm, input);
  auto all_labels = narrow_labels(gathered(comm, first.labels));
  if (comm.size() > 1)
    session.verification().require("ranks_agree_who_are_friends",
                                   ranks_agree(comm, input.friendship));
  check_on_root(session, comm, [&](app::Verification& verification) {
    app::corruptible(all_labels, comm);
    return verify_labels(all, all_labels, verification);
  });
}

void verify_attached_groups(app::Session& session, const Communicator& comm,
                            const LinkedInput& input,
                            const GlobalLabels<Kokkos::HostSpace>& of_linked,
                            const GlobalLabels<Kokkos::HostSpace>& labels) {
  const LinkedInput all = gather_species(comm, input);
  const auto all_of_linked = narrow_labels(gathered(comm, of_linked));
  const auto all_labels = narrow_labels(gathered(comm, labels));
  check_on_root(session, comm, [&](app::Verification& verification) {
    return verify_attached(all, all_of_linked, all_labels, verification);
  });
}

bool passed_everywhere(app::Session& session, const Communicator& comm) {
  return comm.allreduce(session.verification().passed() ? 1 : 0, Reduction::min) > 0;
}

}  // namespace copse::fof
