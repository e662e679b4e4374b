#pragma once
/// \file
/// The request: the command-line options of a run and the settings derived from them.

#include "linker.hpp"
#include <copse/app/command_line.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/particles.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace copse::fof {

struct Request {
  std::vector<std::string> methods;   ///< method names (methods.hpp); all must give the same groups
  std::vector<std::string> backends;  ///< each backend runs every method
  /// One value per level of sub-groups, not increasing. A single value applies to all levels.
  std::vector<double> linking_length;  ///< b in units of length; if empty, `b` applies
  std::vector<double> b{0.2};          ///< b in units of the mean separation
  std::vector<double> velocity_link;   ///< psi; empty or infinite: groups in 3-D
  std::optional<Species> species;      ///< species to link; if unset, all particles
  bool inclusive = false;
  bool isolated = false;         ///< treat the box as not periodic
  bool periodic = false;         ///< treat the box as periodic
  std::optional<double> period;  ///< side of the periodic box
  Count min_members = 20;
  LinkOptions link;
  std::optional<std::filesystem::path> mst;         ///< output file of the spanning tree
  std::optional<std::filesystem::path> dendrogram;  ///< output file of the dendrogram

  int levels() const;
  bool in_phase_space() const;  ///< true if any level links in 6-D
  bool wants_tree() const { return mst || dendrogram; }

  /// `cli` must outlive the call of `settle`.
  void declare(CLI::App& cli);
  /// Checks that the options are consistent and fills what is derived from them.
  /// \throws InputError for invalid or contradictory values
  void settle(const app::CommonOptions& common);

 private:
  std::string method_ = "leaf-pairs";
  std::string species_ = "all";
  bool all_backends_ = false;
  Count bucket_size_ = 0;
  Count max_depth_ = 0;
  const CLI::App* cli_ = nullptr;  ///< while options are parsed
};

/// The box used for linking: that of the input, made periodic or isolated on request.
Box<3> linking_box(const Request& request, const Box<3>& input);

/// b and psi of a level in the units of the particles: `--linking-length`, or `--b` times
/// (volume / n)^(1/3).
/// \throws InputError if `--b` applies and the box has no volume
LinkingLengths linking_lengths(const Request& request, const Box<3>& box, Count particles,
                               int level = 0);

}  // namespace copse::fof
