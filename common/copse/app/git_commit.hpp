#pragma once
/// \file
/// The commit this build was made from. Its source is written at build time by git_commit.cmake.

namespace copse::app {

/// Hexadecimal commit, or "unknown" outside a git checkout.
extern const char* const git_commit;
/// True if tracked files differed from that commit when the build ran.
extern const bool git_dirty;

}  // namespace copse::app
