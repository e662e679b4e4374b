#pragma once
/// \file
/// The commit of this build. git_commit.cmake writes its source at build time.

namespace copse::app {

/// Hexadecimal commit, or "unknown" outside a git checkout.
extern const char* const git_commit;
/// True if tracked files differed from that commit when the build ran.
extern const bool git_dirty;

}  // namespace copse::app
