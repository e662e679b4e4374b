#include "report.hpp"

#include "../fused/fused_bisection.hpp"
#include "published.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/machine.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace copse::orb::model {
namespace {

using nlohmann::json;

/// The parameters of a prediction.
struct Problem {
  Count particles;
  std::uint32_t leaves;
  double steps;
  int ranks;
  Reshuffle reshuffle;
};

std::string gigabytes(double rate) {
  return rate > 0 ? fmt::format("{:.1f}", rate / 1e9) : "-";
}

std::string seconds_or_dash(double seconds) {
  return seconds >= 0 ? fmt::format("{:.4g}", seconds) : "-";
}

json describe(const Machine& m) {
  return {{"name", m.name},
          {"source", m.source},
          {"processor", m.processor},
          {"device", m.device},
          {"host_read", m.host_read},
          {"host_copy", m.host_copy},
          {"device_read", m.device_read},
          {"device_copy", m.device_copy},
          {"host_to_device", m.host_to_device},
          {"network", m.network}};
}

json describe(const BackendBandwidth& b) {
  return {{"backend", b.backend},
          {"array_bytes", b.bandwidth.bytes},
          {"read_bytes_per_second", b.bandwidth.read},
          {"copy_bytes_per_second", b.bandwidth.copy},
          {"from_host_bytes_per_second", b.bandwidth.from_host},
          {"count_keys_per_second", b.bandwidth.count},
          {"count_in_cache_keys_per_second", b.bandwidth.count_in_cache}};
}

/// Equations 14 to 16: one row per machine.
void thesis_rows(app::Session& session, const std::vector<Machine>& machines, const Problem& q,
                 json& rows) {
  const double s = coordinate_bytes(q.particles);
  app::Table table({"machine", "CPU (14)", "GPU counting (15)", "and partitioning (16)",
                    "(14) / (15)", "(14) / (16)"});
  for (const Machine& m : machines) {
    const double cpu = thesis_cpu(q.leaves, q.steps, s, m.host_read);
    json row{{"machine", m.name}, {"cpu_seconds", cpu}};
    std::vector<std::string> cells{m.name, seconds_or_dash(cpu), "-", "-", "-", "-"};
    if (m.has_device()) {
      const double counting =
          thesis_gpu_counting(q.leaves, q.steps, s, m.device_read, m.host_to_device);
      const double partitioning =
          thesis_gpu_partitioning(q.leaves, q.steps, s, m.device_read, m.host_to_device);
      row["gpu_counting_seconds"] = counting;
      row["gpu_partitioning_seconds"] = partitioning;
      cells = {m.name,
               seconds_or_dash(cpu),
               seconds_or_dash(counting),
               seconds_or_dash(partitioning),
               q.leaves > 1 ? fmt::format("{:.2f}", cpu / counting) : "-",
               q.leaves > 1 ? fmt::format("{:.2f}", cpu / partitioning) : "-"};
    }
    table.add_row(cells);
    rows.push_back(row);
  }
  session.print(table);
}

/// Bytes per particle of every variant, for the requested and for other numbers of leaves.
void print_traffic(app::Session& session, const Problem& q, json& results) {
  std::vector<std::uint32_t> columns{2, 64, 4096, 262144};
  bool asked = false;
  for (std::uint32_t d : columns) asked = asked || d == q.leaves;
  if (!asked) columns.insert(columns.begin(), q.leaves);
  std::vector<std::string> header{"bytes per particle"};
  for (std::uint32_t d : columns) header.push_back(fmt::format("d = {}", d));
  app::Table table(header);
  for (const Variant& v : variants()) {
    std::vector<std::string> cells{v.name()};
    json per_leaves = json::object();
    for (std::uint32_t d : columns) {
      const double total = rank_traffic(v, q.particles / static_cast<Count>(q.ranks), d, q.steps,
                                        q.ranks, q.reshuffle)
                               .total();
      cells.push_back(fmt::format("{:.1f}", total));
      per_leaves[std::to_string(d)] = total;
    }
    table.add_row(cells);
    results["bytes_per_particle"][v.name()] = per_leaves;
  }
  session.print(table);
  if (q.ranks > 1) {
    const double local = rows_sent(Reshuffle::local, q.ranks, q.leaves) * bytes::sent_row;
    const double global = rows_sent(Reshuffle::global, q.ranks, q.leaves) * bytes::sent_row;
    session.print(fmt::format(
        "{} ranks send {:.1f} B per particle (local reshuffle, and once), {:.1f} (global)", q.ranks,
        local, global));
    results["sent_bytes_per_particle"] = {{"local", local}, {"global", global}, {"once", local}};
  }
}

/// One row per variant, one column per machine.
void corrected_rows(app::Session& session, const std::vector<Machine>& machines, const Problem& q,
                    json& rows) {
  std::vector<std::string> header{"seconds"};
  for (const Machine& m : machines) header.push_back(m.name);
  app::Table table(header);
  for (const Variant& v : variants()) {
    std::vector<std::string> cells{v.name()};
    for (const Machine& m : machines) {
      const double seconds =
          predict_seconds(m, v, q.particles, q.leaves, q.steps, q.ranks, q.reshuffle);
      cells.push_back(seconds_or_dash(seconds));
      if (seconds >= 0)
        rows.push_back({{"machine", m.name}, {"variant", v.name()}, {"seconds", seconds}});
    }
    table.add_row(cells);
  }
  session.print(table);
}

/// The predicted time of a run whose particles were already in the memory where they are used.
double predict_run(const Machine& m, const MeasuredRun& run, const Problem& q, bool thesis) {
  if (run.is_send) return predict_send(m, run.variant) * static_cast<double>(q.particles) / q.ranks;
  const double steps = run.steps > 0 ? run.steps : q.steps;
  if (thesis) {
    const double bandwidth = run.variant.placement == Placement::host ? m.host_read : m.device_read;
    return thesis_cpu(q.leaves, steps, coordinate_bytes(q.particles), bandwidth) / q.ranks;
  }
  const double whole =
      predict_seconds(m, run.variant, q.particles, q.leaves, steps, q.ranks, run.reshuffle);
  if (run.variant.placement != Placement::device) return whole;
  return whole - bytes::position / m.host_to_device * static_cast<double>(q.particles) / q.ranks;
}

void print_measured(app::Session& session, const std::vector<BackendBandwidth>& bandwidths,
                    double network, const std::vector<MeasuredRun>& runs, const Problem& q,
                    bool thesis, json& results) {
  app::Table rates(
      {"backend", "read GB/s", "copy GB/s", "from host GB/s", "count Gkeys/s", "in cache Gkeys/s"});
  for (const BackendBandwidth& b : bandwidths) {
    rates.add_row({b.backend, gigabytes(b.bandwidth.read), gigabytes(b.bandwidth.copy),
                   gigabytes(b.bandwidth.from_host), gigabytes(b.bandwidth.count),
                   gigabytes(b.bandwidth.count_in_cache)});
    results["backends"].push_back(describe(b));
  }
  session.print(rates);
  if (runs.empty()) return;
  app::Table table(
      {"backend", "ranks", "variant", "predicted", "measured", "measured / predicted"});
  for (const MeasuredRun& run : runs) {
    Machine m = this_machine(bandwidths, run.backend);
    m.network = network;
    const double predicted = predict_run(m, run, q, thesis);
    const std::string name = !run.is_send ? run.variant.name()
                             : run.variant.bits == 0
                                 ? "positions sent"
                                 : fmt::format("positions sent, {} bits", run.variant.bits);
    table.add_row({run.backend, std::to_string(q.ranks), name, app::format_seconds(predicted),
                   app::format_seconds(run.seconds),
                   predicted > 0 ? fmt::format("{:.2f}", run.seconds / predicted) : "-"});
    results["measured"].push_back({{"backend", run.backend},
                                   {"ranks", q.ranks},
                                   {"variant", name},
                                   {"reshuffle", name_of(run.reshuffle)},
                                   {"predicted_seconds", predicted},
                                   {"measured_seconds", run.seconds}});
  }
  session.print(table);
}

}  // namespace

