#pragma once
/// \file
/// The common interface of programs and libraries that find groups of friends, for comparing them.
///
/// A finder is one file that implements `GroupFinder` and one entry in peer_groups.cpp. fof's own
/// methods are among them (copse_groups.cpp, copse_tree.cpp).

#include "clear_problem.hpp"
#include "tree_summary.hpp"
#include <copse/backend/types.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace copse::peers {

/// A name for each particle's group: equal names, same group. -1: a group of one.
using GroupNames = std::vector<std::int64_t>;

class GroupFinder {
 public:
  virtual ~GroupFinder() = default;

  /// Finds all groups, from the particles to their labels, tree included. The compared part is a
  /// profiling region with the name given at construction. Returns when the labels are written.
  virtual void find() = 0;

  /// The groups of the last call, by particle.
  virtual GroupNames names() const = 0;

  /// The edges of the last call, if it makes a spanning tree of all particles; otherwise none.
  virtual TreeEdges tree() const { return {}; }
};

/// Each particle's label: the smallest index of a particle in its group. O(n).
/// \throws std::runtime_error if a name is neither -1 nor in [0, n]
std::vector<LocalIndex> smallest_members(const GroupNames& names);

// Makers of finders. `backend` is the name of a backend of this build, `region` the name of the
// compared part.

/// fof's default method, leaf-pairs, or its method emst-boruvka, whose spanning trees grow up to
/// the linking length only.
std::unique_ptr<GroupFinder> make_copse_groups(const std::string& backend,
                                               const ClearProblem& problem,
                                               const std::string& region, bool boruvka);

/// The spanning tree of all particles that emst-boruvka makes for `fof --output-mst`, its edges in
/// ascending order, and the groups that its edges below the linking length connect.
std::unique_ptr<GroupFinder> make_copse_tree(const std::string& backend,
                                             const ClearProblem& problem,
                                             const std::string& region);

/// ArborX's DBSCAN with clusters of at least two points, of which every friend is a core point: the
/// groups of friends. `dense_box` chooses the second of its two implementations, its default.
std::unique_ptr<GroupFinder> make_arborx_groups(const std::string& backend,
                                                const ClearProblem& problem,
                                                const std::string& region, bool dense_box);

/// ArborX's spanning tree of all particles, and the groups that its edges below the linking length
/// connect. ArborX does not cut trees; the suite's disjoint sets join the ends of these edges.
std::unique_ptr<GroupFinder> make_arborx_tree(const std::string& backend,
                                              const ClearProblem& problem,
                                              const std::string& region);

/// The program `fof` of the University of Washington's N-Body Shop, on one core. The compared part
/// is its tree and its linking; reading the particles and writing the groups are not counted. Begin
/// and end are the times at which this process sees what the program prints, so runs of less than a
/// tenth of a second are not measured well.
/// \throws InputError if positions are not of single precision, which is all that it reads
std::unique_ptr<GroupFinder> make_washington_groups(const std::filesystem::path& program,
                                                    const ClearProblem& problem,
                                                    const std::string& region);

}  // namespace copse::peers
