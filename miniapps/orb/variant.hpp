#pragma once
/// \file
/// The chain of variants of ORB as the thesis builds them up ([Rehmann 2022] chapters 3, 5 and 6):
/// cut search, count kernel, placement and partition.

#include <copse/backend/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace copse::orb {

/// The search for a cell's cut.
enum class CutMethod : std::uint8_t {
  bisection,          ///< halve the box, count, halve again ([Rehmann 2022] algorithm 2)
  sampled_bisection,  ///< the same, starting at a sample quantile ([Rehmann draft])
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

/// Where particles are stored and where work is done.
enum class Placement : std::uint8_t {
  host,             ///< everything on the host
  count_on_device,  ///< particles on the host, cuts on the backend (section 6.4.1)
  device,           ///< everything on the backend, level by level (section 6.7)
  fused,            ///< several levels per move: OrbBuilder with the fused engine
  best              ///< the fastest measured on the backend: OrbBuilder
};

/// How rows are moved to their side of the cut.
enum class PartitionMethod : std::uint8_t {
  hoare,  ///< swaps in place, one thread per cell; host only (listing 7, corrected)
  scan,   ///< the best: stable, out of place
  atomic  ///< block-wise scans, ranges by atomics (section 6.7.2); not stable
};

struct Variant {
  CutMethod cut = CutMethod::select;
  CountMethod count = CountMethod::warp;
  Placement placement = Placement::best;
  PartitionMethod partition = PartitionMethod::scan;
  /// For the two bisections: a cut is accepted if its left count differs from the rule's by at most
  /// this.
  Count alpha = 0;
  /// For the two bisections: maximum number of counts per level; 0: until the bounds of every cut
  /// are adjacent numbers. (The thesis' p = 32.)
  Count max_steps = 0;
  /// For count_on_device with histograms: particles of a batch; 0: the device holds whole columns.
  Count batch = 0;
  int bits = 0;  ///< of a streamed coordinate, in fixed point of the box; 0: as it is

  /// Is the tree built by OrbBuilder, with its own cuts and moves?
  bool uses_builder() const {
    return placement == Placement::fused || placement == Placement::best;
  }
  bool bisects() const {
    return cut == CutMethod::bisection || cut == CutMethod::sampled_bisection;
  }
  /// Do leaves keep the order of the input?
  bool is_stable() const { return partition == PartitionMethod::scan; }
  /// Is the order of the rows the same in every run?
  bool is_repeatable() const { return partition != PartitionMethod::atomic; }
};

/// Counters of one level of a variant's build.
struct LevelLog {
  Count cells = 0;            ///< non-empty cells to be cut
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
/// \throws InputError in one sentence if parts of the variant are incompatible
void refuse_impossible(const Variant& variant, std::string_view backend);

}  // namespace copse::orb