void add_model_options(CLI::App& cli, ModelOptions& options) {
  app::add_choice_option(cli, "--model", options.kind, {"thesis", "corrected"},
                         "Predict runtimes; without --dry-run, compare them with the measured one");
  app::add_count_option(cli, "--model-particles", options.particles,
                        "Particles in the model; 0: those of this run", 0);
  app::add_number_option(cli, "--model-steps", options.steps,
                         "Steps of a bisection in the model, p");
  app::add_count_option(cli, "--model-ranks", options.ranks,
                        "Ranks in the model; 0: those of this run", 0);
  app::add_number_option(
      cli, "--model-network", options.network,
      "Network bandwidth of a rank in the model, in GB/s; 0: sent bytes are counted, not timed");
  app::add_choice_option(cli, "--model-reshuffle", options.reshuffle, {"local", "global", "once"},
                         "How ranks share particles in the model");
}

void validate_model_options(const ModelOptions& options) {
  if (!std::isfinite(options.steps) || options.steps < 1 || options.steps > 64)
    throw InputError(fmt::format("--model-steps {} is not from 1 to 64", options.steps));
  if (!std::isfinite(options.network) || options.network < 0)
    throw InputError(fmt::format("--model-network {} is not a valid bandwidth", options.network));
  if (options.ranks > 1'000'000)
    throw InputError(fmt::format("--model-ranks {} is more than 1e6", options.ranks));
  const ModelOptions none;
  const char* const of_ranks = options.ranks != none.ranks           ? "--model-ranks"
                               : options.network != none.network     ? "--model-network"
                               : options.reshuffle != none.reshuffle ? "--model-reshuffle"
                                                                     : nullptr;
  const char* const unused = options.particles != none.particles ? "--model-particles"
                             : options.steps != none.steps       ? "--model-steps"
                                                                 : of_ranks;
  if (options.kind.empty() && unused != nullptr)
    throw InputError(fmt::format("{} needs --model thesis or --model corrected", unused));
  if (options.kind == "thesis" && of_ranks != nullptr)
    throw InputError(fmt::format(
        "{} is for --model corrected: the equations of the thesis have no ranks", of_ranks));
}

