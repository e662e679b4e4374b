#pragma once
/// \file
/// Named ranges for the vendor's profilers: what is launched inside one carries its name there,
/// where a kernel's own name is that of a template. Nothing on a build without a device, and next
/// to nothing while no profiler looks on.

namespace copse {

/// Begins a range of this thread inside those that are open. `name` is copied.
void begin_profiler_range(const char* name);
/// Ends the thread's innermost range.
void end_profiler_range();

}  // namespace copse
