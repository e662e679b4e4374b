#pragma once
/// \file
/// The chain of variants of ORB as the thesis builds them up ([Rehmann 2022] chapters 3, 5 and 6):
/// how cuts are found, how keys are counted for that, where each part runs, how rows are moved.

#include <copse/backend/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse::orb {

/// How the cut of a cell is found.
enum class CutMethod : std::uint8_t {
  bisection,          ///< halve the box, count, halve again ([Rehmann 2022] algorithm 2)
  sampled_bisection,  ///< the same from the quantile of a sample ([Rehmann draft])
  histogram,          ///< digit by digit of the keys, the most significant first
  quickselect,        ///< std::nth_element, cell by cell; host only
  select              ///< the best: exact sampled selection
};

/// How a bisection counts the keys up to a cut.
enum class CountMethod : std::uint8_t {
  per_cell,  ///< one launch per cell (section 6.4)
  batched,   ///< one launch for all cells, over a table of blocks (section 6.5)
  warp       ///< the same with wide loads and reductions in registers (section 6.6)
};

/// Where particles live and what computes.
enum class Placement : std::uint8_t {
  host,             ///< everything on the host, whatever the backend
  count_on_device,  ///< particles on the host, cuts found on the backend (section 6.4.1)
  device,           ///< everything on the backend, level by level (section 6.7)
  fused,            ///< several levels per movement: OrbBuilder with the fused engine
  best              ///< whatever was measured to be fastest on the backend: OrbBuilder
};

/// How rows are brought to their side of the cut.
enum class PartitionMethod : std::uint8_t {
  hoare,  ///< swaps in place, a thread per cell; host only (listing 7, corrected)
  scan,   ///< the best: stable, out of place
  atomic  ///< block-wise scans, places by atomics (section 6.7.2); not stable
};

struct Variant {
  CutMethod cut = CutMethod::select;
  CountMethod count = CountMethod::warp;
  Placement placement = Placement::best;
  PartitionMethod partition = PartitionMethod::scan;
  /// Of the two bisections: a cut is good enough with a left count this near to the rule's.
  Count alpha = 0;
  /// Of the two bisections: counts made of one level at most; 0: until the bounds of every cut are
  /// neighbouring numbers. (The thesis' p = 32.)
  Count max_steps = 0;

  /// Whether OrbBuilder does it, with its own way to cut and to move.
  bool uses_builder() const {
    return placement == Placement::fused || placement == Placement::best;
  }
  bool bisects() const {
    return cut == CutMethod::bisection || cut == CutMethod::sampled_bisection;
  }
  /// Whether leaves keep the order of the input.
  bool is_stable() const { return partition == PartitionMethod::scan; }
  /// Whether the order of the rows is the same in every run.
  bool is_repeatable() const { return partition != PartitionMethod::atomic; }
};

/// What a build of a variant did in one level, counted while it did it.
struct LevelLog {
  Count cells = 0;            ///< cells of the level that were to be cut and had particles
  int iterations = 0;         ///< counts (or histograms) of the whole level
  Count launches = 0;         ///< kernels launched to count or to make histograms
  Count keys_counted = 0;     ///< keys read by those kernels
  Count bytes_to_device = 0;  ///< of particles, for this level
};

struct BuildLog {
  std::vector<LevelLog> levels;  ///< from the root down
};

/// Names on the command line, in the order of the enums.
std::vector<std::string> cut_names();
std::vector<std::string> count_names();
std::vector<std::string> placement_names();
std::vector<std::string> partition_names();
std::string name_of(CutMethod cut);
std::string name_of(Placement placement);

/// \pre the name is one of those above
CutMethod cut_named(std::string_view name);
CountMethod count_named(std::string_view name);
Placement placement_named(std::string_view name);
PartitionMethod partition_named(std::string_view name);

/// One line for each variant, for `--list`.
std::vector<std::string> list_variants();

/// \param backend  where the variant is to run
/// \throws InputError in one sentence if the parts of the variant do not go together
void refuse_impossible(const Variant& variant, std::string_view backend);

}  // namespace copse::orb
