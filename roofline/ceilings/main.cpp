/// \file
/// ceilings: measures the limits of this machine's memory, arithmetic and links, on every backend.

#include "peers.hpp"
#include "results.hpp"
#include <copse/app/mini_app.hpp>
#include <copse/app/session.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace copse::roofline {
namespace {

class CeilingsApp final : public app::MiniApp {
 public:
  std::string name() const override { return "ceilings"; }

  std::string description() const override {
    return "Measures the ceilings of rooflines on every backend: bandwidth by working set, "
           "gathers, arithmetic by precision, atomics, launches and transfers. --json writes the "
           "machine file. Options for particles have no effect; --repeat is ignored.";
  }

  void add_options(CLI::App& cli) override {
    cli_ = &cli;
    app::add_flag(cli, "--quick", quick_,
                  "Small working sets and short runs, for trying the tool only");
  }

  void validate(const app::CommonOptions& options) override {
    if (options.output)
      throw InputError("--output: ceilings writes only the machine file, see --json");
    if (options.dry_run) throw InputError("--dry-run: ceilings has nothing to estimate");
    if (quick_ && options.verify)
      throw InputError("--verify compares rates beyond all caches: do not combine it with --quick");
    only_given_ = app::is_given(*cli_, "--backend");
  }

  void run(app::Session& session) override {
    if (session.ranks() > 1)
      throw InputError("ceilings measures a whole machine from one process: run it on one rank");
    Effort effort;
    if (quick_) effort = {1, 2e-4, Count{1} << 22, 1};
    std::vector<Ceilings> all;
    for_each_backend([&](const auto& space) {
      using Space = std::decay_t<decltype(space)>;
      const std::string backend(backend_name<Space>());
      if (only_given_ && session.options().backend != backend) return;
      all.push_back(measure(session, space, effort));
    });
    auto& results = session.report().results();
    results["quick"] = quick_;
    results["ceilings"] = nlohmann::json::array();
    for (const Ceilings& c : all) {
      results["ceilings"].push_back(to_json(c));
      print(session, c);
      if (session.options().verify) compare_with_peers(c, session.verification());
      session.report().add_figure_of_merit("copy_" + c.backend, c.peers.kernel_copy, "B/s");
    }
  }

 private:
  template <class ExecutionSpace>
  static Ceilings measure(const app::Session& session, const ExecutionSpace& space,
                          const Effort& effort) {
    Ceilings c;
    c.backend = backend_name<ExecutionSpace>();
    c.on_host = runs_on_host<ExecutionSpace>;
    c.threads = static_cast<Count>(space.concurrency());
    c.levels = memory_levels(space);
    const std::vector<Count> sets = working_sets(space, effort);
    const app::Progress progress = session.progress(c.backend);
    constexpr Count parts = 6;
    Count part = 0;
    const auto done = [&] { progress(++part, parts); };
    c.sweep = measure_streams(space, sets, effort);
    done();
    const std::vector<SetRate> gathers = measure_gathers(space, sets, effort);
    c.sweep.insert(c.sweep.end(), gathers.begin(), gathers.end());
    assign_rates(c.levels, c.sweep);
    done();
    c.peers = measure_stream_peers(space, sets.back(), effort);
    done();
    c.arithmetic = measure_arithmetic(space, effort);
    done();
    c.atomics = measure_atomics(space, effort);
    done();
    c.launches = measure_launches(space, effort);
    c.transfers = measure_transfers(space, effort);
    done();
    return c;
  }

  static void print(const app::Session& session, const Ceilings& c) {
    session.print(fmt::format("{}, {} threads", c.backend, c.threads));
    app::Table bandwidth({"level", "holds", "read B/s", "copy", "triad", "random", "tree"});
    for (const MemoryLevel& level : c.levels) {
      std::vector<std::string> row{
          level.name, level.bytes == 0 ? "-" : app::format_bytes(static_cast<double>(level.bytes))};
      for (const char* stream : {"read", "copy", "triad", "random", "tree"}) {
        const double rate = c.rate(level.name, stream);
        row.push_back(rate > 0.0 ? app::format_rate(rate) : "-");
      }
      bandwidth.add_row(row);
    }
    session.print(bandwidth);
    app::Table arithmetic({"type", "shape", "operations/s"});
    for (const char* type : {"float", "double", "integer"})
      for (const char* shape : {"scalar", "vector", "thread"})
        if (c.peak(type, shape) > 0.0)
          arithmetic.add_row({type, shape, app::format_rate(c.peak(type, shape))});
    session.print(arithmetic);
    app::Table atomics({"atomics in", "counters", "additions/s"});
    for (const AtomicRate& r : c.atomics)
      atomics.add_row({r.memory, std::to_string(r.counters), app::format_rate(r.additions)});
    session.print(atomics);
    session.print(fmt::format("an empty kernel takes {} queued, {} with a fence; a reduction {}",
                              app::format_seconds(c.launches.queued),
                              app::format_seconds(c.launches.fenced),
                              app::format_seconds(c.launches.reduced)));
  }

  const CLI::App* cli_ = nullptr;  ///< while options are parsed
  bool quick_ = false;
  bool only_given_ = false;
};

}  // namespace
}  // namespace copse::roofline

int main(int argc, char** argv) {
  copse::roofline::CeilingsApp ceilings;
  return copse::app::run_main(argc, argv, ceilings);
}
