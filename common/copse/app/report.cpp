#include <copse/app/provenance/provenance.hpp>
#include <copse/app/report.hpp>
#include <copse/backend/machine.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace copse::app {
namespace {

using nlohmann::json;

json value_of(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::flag) return parameter.value == "true";
  if (parameter.value.empty()) return nullptr;
  if (parameter.kind == Parameter::Kind::text) return parameter.value;
  const json number = json::parse(parameter.value, nullptr, false);
  return number.is_number() ? number : json(parameter.value);
}

json box_section(const Box<3>& box) {
  json section;
  for (int a = 0; a < 3; ++a) {
    section["lower"].push_back(box.lower[a]);
    section["upper"].push_back(box.upper[a]);
    section["periodic"].push_back(box.periodic[a]);
  }
  return section;
}

json sample_section(const std::vector<double>& seconds) {
  const Samples samples{seconds};
  return {{"min", samples.min()},
          {"median", samples.median()},
          {"max", samples.max()},
          {"samples", seconds}};
}

/// Collects the text of every rank on rank 0; the other ranks get nothing.
std::vector<std::string> gather(const std::string& text, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  std::vector<int> offsets(lengths.size(), 0);
  for (std::size_t r = 1; r < lengths.size(); ++r) offsets[r] = offsets[r - 1] + lengths[r - 1];
  std::string all(static_cast<std::size_t>(rank == 0 ? offsets.back() + lengths.back() : 0), ' ');
  MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR,
              0, comm);
  std::vector<std::string> texts;
  for (std::size_t r = 0; rank == 0 && r < lengths.size(); ++r)
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(lengths[r])));
  return texts;
}

