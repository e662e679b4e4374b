#pragma once
/// \file
/// The options of the mini-app, and the request that they make.
///
/// Options of another benchmark, and those of --correlation without it, are refused.

#include "request.hpp"
#include <copse/app/command_line.hpp>

#include <string>
#include <vector>

namespace copse::traversal {

class Options {
 public:
  void declare(CLI::App& cli);

  /// What is asked for. After parsing, and as long as the `cli` of `declare` exists.
  /// \throws InputError for impossible values and combinations
  Request request(const app::CommonOptions& common) const;

  /// Is `option` one that a run of `benchmark` may have?
  static bool has(const std::string& option, const std::string& benchmark);

 private:
  void refuse_without_effect(const app::CommonOptions& common) const;
  void refuse_impossible(const app::CommonOptions& common) const;
  void check_correlation(const app::CommonOptions& common) const;
  std::vector<WalkKind> walks(const app::CommonOptions& common) const;
  std::vector<ScheduleKind> schedules() const;
  bool given(const std::string& option) const;

  const CLI::App* cli_ = nullptr;
  Request values_;
  CorrelationRequest correlation_;
  bool correlate_ = false;
  Count dimension_ = 3;
  Count bucket_size_ = 0;
  Count profile_depth_ = 0;
  std::string walk_ = "auto";
  std::string schedule_ = "auto";
  std::string scheduler_ = "device";
  std::string queries_ = "own";
  std::string tree_ = "auto";
};

}  // namespace copse::traversal
