#pragma once
// A mini-app for command line tests: it has its own options and a run that is never called.
#include <copse/app/mini_app.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace copse::app {

class ParsingApp : public MiniApp {
 public:
  Count leaves = 64;
  std::string algorithm = "histogram";
  double angle = 0.5;
  double height = 1.0;
  std::optional<double> width;
  std::string lengths;
  std::optional<std::filesystem::path> picture;
  bool flat = false;
  bool width_given = false;
  std::string sabotage;

  std::string name() const override { return "parsing"; }
  std::string description() const override { return "Parses and does nothing."; }
  void add_options(CLI::App& cli) override {
    add_count_option(cli, "--leaves", leaves, "Leaves");
    add_choice_option(cli, "--algorithm", algorithm, {"histogram", "sort"}, "Algorithm");
    add_number_option(cli, "--angle", angle, "Angle", {0.0, 2.0, "0 to 2"});
    add_number_option(cli, "--width", width, "Width", positive_numbers);
    make_value_optional(cli, "--width");
    add_number_option(cli, "--height", height, "Height");
    add_parsed_option(cli, "--lengths", "FLOAT[,...]", "Lengths",
                      [this](const std::string& text) { lengths = text; });
    add_file_option(cli, "--picture", picture, "Picture");
    add_flag(cli, "--flat", flat, "Flat");
    exclude_options(cli, "--flat", {"--width", "--picture"});
    cli_ = &cli;
    cli.add_option("--sabotage", sabotage)->group("");
  }
  std::vector<std::string> list() const override { return {"histogram", "sort"}; }
  void validate(const CommonOptions&) override { width_given = is_given(*cli_, "--width"); }
  void run(Session&) override {}

 private:
  const CLI::App* cli_ = nullptr;
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
