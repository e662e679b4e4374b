#include "verify.hpp"

#include "slabs/compare_groups.hpp"
#include <copse/app/corruptible.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace copse::fof {
namespace {

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

bool ranks_agree(const Communicator& comm, Friendship rule) {
  app::corruptible(rule, comm);
  std::array<Real, 5> least{rule.reach2, rule.velocity_factor, rule.period[0], rule.period[1],
                            rule.period[2]};
  std::array<Real, 5> most = least;
  comm.allreduce(std::span(least), Reduction::min);
  comm.allreduce(std::span(most), Reduction::max);
  return least == most;
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

bool passed_everywhere(app::Session& session, const Communicator& comm) {
  return comm.allreduce(session.verification().passed() ? 1 : 0, Reduction::min) > 0;
}

}  // namespace copse::fof
