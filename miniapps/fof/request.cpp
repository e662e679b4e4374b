#include "request.hpp"

#include "catalogue/output.hpp"
#include "methods.hpp"
#include "mst/tree_results.hpp"
#include "species/selection.hpp"
#include <copse/app/choices.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/lanes.hpp>
#include <copse/backend/packet.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

namespace copse::fof {

namespace {

/// A result file and the option that names it.
struct NamedFile {
  const char* option;
  std::optional<std::filesystem::path> path;
};

/// Rejects two results with the same path, where the second would overwrite the first.
void refuse_one_file_twice(const std::vector<NamedFile>& files) {
  const auto place = [](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (files[i].path && files[j].path && place(*files[i].path) == place(*files[j].path))
        throw InputError(fmt::format("{} and {} are both '{}'", files[j].option, files[i].option,
                                     files[i].path->string()));
}

/// CLI range checks accept NaN, this does not.
void refuse_impossible(const char* option, double value) {
  if (!(value <= static_cast<double>(std::numeric_limits<Real>::max())))
    throw InputError(fmt::format("{} {} is not a number in the range of positions", option, value));
}

std::vector<double> parse_links(const std::string& option, const std::string& text) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    double value = 0.0;
    const char* last = text.data() + end;
    const auto [stop, error] = std::from_chars(text.data() + begin, last, value);
    if (error != std::errc{} || stop != last || !(value > 0.0))
      throw InputError(fmt::format(
          "{} '{}' is neither a positive number nor a comma-separated list of them", option, text));
    const bool in_space = std::isinf(value) && option == "--velocity-link";
    if (!in_space) refuse_impossible(option.c_str(), value);
    if (!values.empty() && value > values.back())
      throw InputError(fmt::format(
          "{} '{}': groups within groups need links that do not increase from level to level",
          option, text));
    values.push_back(value);
    begin = end + 1;
  }
  return values;
}

double of_level(const std::vector<double>& values, int level) {
  return values.size() == 1 ? values.front() : values[static_cast<std::size_t>(level)];
}

/// Lists must have equal lengths, and consecutive levels must differ.
void check_levels(const Request& request) {
  const auto& lengths = request.linking_length.empty() ? request.b : request.linking_length;
  const auto& velocities = request.velocity_link;
  if (lengths.size() > 1 && velocities.size() > 1 && lengths.size() != velocities.size())
    throw InputError(
        fmt::format("{} linking lengths and {} velocity links: give the same number of both, or "
                    "one for all levels",
                    lengths.size(), velocities.size()));
  for (int k = 1; k < request.levels(); ++k) {
    const bool same_velocity =
        velocities.empty() || of_level(velocities, k) == of_level(velocities, k - 1);
    if (of_level(lengths, k) == of_level(lengths, k - 1) && same_velocity)
      throw InputError(fmt::format("level {} has the same links as the level above", k));
  }
}

}  // namespace

int Request::levels() const {
  const auto& lengths = linking_length.empty() ? b : linking_length;
  return static_cast<int>(std::max(lengths.size(), velocity_link.size()));
}

bool Request::in_phase_space() const {
  return std::any_of(velocity_link.begin(), velocity_link.end(),
                     [](double psi) { return std::isfinite(psi); });
}

void Request::declare(CLI::App& cli) {
  app::add_choice_option(cli, "--method", method_, app::names_of(fof::methods(), {"all"}),
                         "Method that finds and links friends");
  const auto add_list = [&](const char* name, std::vector<double>& values, const char* what) {
    app::add_parsed_option(
        cli, name, "FLOAT[,...]", what,
        [name, &values](const std::string& text) { values = parse_links(name, text); });
  };
  add_list("--linking-length", linking_length,
           "Linking length, in units of the positions; a non-increasing list gives groups within "
           "groups");
  add_list("--b", b, "Linking length in units of the mean separation, or a list");
  app::exclude_options(cli, "--b", {"--linking-length"});
  add_list("--velocity-link", velocity_link,
           "Link in phase space with this velocity link, in units of the velocities; or a list, "
           "whose first entry may be inf");
  app::add_choice_option(cli, "--species", species_, species_choices(),
                         "Link only these particles; attach each of the others to the group of its "
                         "nearest linked particle");
  app::add_flag(cli, "--inclusive", inclusive, "Also link pairs at exactly the linking length");
  app::add_number_option(cli, "--periodic", period,
                         "Make the box periodic, with sides of this length; default: the sides of "
                         "the input's box",
                         app::positive_numbers);
  app::make_value_optional(cli, "--periodic");
  app::add_flag(cli, "--isolated", isolated, "Ignore any periodicity of the input's box");
  app::exclude_options(cli, "--isolated", {"--periodic"});
  app::add_count_option(cli, "--min-members", min_members,
                        "Minimum number of particles in a group");
  app::add_count_option(cli, "--bucket-size", bucket_size_,
                        "Maximum particles in a tree leaf; 0: chosen by the method", 0);
  app::add_count_option(cli, "--max-depth", max_depth_, "Maximum depth of the kd-tree; 0: no limit",
                        0);
  app::add_file_option(cli, "--output-mst", mst,
                       "Write the minimum spanning tree (.h5, .hdf5, .csv); --method emst-boruvka");
  app::add_file_option(
      cli, "--dendrogram", dendrogram,
      "Write the number of groups for every linking length (.csv, .json); --method "
      "emst-boruvka");
  app::add_flag(cli, "--all-backends", all_backends_,
                "Run on every backend of this build; compare times and results");
  cli_ = &cli;
}

