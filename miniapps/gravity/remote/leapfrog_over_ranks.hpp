#pragma once
/// \file
/// Leapfrog steps over ranks. After every drift domains are cut by the work of the last walk,
/// bodies move to their owners with all they carry, and the tree is built again. The states are
/// those of one rank, bit by bit (shared_tree.hpp), whatever the domains; sums over all bodies
/// agree to rounding.

#include "../motion/evolution.hpp"
#include <copse/app/session.hpp>

#include <memory>
#include <string>

namespace copse::gravity {

/// The bodies of the input or of --restart, which any number of ranks may have written.
/// \throws InputError as load_bodies and read_restart, on every rank
template <class ExecutionSpace>
std::unique_ptr<Evolving> make_motion_over_ranks(const ExecutionSpace& space, app::Session& session,
                                                 const Request& request, const std::string& method,
                                                 std::uint32_t bucket_size);

}  // namespace copse::gravity
