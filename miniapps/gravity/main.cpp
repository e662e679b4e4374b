/// \file
/// gravity: accelerations and potentials of N bodies by tree walks.

#include "methods.hpp"
#include "motion/evolution.hpp"
#include "motion/restart.hpp"
#include "output.hpp"
#include "remote/over_ranks.hpp"
#include "remote/repeats.hpp"
#include "request.hpp"
#include "solution.hpp"
#include <copse/app/choices.hpp>
#include <copse/app/mini_app.hpp>

#include <fmt/format.h>

namespace copse::gravity {
namespace {

class Gravity final : public app::MiniApp {
 public:
  std::string name() const override { return "gravity"; }

  std::string description() const override {
    return "Computes the accelerations and potentials of N bodies with the Barnes-Hut algorithm "
           "and its relatives.";
  }

  std::vector<std::string> list() const override {
    return app::list_of("methods (--method):", methods());
  }

  void add_options(CLI::App& cli) override { request_.declare(cli); }
  void validate(const app::CommonOptions& options) override { request_.settle(options); }

  void run(app::Session& session) override {
    request_.settle_ranks(session.ranks(), session.options());
    session.together([&] {
      if (session.options().output && session.is_root())
        check_output(*session.options().output, request_);
    });
    if (session.options().dry_run) return estimate(session);
    if (request_.count_repeats) return count_repeats(session, request_);
    if (request_.steps > 0) return evolve(session, request_);
    if (request_.remote != "none") return solve_over_ranks(session, request_);
    const auto solutions = solve_all(session, request_);
    verify(session, request_, solutions);
    if (!session.verification().passed()) return;
    report(session, request_, solutions);
    if (session.options().output)
      write_fields(*session.options().output, request_, solutions.front());
  }

 private:
  void estimate(app::Session& session) const {
    const Count n = request_.restart.empty() ? session.options().used_particles()
                                             : bodies_of_restart(request_.restart);
    session.report_estimate(fmt::format("{} bodies", n),
                            estimate_bytes(n, request_, session.options().backend));
  }

  Request request_;
};

}  // namespace
}  // namespace copse::gravity

int main(int argc, char** argv) {
  copse::gravity::Gravity gravity;
  return copse::app::run_main(argc, argv, gravity);
}
