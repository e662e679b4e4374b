/// \file
/// orb: orthogonal recursive bisection of a set of particles into domains of equal work.

#include "count_bandwidth.hpp"
#include "measured_build.hpp"
#include "memory_estimate.hpp"
#include "request.hpp"
#include "results.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/app/print_speeds.hpp>

#include <utility>

namespace copse::orb {
namespace {

class Orb final : public app::MiniApp {
 public:
  std::string name() const override { return "orb"; }

  std::string description() const override {
    return "Partitions particles into domains of equal size by orthogonal recursive bisection, on "
           "CPU or GPU.";
  }

  std::vector<std::string> list() const override { return list_choices(); }
  void add_options(CLI::App& cli) override { request_.declare(cli); }
  void validate(const app::CommonOptions& options) override { request_.settle(options); }

  void run(app::Session& session) override {
    request_.settle_ranks(session.ranks());
    if (session.options().dry_run) return report_memory_estimate(session, request_);
    if (request_.count_bandwidth) return measure_count_bandwidth(session, request_);
    const Communicator comm(session.comm());
    describe_run(session, comm);
    SpeedTable speeds(session, request_);
    MeasuredBuild first;
    for (const std::string& backend : request_.backends) {
      MeasuredBuild build = measure_build(session, comm, request_, backend);  // includes loading
      speeds.add(build);
      app::corruptible(build, comm);
      if (backend != request_.backends.front()) {
        if (session.options().verify)
          session.verification().require(backend + "_equals_" + first.backend,
                                         same_build(build, first, request_.variant));
        continue;
      }
      const bool sound = !session.options().verify || verify_build(session, comm, request_, build);
      if (sound) report_build(session, comm, request_, build);
      if (sound && session.options().output) write_build(session, comm, build);
      build.before = {};
      first = std::move(build);
    }
    app::print_speeds(session, speeds.table(), request_.backends.size());
    if (!request_.model.kind.empty())
      model::report_model(session, request_.model, session.total_particles(), request_.leaves,
                          speeds.runs());
  }

 private:
  void describe_run(app::Session& session, const Communicator& comm) const {
    if (request_.is_distributed(comm.size()))
      session.report().set_device_messages(comm.device_path(), comm.gpu_aware_reason());
    session.report().set_parameter(
        {"placement", name_of(request_.variant.placement), app::Parameter::Kind::text});
  }

  Request request_;
};

}  // namespace
}  // namespace copse::orb

int main(int argc, char** argv) {
  copse::orb::Orb orb;
  return copse::app::run_main(argc, argv, orb);
}
