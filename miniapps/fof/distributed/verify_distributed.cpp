#include "verify_distributed.hpp"

#include "../sabotage.hpp"
#include "../species/verify_attached.hpp"
#include "../verify.hpp"

#include <array>
#include <span>

namespace copse::fof {
namespace {

bool ranks_agree(const Communicator& comm, const Friendship& rule) {
  std::array<Real, 5> least{rule.reach2, rule.velocity_factor, rule.period[0], rule.period[1],
                            rule.period[2]};
  std::array<Real, 5> most = least;
  comm.allreduce(std::span(least), Reduction::min);
  comm.allreduce(std::span(most), Reduction::max);
  return least == most;
}

/// Enters the checks of rank 0 on every rank.
void share_checks(const Communicator& comm, const app::Verification& of_root,
                  app::Verification& verification) {
  std::string names;
  std::vector<double> values;
  for (const app::Check& check : of_root.checks()) {
    names += check.name + '\n';
    values.push_back(check.value);
  }
  const Count length = comm.broadcast(Count{names.size()}, 0);
  const Count checks = comm.broadcast(Count{values.size()}, 0);
  names.resize(length);
  values.resize(checks);
  comm.broadcast(std::span(names), 0);
  comm.broadcast(std::span(values), 0);
  std::size_t begin = 0;
  for (const double value : values) {
    const std::size_t end = names.find('\n', begin);
    verification.check(names.substr(begin, end - begin), value);
    begin = end + 1;
  }
}

}  // namespace

std::string verify_distributed(app::Session& session, const Communicator& comm,
                               const LinkedInput& input, const GatheredGroups& all,
                               const std::string& sabotage) {
  session.verification().require("ranks_agree_who_are_friends",
                                 ranks_agree(comm, input.friendship));
  app::Verification of_root;
  std::string sentence;
  session.together([&] {
    if (comm.rank() != 0) return;
    if (!sabotage.empty()) apply_sabotage(sabotage_named(sabotage), all.labels);
    sentence = verify_labels(all.input, all.labels, of_root);
  });
  share_checks(comm, of_root, session.verification());
  return sentence;
}

std::string verify_attached_over_ranks(app::Session& session, const Communicator& comm,
                                       const LinkedInput& input,
                                       const GlobalLabels<Kokkos::HostSpace>& of_linked,
                                       const GlobalLabels<Kokkos::HostSpace>& labels) {
  const GatheredSpecies all = gather_species(comm, input, of_linked, labels);
  app::Verification of_root;
  std::string sentence;
  session.together([&] {
    if (comm.rank() == 0) sentence = verify_attached(all.input, all.of_linked, all.labels, of_root);
  });
  share_checks(comm, of_root, session.verification());
  return sentence;
}

}  // namespace copse::fof
