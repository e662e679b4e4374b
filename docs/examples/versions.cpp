/// \file
/// versions: measures each version of the book's kernels. Its reports are the chapters' tables.

#include "measured.hpp"
#include <copse/app/command_line.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/app/session.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace copse::book {
namespace {

constexpr Count most_rows = Count{1} << 30;
constexpr Count point_bytes = 3 * sizeof(Real);

// [begin kernels]
constexpr MeasuredKernel kernels[] = {
    {"count-left", point_bytes, measure_count_left},  // name, bytes per row, measuring function
    {"find-rank", point_bytes + 20, measure_find_rank},
    {"gather-rows", 2 * point_bytes + 136, measure_gather_rows},
    {"join-links", point_bytes + 36, measure_join_links},
    {"send-rows", 3 * point_bytes + 36, measure_send_rows, true},  // on several ranks
    {"sum-segments", point_bytes + 4, measure_sum_segments},
};
// [end kernels]

class Versions final : public app::MiniApp {
 public:
  std::string name() const override { return "versions"; }
  std::string description() const override {
    return "Measures the numbered kernel versions of the book.";
  }
  std::vector<std::string> list() const override {
    std::vector<std::string> names;
    for (const MeasuredKernel& kernel : kernels) names.emplace_back(kernel.name);
    return names;
  }
  // [begin options]
  void add_options(CLI::App& cli) override {
    app::add_choice_option(cli, "--kernel", kernel_, list(),
                           "Kernel to measure, in all its versions");
  }
  void validate(const app::CommonOptions& options) override {
    if (options.input) throw InputError("--input: the book's kernels create their own input");
    if (options.subsample) throw InputError("--subsample: choose --particles instead");
    if (options.output) throw InputError("--output: there is nothing to write");
    if (options.particles > most_rows)
      throw InputError("--particles: the book's kernels take at most 2^30");
  }
  // [end options]

  // [begin run]
  void run(app::Session& session) override {
    const MeasuredKernel& kernel =
        *std::find_if(std::begin(kernels), std::end(kernels),
                      [&](const auto& one) { return kernel_ == one.name; });
    if (session.ranks() > 1 && !kernel.takes_ranks)
      throw InputError(fmt::format("--kernel {} runs on one rank", kernel_));
    const Count rows = session.options().particles;
    if (session.options().dry_run) {
      const auto bytes = static_cast<double>(rows * kernel.bytes_per_row);
      session.print(fmt::format("{} rows, {}", rows, app::format_bytes(bytes)));
      return;
    }
    kernel.measure(session, [&](const std::string& name, double steps, const auto& body) {
      measure(session, name, steps, body);
    });
    report(session);
  }
  // [end run]

 private:
  struct Version {
    std::string name;
    double seconds;  ///< fastest run
    std::vector<double> samples;
  };

  // [begin measure]
  /// Runs a version and records the seconds of the fastest run, divided by `steps`.
  void measure(app::Session& session, const std::string& name, double steps,
               const std::function<void()>& body) {
    const auto samples = session.measure("copse::book::" + name, [&](int) { body(); });
    versions_.push_back({name, samples.min() / steps, samples.seconds});
    for (double& seconds : versions_.back().samples) seconds /= steps;
  }
  // [end measure]

  void report(app::Session& session) const {
    app::Table table({"version", "seconds", "gain"});
    nlohmann::json versions = nlohmann::json::array();
    for (std::size_t v = 0; v < versions_.size(); ++v) {
      const Version& version = versions_[v];
      versions.push_back(
          {{"name", version.name}, {"seconds", version.seconds}, {"samples", version.samples}});
      table.add_row(
          {version.name, app::format_seconds(version.seconds),
           v > 0 ? fmt::format("{:.2f}", versions_[v - 1].seconds / version.seconds) : ""});
    }
    session.report().results()["kernel"] = kernel_;
    session.report().results()["versions"] = versions;
    session.print(table);
    const double rows = static_cast<double>(session.options().particles);
    session.report().add_figure_of_merit("rows_per_second", rows / versions_.back().seconds, "1/s");
  }

  std::string kernel_ = "count-left";
  std::vector<Version> versions_;
};

}  // namespace
}  // namespace copse::book

// [begin main]
int main(int argc, char** argv) {
  copse::book::Versions versions;
  return copse::app::run_main(argc, argv, versions);
}
// [end main]
