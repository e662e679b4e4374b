#pragma once
// A mini-app for command line tests: it has its own options and a run that is never called.
#include <copse/app/mini_app.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace copse::app {

class ParsingApp : public MiniApp {
 public:
  Count leaves = 64;
  std::string algorithm = "histogram";
  double angle = 0.5;
  std::string sabotage;

  std::string name() const override { return "parsing"; }
  std::string description() const override { return "Parses and does nothing."; }
  void add_options(CLI::App& cli) override {
    add_count_option(cli, "--leaves", leaves, "Leaves");
    add_choice_option(cli, "--algorithm", algorithm, {"histogram", "sort"}, "Algorithm");
    cli.add_option("--angle", angle, "Angle")->capture_default_str();
    cli.add_option("--sabotage", sabotage)->group("");
  }
  std::vector<std::string> list() const override { return {"histogram", "sort"}; }
  void run(Session&) override {}
};

/// Parses the words as the arguments after the program's name.
inline CommandLine parse(ParsingApp& app, const std::vector<std::string>& words) {
  std::vector<const char*> argv{"parsing"};
  for (const auto& word : words) argv.push_back(word.c_str());
  return parse_command_line(static_cast<int>(argv.size()), argv.data(), app);
}

inline CommandLine parse(const std::vector<std::string>& words) {
  ParsingApp app;
  return parse(app, words);
}

}  // namespace copse::app
