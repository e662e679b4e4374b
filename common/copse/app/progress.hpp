#pragma once
/// \file
/// A progress line on the terminal.

#include <copse/backend/types.hpp>

#include <functional>
#include <string>

namespace copse::app {

/// Called occasionally with (items done, total items).
using Progress = std::function<void(Count, Count)>;

/// Shows "what 42 %" on one line of stderr, redrawn at most five times a second and erased when the
/// work is done. Does nothing, and costs next to nothing, if `enabled` is false.
Progress make_progress(const std::string& what, bool enabled);

/// True if stderr is a terminal.
bool stderr_is_terminal();

}  // namespace copse::app
