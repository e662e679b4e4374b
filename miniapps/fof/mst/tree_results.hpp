#pragma once
/// \file
/// Computes, checks and writes the spanning tree for `--output-mst` and `--dendrogram`.

#include "../measured_linking.hpp"
#include "../request.hpp"
#include "tree_edge.hpp"
#include <copse/app/session.hpp>

#include <filesystem>
#include <vector>

namespace copse::fof {

/// \throws InputError unless the suffix is .h5, .hdf5 or .csv
void check_mst_path(const std::filesystem::path& path);
/// \throws InputError unless the suffix is .csv or .json
void check_dendrogram_path(const std::filesystem::path& path);

/// Rejects output paths that cannot be written, and runs on several ranks, which have no tree.
/// Collective.
/// \throws InputError
void check_tree_request(app::Session& session, const Request& request);

/// The minimum spanning tree of the input, computed once by emst-boruvka on the first backend of
/// the request. With --verify, checks that no edge is missing, that the edges shorter than b give
/// the groups of `labels`, and that the edges shorter than b / 2 give the groups of the reference
/// (up to whole_limit particles). Empty if the request needs no tree.
std::vector<TreeEdge> grow_tree(app::Session& session, const Communicator& comm,
                                const Request& request, const LinkedInput& input,
                                const GlobalLabels<Kokkos::HostSpace>& labels);

/// Writes the files named in the request.
/// \throws InputError naming a file that cannot be written
void write_tree(app::Session& session, const Request& request, const LinkedInput& input,
                std::vector<TreeEdge> tree);

}  // namespace copse::fof
