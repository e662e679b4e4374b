/// \file
/// versions: what each version of a kernel of the book takes. The chapters' tables are its reports.

#include "count_left.hpp"
#include "join_links.hpp"
#include <copse/app/command_line.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/app/session.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace copse::book {
namespace {

constexpr Count rows_of_a_group = 1000;
constexpr Count links_of_a_row = 4;

class Versions final : public app::MiniApp {
 public:
  std::string name() const override { return "versions"; }
  std::string description() const override {
    return "Measures the numbered versions of the kernels that the book grows.";
  }
  std::vector<std::string> list() const override { return {"count-left", "join-links"}; }
  // [begin options]
  void add_options(CLI::App& cli) override {
    app::add_choice_option(cli, "--kernel", kernel_, list(), "whose versions are measured");
  }
  void validate(const app::CommonOptions& options) override {
    if (options.input) throw InputError("--input: the book's kernels make their own input");
    if (options.output) throw InputError("--output: there is nothing to write");
    if (options.particles > max_particles_per_rank / links_of_a_row)
      throw InputError("--particles: the book's kernels take at most 2^30");
  }
  // [end options]

  // [begin run]
  void run(app::Session& session) override {
    if (session.ranks() > 1) throw InputError("the book's kernels run on one rank");
    if (session.options().dry_run) {
      session.print(fmt::format("{} rows, {}", session.options().particles,
                                app::format_bytes(static_cast<double>(session.options().particles) *
                                                  (kernel_ == "count-left" ? 12 : 48))));
      return;
    }
    dispatch_backend(session.options().backend, [&](auto space) {
      if (kernel_ == "count-left") {
        count_left(session, space);
      } else {
        join_links_of_groups(session, space);
      }
    });
    report(session);
  }
  // [end run]

 private:
  struct Version {
    std::string name;
    double seconds;  ///< of the fastest run
    std::vector<double> samples;
  };

  // [begin measure]
  /// Runs a version; its seconds are the fastest run's, shared out over `halvings`.
  template <class Body>
  void measure(app::Session& session, const std::string& name, double halvings, Body&& body) {
    const auto samples = session.measure("copse::book::" + name, [&](int) { body(); });
    versions_.push_back({name, samples.min() / halvings, samples.seconds});
    for (double& seconds : versions_.back().samples) seconds /= halvings;
  }
  // [end measure]

  template <class ExecutionSpace>
  void count_left(app::Session& session, const ExecutionSpace& space) {
    const auto particles = session.load_particles(space);
    const auto position = particles.position;
    const Count n = particles.size();
    const Keys<ExecutionSpace> keys(position.data(), n);
    const auto cut = static_cast<Real>(0.5);
    Count left = 0;
    std::vector<Count> found;
    const auto one = [&](const std::string& name, auto count) {
      measure(session, name, 1.0, [&] { left = count(); });
      found.push_back(left);
    };
    if constexpr (runs_on_host<ExecutionSpace>) {
      one("1_branching", [&] { return count_left_branching(keys.data(), n, cut); });
      one("2_adding", [&] { return count_left_adding(keys.data(), n, cut); });
    }
    one("3_reduced", [&] { return count_left_reduced(space, keys, cut); });
    one("4_wide", [&] { return count_left_wide(space, keys, cut); });
    SevenCuts cuts;
    for (int c = 0; c < 7; ++c) cuts[c] = static_cast<Real>(c + 1) / 8;
    SevenCounts seven{};
    measure(session, "5_seven_cuts", 3.0, [&] { seven = count_left_of_seven(space, keys, cuts); });
    found.push_back(seven[3]);  // of the cut 1/2
    session.verification().require("equal_counts",
                                   std::equal(found.begin() + 1, found.end(), found.begin()));
    session.report().results()["bytes"] = n * sizeof(Real);
  }

  /// Rows in groups of 1000, each with four links to random rows of its group.
  template <class ExecutionSpace>
  void join_links_of_groups(app::Session& session, const ExecutionSpace& space) {
    using Memory = typename ExecutionSpace::memory_space;
    const Count n = session.load_particles(space).size();
    Kokkos::View<LocalIndex*, Kokkos::HostSpace> to("copse::book::to", n * links_of_a_row);
    std::uint64_t state = session.options().seed;
    for (Count k = 0; k < to.extent(0); ++k) {
      state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
      const Count row = k / links_of_a_row, group = row - row % rows_of_a_group;
      to(k) =
          static_cast<LocalIndex>(std::min<Count>(n - 1, group + (state >> 33) % rows_of_a_group));
    }
    const Links<Memory> links{links_of_a_row, Kokkos::create_mirror_view_and_copy(Memory{}, to)};
    std::vector<Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>> found;
    const std::pair<std::string, Joining> versions[] = {{"1_plain", Joining::plain},
                                                        {"2_shortened", Joining::shortened},
                                                        {"3_by_row", Joining::by_row}};
    for (const auto& version : versions) {
      const Parents<Memory> parent("copse::book::parent", n);
      measure(session, version.first, 1.0,
              [&] { join_links(space, version.second, links, parent); });
      found.push_back(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, parent));
    }
    bool equal = true;
    for (const auto& labels : found)
      equal = equal && std::equal(labels.data(), labels.data() + n, found.front().data());
    session.verification().require("equal_labels", equal);
  }

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
