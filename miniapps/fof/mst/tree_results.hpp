#pragma once
/// \file
/// What `--output-mst` and `--dendrogram` ask for: the whole spanning tree, checked and written.

#include "../measured_linking.hpp"
#include "../request.hpp"
#include "tree_edge.hpp"
#include <copse/app/session.hpp>

#include <filesystem>
#include <vector>

namespace copse::fof {

/// The sabotage that loses an edge of the tree, for --sabotage.
inline constexpr const char* lost_edge_sabotage = "tree-lost-edge";

/// \throws InputError unless the suffix is .h5, .hdf5 or .csv
void check_mst_path(const std::filesystem::path& path);
/// \throws InputError unless the suffix is .csv or .json
void check_dendrogram_path(const std::filesystem::path& path);

/// Refuses files that could not be written later, and several ranks: a tree is of one. Collective.
/// \throws InputError
void check_tree_request(app::Session& session, const Request& request);

/// The minimum spanning tree of the input, grown once by emst-boruvka on the first backend of the
/// request. With --verify, checks that it has all edges, that the groups of its edges shorter than
/// b are those of `labels`, and that those of its edges shorter than b / 2 are those that the
/// reference finds (up to whole_limit particles). Empty if the request wants no tree.
std::vector<TreeEdge> grow_tree(app::Session& session, const Request& request,
                                const LinkedInput& input,
                                const GlobalLabels<Kokkos::HostSpace>& labels);

/// Writes the files that the request names.
void write_tree(app::Session& session, const Request& request, const LinkedInput& input,
                const std::vector<TreeEdge>& tree);

}  // namespace copse::fof
