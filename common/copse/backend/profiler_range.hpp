#pragma once
/// \file
/// Named ranges for the vendor's profilers: kernels launched inside a range are shown with its
/// name, while a kernel's own name is that of a template. No effect in a build without a device;
/// negligible cost without a profiler.

namespace copse {

/// Begins a range nested in this thread's open ranges. `name` is copied.
void begin_profiler_range(const char* name);
/// Ends this thread's innermost range.
void end_profiler_range();

}  // namespace copse
