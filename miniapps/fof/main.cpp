/// \file
/// fof: finds haloes as groups of friends of friends, in space or phase space.

#include "distributed/run_distributed.hpp"
#include "measured_linking.hpp"
#include "methods.hpp"
#include "request.hpp"
#include "sabotage.hpp"
#include "verify.hpp"
#include <copse/app/mini_app.hpp>
#include <copse/app/session.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace copse::fof {
namespace {

class FriendsOfFriends final : public app::MiniApp {
 public:
  std::string name() const override { return "fof"; }

  std::string description() const override {
    return "Finds haloes as groups of friends of friends: particles that are closer than a linking "
           "length, in space or phase space.";
  }

  std::vector<std::string> list() const override {
    std::vector<std::string> lines{"methods (--method):"};
    for (const MethodInfo& info : methods())
      lines.push_back(fmt::format("  {:<19}{}", info.name, info.description));
    return lines;
  }

  void add_options(CLI::App& cli) override { options_.declare(cli); }
  void validate(const app::CommonOptions& options) override {
    request_ = options_.complete(options);
  }

  void run(app::Session& session) override {
    const LinkedInput input = load_input(session, request_);
    report_input(session, input);
    if (session.ranks() > 1) return run_distributed(session, request_, input);
    std::vector<MeasuredLinking> measured;
    for (const std::string& backend : request_.backends)
      for (const std::string& method : request_.methods)
        measured.push_back(measure_linking(session, request_, input, backend, method));
    report_times(session, measured);
    check(session, input, measured);
  }

 private:
  void report_input(app::Session& session, const LinkedInput& input) const {
    auto& results = session.report().results();
    results["linking_length"] = input.links.length;
    if (input.has_velocity()) results["velocity_link"] = input.links.velocity;
    results["wrapped_particles"] = input.wrapped;
    session.print(fmt::format(
        "linking length {:.6g}{}{}", input.links.length,
        input.has_velocity() ? fmt::format(", velocity link {:.6g}", input.links.velocity) : "",
        input.particles.box.fully_periodic() ? ", periodic" : ""));
    if (input.wrapped > 0)
      session.print(
          fmt::format("{} particles were outside the periodic box: wrapped", input.wrapped));
  }

  void report_times(app::Session& session, const std::vector<MeasuredLinking>& measured) const {
    app::Table table({"method", "backend", "seconds", "tree", "link", "particles/s"});
    for (const MeasuredLinking& m : measured) {
      const double rate = static_cast<double>(m.labels.extent(0)) / m.total.median();
      table.add_row({m.method, m.backend, app::format_seconds(m.total.median()),
                     m.build.seconds.empty() ? "-" : app::format_seconds(m.build.median()),
                     app::format_seconds(m.link.median()), app::format_rate(rate)});
      const std::string suffix = measured.size() > 1 ? "_" + m.name() : "";
      session.report().add_figure_of_merit("particles_per_second" + suffix, rate, "1/s");
    }
    session.print(table);
  }

  void check(app::Session& session, const LinkedInput& input,
             const std::vector<MeasuredLinking>& measured) const {
    const MeasuredLinking& first = measured.front();
    const Count n = first.labels.extent(0);
    if (!request_.sabotage.empty()) apply_sabotage(sabotage_named(request_.sabotage), first.labels);
    if (!session.options().verify) return;
    for (const MeasuredLinking& m : measured) {
      if (&m == &first) continue;
      session.verification().require(
          m.name() + "_equals_" + first.name(),
          std::equal(m.labels.data(), m.labels.data() + n, first.labels.data()));
    }
    session.print(verify_labels(input, first.labels, session.verification()));
  }

  RequestOptions options_;
  Request request_;
};

}  // namespace
}  // namespace copse::fof

int main(int argc, char** argv) {
  copse::fof::FriendsOfFriends fof;
  return copse::app::run_main(argc, argv, fof);
}
