/// \file
/// fof: finds haloes as groups of friends of friends, in space or phase space.

#include "measured_linking.hpp"
#include "memory_estimate.hpp"
#include "methods.hpp"
#include "mst/tree_results.hpp"
#include "request.hpp"
#include "results.hpp"
#include "verify.hpp"
#include <copse/app/choices.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/app/session.hpp>
#include <copse/backend/mpi/communicator.hpp>

#include <utility>

namespace copse::fof {
namespace {

class FriendsOfFriends final : public app::MiniApp {
 public:
  std::string name() const override { return "fof"; }

  std::string description() const override {
    return "Finds haloes by the friends-of-friends method: links all pairs of particles closer "
           "than a linking length, in space or phase space.";
  }

  std::vector<std::string> list() const override {
    return app::list_of("methods (--method):", methods());
  }

  void add_options(CLI::App& cli) override { request_.declare(cli); }
  void validate(const app::CommonOptions& options) override { request_.settle(options); }

  void run(app::Session& session) override {
    if (session.options().dry_run) return report_estimate(session, request_);
    check_tree_request(session, request_);

    const Communicator comm(session.comm());
    const LinkedInput input = load_input(session, request_);
    report_input(session, input);

    const auto measured = measure_linkings(session, comm, request_, input);
    report_linkings(session, comm, request_, input, measured);

    verify_linkings(session, comm, input, measured);
    auto tree = grow_tree(session, comm, request_, input, measured.front().labels);
    if (!passed_everywhere(session, comm)) return;

    report_groups(session, comm, request_, input, measured.front());
    if (passed_everywhere(session, comm)) write_tree(session, request_, input, std::move(tree));
  }

 private:
  Request request_;
};

}  // namespace
}  // namespace copse::fof

int main(int argc, char** argv) {
  copse::fof::FriendsOfFriends fof;
  return copse::app::run_main(argc, argv, fof);
}
