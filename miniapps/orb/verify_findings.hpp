#pragma once
/// \file
/// What the checks of `verify_orb` find, counted and put into words.

#include <copse/app/verification.hpp>
#include <copse/backend/types.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace copse {

/// Violations of one check: how many, and a sentence about the first.
struct Finding {
  Count violations = 0;
  std::string first;

  template <class... Args>
  void add(Count how_many, fmt::string_view sentence, const Args&... args) {
    if (how_many == 0) return;
    if (violations == 0) first = fmt::vformat(sentence, fmt::make_format_args(args...));
    violations += how_many;
  }
};

/// Turns findings into checks of `out` and keeps the sentences of the failed ones.
class Verdict {
 public:
  explicit Verdict(app::Verification& out) : out_(out) {}

  bool conclude(const char* check, const Finding& finding) {
    return measure(check, static_cast<double>(finding.violations), 0.0, finding.first);
  }

  bool measure(const char* check, double value, double tolerance, const std::string& sentence) {
    const bool passed = out_.check(check, value, tolerance);
    if (!passed) sentences_.push_back(fmt::format("{}: {}", check, sentence));
    return passed;
  }

  void not_examined(const char* check, const char* why) {
    out_.require(check, false);
    sentences_.push_back(fmt::format("{}: not examined, because {}", check, why));
  }

  std::vector<std::string> sentences() && { return std::move(sentences_); }

 private:
  app::Verification& out_;
  std::vector<std::string> sentences_;
};

}  // namespace copse