void Request::settle(const app::CommonOptions& common) {
  periodic = app::is_given(*cli_, "--periodic");
  cli_ = nullptr;  // valid only during the parse
  methods = method_ == "all" ? exact_method_names() : std::vector<std::string>{method_};
  species = species_named(species_);
  backends = all_backends_ ? backend_names() : std::vector<std::string>{common.backend};
  check_levels(*this);
  refuse_impossible("--periodic", period.value_or(1));
  if (bucket_size_ > 65536)
    throw InputError(fmt::format("--bucket-size {} is more than the maximum, 65536", bucket_size_));
  if (max_depth_ > 30)
    throw InputError(fmt::format("--max-depth {} is more than the maximum, 30", max_depth_));
  const auto has_leaves = [](const std::string& name) {
    return method_named(name).bucket_size > 0;
  };
  if (bucket_size_ > 0 && std::none_of(methods.begin(), methods.end(), has_leaves))
    throw InputError(fmt::format(
        "--bucket-size is for methods whose tree has leaves, not for --method {}", method_));
  if (max_depth_ > 0 && method_ != "kd-tree")
    throw InputError(fmt::format("--max-depth belongs to --method kd-tree, not {}", method_));
  if (methods.front() == "leaf-pairs")
    for (const std::string& backend : backends) {
      const Count lanes = backend == "cuda" ? packet_width : vector_lanes;
      if (bucket_size_ > lanes)
        throw InputError(fmt::format(
            "--bucket-size {} is more than the lanes of a packet of leaf-pairs on {}, {}",
            bucket_size_, backend, lanes));
    }
  link.bucket_size = static_cast<std::uint32_t>(bucket_size_);
  link.max_depth = static_cast<int>(max_depth_);
  if (common.output) check_output_path(*common.output);
  if (mst) check_mst_path(*mst);
  if (dendrogram) check_dendrogram_path(*dendrogram);
  refuse_one_file_twice({{"--output", common.output},
                         {"--json", common.json},
                         {"--output-mst", mst},
                         {"--dendrogram", dendrogram}});
  if (wants_tree() && method_ != "emst-boruvka")
    throw InputError("--output-mst and --dendrogram belong to --method emst-boruvka");
}

Box<3> linking_box(const Request& request, const Box<3>& input) {
  Box<3> box = input;
  for (int a = 0; a < 3; ++a) {
    if (request.isolated) box.periodic[a] = false;
    if (request.periodic) box.periodic[a] = true;
    if (request.period) box.upper[a] = box.lower[a] + static_cast<Real>(*request.period);
  }
  return box;
}

LinkingLengths linking_lengths(const Request& request, const Box<3>& box, Count particles,
                               int level) {
  LinkingLengths links;
  links.inclusive = request.inclusive;
  links.velocity = request.velocity_link.empty() ? std::numeric_limits<double>::infinity()
                                                 : of_level(request.velocity_link, level);
  const double separation =
      std::cbrt(box.volume() / static_cast<double>(std::max<Count>(1, particles)));
  links.length = request.linking_length.empty() ? of_level(request.b, level) * separation
                                                : of_level(request.linking_length, level);
  if (!(links.length > 0.0))
    throw InputError("--b needs a box with a volume: give --box, --periodic or --linking-length");
  return links;
}

}  // namespace copse::fof
