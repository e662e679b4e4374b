#include "results.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace copse::roofline {

using nlohmann::json;

double Ceilings::peak(const std::string& type, const std::string& shape) const {
  double best = 0.0;
  for (const ArithmeticRate& rate : arithmetic)
    if (rate.type == type && rate.shape == shape) best = std::max(best, rate.operations);
  return best;
}

double Ceilings::rate(const std::string& level, const std::string& stream) const {
  for (const MemoryLevel& l : levels)
    for (const SetRate& r : l.best)
      if (l.name == level && r.stream == stream) return r.bytes_per_second;
  return 0.0;
}

namespace {

json levels_of(const std::vector<MemoryLevel>& levels) {
  json list = json::array();
  for (const MemoryLevel& level : levels) {
    json entry = {{"name", level.name},
                  {"bytes", level.bytes == 0 ? json() : json(level.bytes)},
                  {"bytes_per_second", json::object()}};
    for (const SetRate& rate : level.best)
      entry["bytes_per_second"][rate.stream] = rate.bytes_per_second;
    list.push_back(entry);
  }
  return list;
}

}  // namespace

json to_json(const Ceilings& c) {
  json sweep = json::array();
  for (const SetRate& r : c.sweep)
    sweep.push_back({{"stream", r.stream},
                     {"bytes", r.bytes},
                     {"kept", r.kept},
                     {"bytes_per_second", r.bytes_per_second}});
  json chains = json::array();
  json peaks = json::object();
  for (const ArithmeticRate& r : c.arithmetic) {
    chains.push_back({{"type", r.type},
                      {"shape", r.shape},
                      {"chains", r.chains},
                      {"operations_per_second", r.operations}});
    peaks[r.type][r.shape] = c.peak(r.type, r.shape);
  }
  json atomics = json::array();
  for (const AtomicRate& r : c.atomics)
    atomics.push_back(
        {{"memory", r.memory}, {"counters", r.counters}, {"additions_per_second", r.additions}});
  json transfers = json::array();
  for (const TransferTime& t : c.transfers)
    transfers.push_back({{"direction", t.direction},
                         {"pinned", t.pinned},
                         {"bytes", t.bytes},
                         {"seconds", t.seconds}});
  json peers = {{"vendor_copy", c.peers.vendor_copy}, {"kernel_copy", c.peers.kernel_copy}};
  if (c.on_host) {
    peers["plain_triad"] = c.peers.plain_triad;
    peers["kernel_triad"] = c.peers.kernel_triad;
  }
  return {{"backend", c.backend},
          {"on_host", c.on_host},
          {"threads", c.threads},
          {"levels", levels_of(c.levels)},
          {"sweep", sweep},
          {"peers", peers},
          {"operations_per_second", peaks},
          {"chains", chains},
          {"atomics", atomics},
          {"launch_seconds",
           {{"queued", c.launches.queued},
            {"fenced", c.launches.fenced},
            {"reduced", c.launches.reduced}}},
          {"transfers", transfers}};
}

}  // namespace copse::roofline
