#include <copse/app/command_line.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/app/option_values.hpp>
#include <copse/app/provenance/provenance.hpp>
#include <copse/backend/backends.hpp>
#include <copse/particles/generators.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <stdexcept>
#include <string>

namespace copse::app {
namespace {

/// The type of a count in `--help`.
const std::string count_type = "N";

/// The backends of this build, listed without an execution space: Kokkos is not running yet.
std::vector<std::string> built_backends() {
  return []<class... Spaces>(TypeList<Spaces...>) {
    return std::vector<std::string>{std::string(backend_name<Spaces>())...};
  }(Backends{});
}

/// An option whose text is parsed by `parse`, which throws InputError.
CLI::Option* add_parsed(CLI::App& cli, const std::string& name, const std::string& type,
                        const std::string& default_text, const std::string& description,
                        std::function<void(const std::string&)> parse) {
  CLI::Option* option = cli.add_option_function<std::string>(name, std::move(parse), description);
  option->type_name(type);
  if (!default_text.empty()) option->default_str(default_text);
  return option;
}

/// CLI::Range lets NaN through.
void limit(CLI::Option* option, const NumberRange& range) {
  if (!(range.least <= range.most))
    throw std::logic_error(option->get_name() + " has a range without numbers");
  option->check(CLI::Validator(
      [range](const std::string& text) {
        double value = 0.0;
        if (CLI::detail::lexical_cast(text, value) && value >= range.least && value <= range.most)
          return std::string();
        return fmt::format("'{}' is not a number{}{}", text,
                           range.name.empty() ? "" : " in the range ", range.name);
      },
      range.name));
}

std::uint64_t parse_integer(const std::string& option, const std::string& text, std::uint64_t least,
                            std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || value < least || value > most)
    throw InputError(
        fmt::format("{} '{}' is not a whole number from {} to {}", option, text, least, most));
  return value;
}

std::filesystem::path parse_path(const std::string& option, const std::string& text) {
  if (text.empty()) throw InputError(option + " needs the name of a file");
  return text;
}

bool generates(const MiniApp& mini_app, const std::string& kind) {
  const auto kinds = mini_app.generators();
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// Every shared option, one row each.
void add_common_options(CLI::App& cli, const MiniApp& mini_app, CommonOptions& o) {
  const auto add = [&](const std::string& name, const std::string& type, const std::string& preset,
                       const std::string& description, std::function<void(const std::string&)> f) {
    add_parsed(cli, name, type, preset, description, std::move(f));
  };
  add("--generate", "KIND", o.generate,
      fmt::format("Generate particles: {}", fmt::join(mini_app.generators(), ", ")),
      [&o](const std::string& text) { o.generate = text; });
  add("--particles", count_type, std::to_string(o.particles),
      "Particles to generate, over all ranks: 1000, 1e7, 2^20, 10k",
      [&o](const std::string& text) { o.particles = parse_positive_count("--particles", text); });
  add("--seed", "UINT", std::to_string(o.seed), "Seed of all random numbers",
      [&o](const std::string& text) {
        o.seed = parse_integer("--seed", text, 0, ~std::uint64_t{0});
      });
  if (generates(mini_app, "nfw"))
    limit(cli.add_option("--halo-fraction", o.halo_fraction,
                         "Fraction of the particles that nfw puts into haloes, 0 to 1")
              ->default_str(fmt::format("{}", ModelParameters{}.halo_fraction)),
          {0.0, 1.0, "0 to 1"});
  add("--input", "FILE", "", "Read particles from a snapshot file",
      [&o](const std::string& text) { o.input = parse_path("--input", text); });
  add("--subsample", count_type, "",
      "Keep N randomly chosen particles over all ranks; the choice depends on --seed and the "
      "particles alone",
      [&o](const std::string& text) { o.subsample = parse_positive_count("--subsample", text); });
  add("--box", "BOX", "",
      "Domain of the input: L or x0,y0,z0,x1,y1,z1; append ':periodic' if it is periodic",
      [&o](const std::string& text) { o.box = parse_box("--box", text); });
  add("--backend", "NAME", o.backend, fmt::format("One of {}", fmt::join(built_backends(), ", ")),
      [&o](const std::string& text) { o.backend = text; });
  add("--repeat", "UINT", std::to_string(o.repeat), "Timed runs, after one untimed warm-up run",
      [&o](const std::string& text) {
        o.repeat = static_cast<int>(parse_integer("--repeat", text, 1, 1'000'000));
      });
  add("--json", "FILE", "", "Write the report of the run",
      [&o](const std::string& text) { o.json = parse_path("--json", text); });
  add("--output", "FILE", "", "Write the results",
      [&o](const std::string& text) { o.output = parse_path("--output", text); });
  cli.add_flag("--verify", o.verify, "Check the result independently; exit 1 if it is wrong");
  cli.add_flag("--dry-run", o.dry_run, "Print what the run would need, without running");
  cli.add_flag("--quiet", o.quiet, "Print the figures of merit only");
  cli.add_flag("--kernel-times", o.kernel_times,
               "Time every kernel, with a fence around each one (slower)");
}

/// Checks of shared options against each other.
void validate_common(const CLI::App& cli, const MiniApp& mini_app, const CommonOptions& o) {
  if (o.input) {
    if (cli.count("--generate") > 0)
      throw InputError("--generate and --input exclude each other: give one of them");
    if (cli.count("--particles") > 0)
      throw InputError("--particles belongs to --generate: a file has a fixed number of particles");
  } else if (o.box) {
    throw InputError("--box belongs to --input: generators define their own box");
  }
  if (o.subsample && !o.input && *o.subsample > o.particles)
    throw InputError(
        fmt::format("--subsample {} is more than the {} particles", *o.subsample, o.particles));
  if (!generates(mini_app, o.generate))
    throw InputError(fmt::format("--generate '{}' is not one of {}", o.generate,
                                 fmt::join(mini_app.generators(), ", ")));
  if (o.halo_fraction && (o.input || o.generate != "nfw"))
    throw InputError("--halo-fraction belongs to --generate nfw: other generators have no haloes");
  const auto backends = built_backends();
  if (std::find(backends.begin(), backends.end(), o.backend) == backends.end())
    throw InputError(fmt::format("--backend '{}' is not in this build, which has {}", o.backend,
                                 fmt::join(backends, ", ")));
}

/// A list of one number is a number.
constexpr const char* list_type = "FLOAT[,...]";

/// Counts, and the names CLI11 gives to its own numeric types, which a range may follow.
bool is_numeric_type(const std::string& type) {
  if (type == list_type) return false;
  const auto starts = [&](const char* name) { return type.starts_with(name); };
  return type == count_type || starts("INT") || starts("UINT") || starts("FLOAT");
}

std::vector<Parameter> parameters_in_effect(const CLI::App& cli) {
  std::vector<Parameter> parameters;
  for (const CLI::Option* option : cli.get_options()) {
    Parameter p;
    p.name = option->get_single_name();
    const bool given = option->count() > 0;
    const bool action = p.name == "help" || p.name == "version" || p.name == "list";
    const bool hidden = option->get_group().empty();
    if (action || (hidden && !given)) continue;
    if (option->get_items_expected_max() == 0) {
      p.kind = Parameter::Kind::flag;
      p.value = given ? "true" : "false";
    } else {
      const std::string type = option->get_type_name();
      p.value =
          given ? fmt::format("{}", fmt::join(option->results(), " ")) : option->get_default_str();
      if (is_numeric_type(type) || (type == list_type && p.value.find(',') == std::string::npos))
        p.kind = Parameter::Kind::number;
      if (type == count_type && !p.value.empty())
        p.value = std::to_string(parse_count(p.name, p.value));
    }
    parameters.push_back(std::move(p));
  }
  return parameters;
}

std::string lines_of(const std::vector<std::string>& entries) {
  return entries.empty() ? "(nothing to list)\n" : fmt::format("{}\n", fmt::join(entries, "\n"));
}

/// One line that starts with the option, like CLI11's own messages.
std::string sentence_of(const CLI::ParseError& error) {
  std::string text = error.what();
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv, MiniApp& mini_app) {
  CommandLine line;
  line.options.backend = default_backend_name();
  line.options.generate = mini_app.generators().front();

  CLI::App cli(mini_app.description(), mini_app.name());
  // Left-over arguments are reported below with our own message.
  cli.allow_extras();
  add_common_options(cli, mini_app, line.options);
  bool version = false;
  bool list = false;
  cli.add_flag("--list", list, "List the algorithms and variants");
  cli.add_flag("--version", version, "Print the version and the commit");
  mini_app.add_options(cli);
  cli.footer("Options that start with --kokkos- go to Kokkos (see --kokkos-help).");

  // CLI11 takes the arguments in reverse order.
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    const std::string argument = argv[i];
    auto& list_of_owner = argument.starts_with("--kokkos-") ? line.kokkos_arguments : arguments;
    list_of_owner.push_back(argument);
  }
  std::reverse(line.kokkos_arguments.begin(), line.kokkos_arguments.end());
  try {
    cli.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    line.information = cli.help();
    return line;
  } catch (const CLI::ParseError& error) {
    throw InputError(sentence_of(error));
  }
  if (version) {
    const auto git = git_section();
    line.information =
        fmt::format("{} {}, commit {}{}\n", mini_app.name(), COPSE_VERSION,
                    git["commit"].get<std::string>(), git["dirty"].get<bool>() ? "-dirty" : "");
    return line;
  }
  if (const auto extras = cli.remaining(); !extras.empty()) {
    const bool option = extras.front().starts_with("-");
    throw InputError(fmt::format("{} '{}' (--help lists the options)",
                                 option ? "unknown option" : "unexpected argument",
                                 extras.front()));
  }
  if (list) {
    line.information = lines_of(mini_app.list());
    return line;
  }
  validate_common(cli, mini_app, line.options);
  mini_app.validate(line.options);
  line.parameters = parameters_in_effect(cli);
  return line;
}

void add_count_option(CLI::App& cli, const std::string& name, Count& value,
                      const std::string& description, Count minimum) {
  add_parsed(cli, name, count_type, std::to_string(value), description,
             [&value, name, minimum](const std::string& text) {
               value = parse_count(name, text);
               if (value < minimum)
                 throw InputError(fmt::format("{} '{}' must be at least {}", name, text, minimum));
             });
}

void add_choice_option(CLI::App& cli, const std::string& name, std::string& value,
                       const std::vector<std::string>& choices, const std::string& description) {
  add_parsed(cli, name, "NAME", value, fmt::format("{}: {}", description, fmt::join(choices, ", ")),
             [&value, name, choices](const std::string& text) {
               for (const auto& choice : choices)
                 if (choice == text) value = text;
               if (value != text)
                 throw InputError(
                     fmt::format("{} '{}' is not one of {}", name, text, fmt::join(choices, ", ")));
             });
}

void add_flag(CLI::App& cli, const std::string& name, bool& value, const std::string& description) {
  cli.add_flag(name, value, description);
}

void add_number_option(CLI::App& cli, const std::string& name, double& value,
                       const std::string& description, const NumberRange& range) {
  limit(cli.add_option(name, value, description)->capture_default_str(), range);
}

void add_number_option(CLI::App& cli, const std::string& name, std::optional<double>& value,
                       const std::string& description, const NumberRange& range) {
  limit(cli.add_option(name, value, description), range);
}

void add_file_option(CLI::App& cli, const std::string& name,
                     std::optional<std::filesystem::path>& value, const std::string& description) {
  cli.add_option(name, value, description)->type_name("FILE");
}

void add_parsed_option(CLI::App& cli, const std::string& name, const std::string& type,
                       const std::string& description,
                       std::function<void(const std::string&)> parse) {
  add_parsed(cli, name, type, "", description, std::move(parse));
}

void make_value_optional(CLI::App& cli, const std::string& name) {
  cli.get_option(name)->expected(0, 1);
}

void exclude_options(CLI::App& cli, const std::string& name,
                     const std::vector<std::string>& others) {
  for (const std::string& other : others) cli.get_option(name)->excludes(cli.get_option(other));
}

bool is_given(const CLI::App& cli, const std::string& name) {
  return cli.count(name) > 0;
}

}  // namespace copse::app