/// Merges the samples of one rank into a list that keeps the slowest rank's, sample by sample.
void take_slowest(std::vector<double>& into, const std::vector<double>& from) {
  into.resize(std::max(into.size(), from.size()), 0.0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

/// Finds the entry with that name in a list of objects, or appends it.
json& entry(json& list, const json& name) {
  for (json& e : list)
    if (e["name"] == name) return e;
  list.push_back({{"name", name}});
  return list.back();
}

bool is_one_word(const std::string& text) {
  return !text.empty() && text.find_first_of(" \t\n") == std::string::npos;
}

struct Work {
  double bytes = 0.0;
  double flops = 0.0;
};

}  // namespace

struct Report::Content {
  std::string app_name;
  MPI_Comm comm;
  json parameters = json::object();
  json input;
  json results = json::object();
  json run;
  std::map<std::string, Work> work;
  std::vector<FigureOfMerit> foms;

  /// This rank's part of the report, to be merged by rank 0.
  json own_part(const KernelTimer& timer, const MemoryTracker& memory) const {
    json part = {{"phases", json::array()},
                 {"kernels", json::array()},
                 {"device", memory.device().peak_bytes},
                 {"host", memory.host().peak_bytes},
                 {"spaces", json::object()}};
    for (const auto& [space, use] : memory.by_space()) part["spaces"][space] = use.peak_bytes;
    for (const PhaseTime& p : timer.phases()) {
      json phase = {{"name", p.label}, {"samples", p.samples.seconds}};
      if (const auto w = work.find(p.label); w != work.end()) {
        phase["bytes"] = w->second.bytes;
        phase["flops"] = w->second.flops;
      }
      part["phases"].push_back(phase);
    }
    for (const KernelTime& k : timer.kernels())
      part["kernels"].push_back(
          {{"name", k.label}, {"samples", k.samples.seconds}, {"launches", k.launches}});
    return part;
  }
};

Report::Report(const std::string& app_name, const CommandLine& command_line, MPI_Comm comm)
    : content_(std::make_unique<Content>()) {
  content_->app_name = app_name;
  content_->comm = comm;
  for (const Parameter& p : command_line.parameters) content_->parameters[p.name] = value_of(p);
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  content_->run = {{"backend", command_line.options.backend},
                   {"ranks", ranks},
                   {"threads", backend_concurrency(command_line.options.backend)},
                   {"gpu_aware_mpi", false},
                   {"device_messages", nullptr},
                   {"device_messages_reason", nullptr},
                   {"disturbed", nullptr},
                   {"cpu", nullptr},
                   {"started", utc_time()}};
}

Report::~Report() = default;

void Report::set_parameter(const Parameter& parameter) {
  content_->parameters[parameter.name] = value_of(parameter);
}

void Report::set_input(const InputRecord& input) {
  content_->input = {{"particles", input.particles},
                     {"box", box_section(input.box)},
                     {"source", input.source},
                     {"checksum", fmt::format("{:016x}", input.checksum)}};
}

void Report::set_gpu_aware_mpi(bool used) {
  content_->run["gpu_aware_mpi"] = used;
}

void Report::set_device_messages(const std::string& path, const std::string& reason) {
  content_->run["device_messages"] = path;
  content_->run["device_messages_reason"] = reason;
}

void Report::set_cpu_use(const CpuUse& use, bool disturbed) {
  content_->run["disturbed"] = disturbed;
  content_->run["cpu"] = {{"wall_seconds", use.wall_seconds},
                          {"cpu_seconds", use.cpu_seconds},
                          {"waited_seconds", use.waited_seconds}};
}

void Report::set_work(const std::string& phase, double bytes, double flops) {
  content_->work[phase] = {bytes, flops};
}

void Report::add_figure_of_merit(const std::string& name, double value, const std::string& unit) {
  if (!std::isfinite(value))
    throw std::invalid_argument("figure of merit " + name + " is not finite");
  if (!is_one_word(name) || !is_one_word(unit))
    throw std::invalid_argument("name and unit of a figure of merit must be one word each");
  content_->foms.push_back({name, value, unit});
}

const std::vector<FigureOfMerit>& Report::figures_of_merit() const {
  return content_->foms;
}

json& Report::results() {
  return content_->results;
}

json Report::assemble(const KernelTimer& timer, const MemoryTracker& memory,
                      const Verification& verification, bool verification_requested) const {
  std::uint64_t device_bytes = 0;
  std::uint64_t host_bytes = 0;
  std::map<std::string, std::uint64_t> space_bytes;
  json phases = json::array();
  json kernels = json::array();
  for (const std::string& text : gather(content_->own_part(timer, memory).dump(), content_->comm)) {
    const json part = json::parse(text);
    device_bytes = std::max(device_bytes, part["device"].get<std::uint64_t>());
    host_bytes = std::max(host_bytes, part["host"].get<std::uint64_t>());
    for (const auto& [space, bytes] : part["spaces"].items())
      space_bytes[space] = std::max(space_bytes[space], bytes.get<std::uint64_t>());
    for (const json& p : part["phases"]) {
      json& phase = entry(phases, p["name"]);
      std::vector<double> seconds = phase.value("samples", std::vector<double>{});
      take_slowest(seconds, p["samples"]);
      phase["samples"] = seconds;
      for (const char* key : {"bytes", "flops"})
        if (p.contains(key)) phase[key] = phase.value(key, 0.0) + p[key].get<double>();
    }
    for (const json& k : part["kernels"]) {
      json& kernel = entry(kernels, k["name"]);
      std::vector<double> seconds = kernel.value("samples", std::vector<double>{});
      take_slowest(seconds, k["samples"]);
      kernel["samples"] = seconds;
      // Launch counts come from the first rank that has the kernel: ranks differ in data, not in
      // code.
      if (!kernel.contains("launches")) kernel["launches"] = k["launches"];
    }
  }
  for (json* list : {&phases, &kernels})
    for (json& e : *list) {
      const auto seconds = e["samples"].get<std::vector<double>>();
      e["seconds"] = seconds.empty() ? json() : sample_section(seconds);
      e.erase("samples");
    }
  for (json& phase : phases)
    for (const char* key : {"bytes", "flops"})
      if (!phase.contains(key)) phase[key] = nullptr;

  json checks = json::array();
  for (const Check& c : verification.checks())
    checks.push_back(
        {{"name", c.name}, {"passed", c.passed}, {"value", c.value}, {"tolerance", c.tolerance}});
  json foms = json::array();
  // A wrong result has no figure of merit.
  if (verification.passed())
    for (const FigureOfMerit& f : content_->foms)
      foms.push_back({{"name", f.name}, {"value", f.value}, {"unit", f.unit}});

  return {{"schema", 1},
          {"app", content_->app_name},
          {"version", COPSE_VERSION},
          {"git", git_section()},
          {"machine", machine_section()},
          {"build", build_section()},
          {"run", content_->run},
          {"parameters", content_->parameters},
          {"input", content_->input},
          {"verification",
           {{"requested", verification_requested},
            {"passed", verification_requested && !verification.checks().empty()
                           ? json(verification.passed())
                           : json()},
            {"checks", checks}}},
          {"phases", phases},
          {"kernels", kernels},
          {"memory",
           {{"peak_device_bytes", device_bytes},
            {"peak_host_bytes", host_bytes},
            {"peak_bytes_by_space", space_bytes}}},
          {"fom", foms},
          {"results", content_->results}};
}

std::string format_figure_of_merit(const FigureOfMerit& fom) {
  return fmt::format("FOM {} {:.6g} {}", fom.name, fom.value, fom.unit);
}

}  // namespace copse::app
