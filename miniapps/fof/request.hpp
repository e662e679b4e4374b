#pragma once
/// \file
/// The options of fof and what they ask for.

#include "linker.hpp"
#include <copse/app/command_line.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/particles.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace copse::fof {

struct Request {
  std::vector<std::string> methods;   ///< names, see methods.hpp; all must give the same groups
  std::vector<std::string> backends;  ///< each runs every method
  /// For each level of groups within groups, none longer than the one before. A list of one is
  /// for all levels.
  std::vector<double> linking_length;  ///< b in units of length, or, if there is none,
  std::vector<double> b{0.2};          ///< in units of the mean separation
  std::vector<double> velocity_link;   ///< psi; without, or infinite, groups are 3-D
  std::optional<Species> species;      ///< what is linked; without, all particles
  bool inclusive = false;
  bool isolated = false;         ///< forget that the box is periodic
  bool periodic = false;         ///< make it periodic
  std::optional<double> period;  ///< with this side
  Count min_members = 20;
  LinkOptions link;
  std::optional<std::filesystem::path> mst;         ///< where the spanning tree goes
  std::optional<std::filesystem::path> dendrogram;  ///< and the groups of every linking length
  std::string sabotage;

  int levels() const;
  bool in_phase_space() const;  ///< on any level
  bool wants_tree() const { return mst || dendrogram; }
};

/// Declares the options and completes the request from them.
class RequestOptions {
 public:
  void declare(CLI::App& cli);
  /// \throws InputError for values that make no sense or contradict each other
  Request complete(const app::CommonOptions& options);

 private:
  Request request_;
  std::string method_ = "leaf-pairs";
  std::string species_ = "all";
  bool all_backends_ = false;
  Count bucket_size_ = 0;
  Count max_depth_ = 0;
  CLI::Option* periodic_option_ = nullptr;
  std::vector<CLI::Option*> list_options_;
};

/// The box that particles are linked in: the input's, made periodic or isolated as asked.
Box<3> linking_box(const Request& request, const Box<3>& input);

/// b and psi of a level in the units of the particles: `--linking-length`, or `--b` times
/// (volume / n)^(1/3).
LinkingLengths linking_lengths(const Request& request, const Box<3>& box, Count particles,
                               int level = 0);

}  // namespace copse::fof