Variant modelled_variant(std::string_view backend, std::string_view placement,
                         std::string_view cut) {
  bool on_host = true;
  dispatch_backend(backend, [&](auto space) { on_host = runs_on_host<decltype(space)>; });
  Variant variant;
  if (on_host || placement == "host")
    variant.placement = Placement::host;
  else
    variant.placement =
        placement == "count-on-device" ? Placement::count_on_device : Placement::device;
  if (placement == "fused" || (placement == "best" && !on_host))
    variant.search = Search::fused;
  else if (placement == "best" && cut == "select")
    variant.search = Search::depth_first;
  else if (cut == "bisection" || cut == "sampled-bisection")
    variant.search = Search::bisection;
  else
    variant.search = cut == "histogram" ? Search::histogram : Search::select;
  variant.threads = static_cast<Count>(backend_concurrency(backend));
  if (placement == "fused") variant.round_rows = orb::fused::least_rows_per_cell;
  return variant;
}

void report_model(app::Session& session, const ModelOptions& options, Count particles,
                  std::uint32_t leaves, const std::vector<MeasuredRun>& measured) {
  const bool thesis = options.kind == "thesis";
  const Problem of_run{particles, leaves, options.steps, session.ranks(),
                       reshuffle_named(options.reshuffle)};
  Problem q = of_run;
  if (options.ranks > 0) q.ranks = static_cast<int>(options.ranks);
  if (options.particles > 0) q.particles = options.particles;
  json& results = session.report().results()["model"];
  results = {{"kind", options.kind}, {"particles", q.particles}, {"leaves", leaves},
             {"steps", q.steps},     {"ranks", q.ranks},         {"reshuffle", options.reshuffle},
             {"rows", json::array()}};

  std::vector<Machine> machines =
      published_machines(thesis ? MachineTable::thesis : MachineTable::corrected);
  std::vector<BackendBandwidth> bandwidths;
  if (!session.options().dry_run) {
    MPI_Barrier(session.comm());
    bandwidths = measure_backends();
    // The model of a device run includes the fastest host; that of a host run uses the host it ran
    // on.
    machines.push_back(this_machine(bandwidths, measured.empty() ? "" : measured.back().backend));
  }
  session.print(fmt::format("model '{}': {} particles, {} leaves, {:g} steps per cut, {} rank{}",
                            options.kind, q.particles, leaves, q.steps, q.ranks,
                            q.ranks == 1 ? "" : "s"));
  for (Machine& m : machines) {
    m.network = options.network * 1e9;
    results["machines"].push_back(describe(m));
  }
  if (thesis) {
    thesis_rows(session, machines, q, results["rows"]);
  } else {
    print_traffic(session, q, results);
    corrected_rows(session, machines, q, results["rows"]);
  }
  if (!bandwidths.empty())
    print_measured(session, bandwidths, options.network * 1e9, measured, of_run, thesis, results);
}

}  // namespace copse::orb::model
