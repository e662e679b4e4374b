#include "verify.hpp"

#include "slabs/compare_groups.hpp"
#include "species/verify_attached.hpp"
#include <copse/app/corruptible.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

namespace copse::fof {
namespace {

/// Gathers a column of all ranks on rank 0; returns it unchanged on a single rank.
template <class Column>
Column gathered(const Communicator& comm, const Column& mine) {
  return comm.size() == 1 ? mine : Column(comm.gatherv(mine, 0));
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

/// Adds the checks of the labels of all ranks' particles. Collective.
std::string verify_groups(const Communicator& comm, const LinkedInput& input,
                          const GlobalLabels<Kokkos::HostSpace>& labels,
                          app::Verification& verification) {
  const GroupDifferences found = compare_groups(comm, input, labels);
  verification.check("labels_that_are_no_smallest_row", static_cast<double>(found.above_own_row));
  verification.check("friends_in_different_groups", static_cast<double>(found.torn));
  verification.check("groups_unlike_the_reference", static_cast<double>(found.unlike));
  return fmt::format("verified all {} particles in {} components",
                     comm.allreduce(Count{labels.extent(0)}, Reduction::sum), found.components);
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
                          app::Verification& verification) {
  const GlobalLabels<Kokkos::HostSpace> wide(
      Kokkos::view_alloc("copse::fof::wide_labels", Kokkos::WithoutInitializing), labels.extent(0));
  std::copy(labels.data(), labels.data() + labels.extent(0), wide.data());
  return verify_groups(Communicator(MPI_COMM_SELF), input, wide, verification);
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
  if (comm.size() > 1)
    session.verification().require("ranks_agree_who_are_friends",
                                   ranks_agree(comm, input.friendship));
  auto checked = first.labels;
  app::corruptible(checked, comm);
  session.print(verify_groups(comm, input, checked, session.verification()));
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
