#pragma once
/// \file
/// All ceilings of one backend, as written to the machine file.

#include "ceiling.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace copse::roofline {

struct Ceilings {
  std::string backend;
  bool on_host = true;
  Count threads = 0;
  std::vector<MemoryLevel> levels;
  std::vector<SetRate> sweep;
  StreamPeers peers;
  std::vector<ArithmeticRate> arithmetic;
  std::vector<AtomicRate> atomics;
  LaunchTimes launches;
  std::vector<TransferTime> transfers;

  /// Best rate over the chains; 0 if there is none.
  double peak(const std::string& type, const std::string& shape) const;
  /// Best rate of the level; 0 if no working set measured it.
  double rate(const std::string& level, const std::string& stream) const;
};

nlohmann::json to_json(const Ceilings& ceilings);

}  // namespace copse::roofline
