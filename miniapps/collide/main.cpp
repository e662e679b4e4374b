/// \file
/// collide: particles with a short-range force that move for many steps.

#include "methods.hpp"
#include "output.hpp"
#include "request.hpp"
#include "restart.hpp"
#include "simulation.hpp"
#include "start.hpp"
#include <copse/app/choices.hpp>
#include <copse/app/mini_app.hpp>

#include <fmt/format.h>

#include <optional>

namespace copse::collide {
namespace {

class Collide final : public app::MiniApp {
 public:
  std::string name() const override { return "collide"; }

  std::string description() const override {
    return "Moves particles that repel each other at short range, with all the ways to find which "
           "of them are in contact.";
  }

  std::vector<std::string> generators() const override { return start_names(); }

  std::vector<std::string> list() const override {
    return app::list_of("methods (--method):", methods());
  }

  void add_options(CLI::App& cli) override { request_.declare(cli); }
  void validate(const app::CommonOptions& options) override { request_.settle(options); }

  void run(app::Session& session) override {
    request_.settle_ranks(session.ranks());
    if (session.options().dry_run) return estimate(session);
    std::optional<Output> output;
    if (session.options().output)
      output.emplace(session.comm(), *session.options().output, request_);
    const auto simulations = simulate_all(session, request_, output ? &*output : nullptr);
    verify(session, request_, simulations);
    if (!session.verification().passed()) return;
    report(session, request_, simulations);
    if (output) output->commit();
  }

 private:
  void estimate(app::Session& session) const {
    const Count n = request_.restart.empty() ? session.options().used_particles()
                                             : particles_of_restart(request_);
    session.report_estimate(fmt::format("{} particles", n),
                            estimate_bytes(n, request_, session.options().backend));
  }

  Request request_;
};

}  // namespace
}  // namespace copse::collide

int main(int argc, char** argv) {
  copse::collide::Collide collide;
  return copse::app::run_main(argc, argv, collide);
}
