#pragma once
/// \file
/// The places where tests corrupt intermediate results, to show that --verify detects the damage.

namespace copse::app {

/// Corrupts a result; `context` is what a test may need to do so. Null in the programs themselves;
/// the programs `tests/miniapps/*/sabotaged_*.cpp` set it.
template <class Result, class... Context>
inline void (*corrupt)(Result& result, const Context&... context) = nullptr;

/// Marks a place where a result may be corrupted.
template <class Result, class... Context>
void corruptible(Result& result, const Context&... context) {
  if (corrupt<Result, Context...>) corrupt<Result, Context...>(result, context...);
}

}  // namespace copse::app
