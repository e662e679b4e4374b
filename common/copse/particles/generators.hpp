#pragma once
/// \file
/// Synthetic particle sets, seeded, and the same bits everywhere.
///
/// Invariants
///  - Row i of a data set depends on the options and on i alone. Any rank may generate any rows
///    [first, first + count), and the slices of any split put together are the whole.
///  - Every backend writes the same bits: random numbers are counter-based (`philox.hpp`), and
///    floating-point work uses only operations that IEEE 754 rounds correctly (+ - * / sqrt) and
///    the suite's own elementary functions (`portable_math.hpp`), compiled without contraction.
///  - Every position lies in [lower, upper) of the box in `Real`: a coordinate that rounds up to
///  the
///    upper face is moved to the largest `Real` below it.
///
/// Columns, when asked for: `id` is the global index i; `mass` is 1/N, so the total is 1; `weight`
/// is a synthetic cost per particle, Pareto distributed with index 2 (P(w > x) = x^-2 for x >= 1:
/// mean 2, no variance), cut at 2^16; `species` is dark; `velocity` is zero in the models that have
/// none (uniform, normal, lattice, soneira-peebles). Units: G = 1, total mass 1, and the length
/// unit of each model's box.

#include <copse/backend/backends.hpp>
#include <copse/particles/particles.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace copse {

/// Which data set to generate.
struct GeneratorOptions {
  std::string kind = "uniform";  ///< one of `generator_names()`
  Count particles = 0;           ///< N, size of the global set: 1 to `max_generated_particles`
  std::uint64_t seed = 42;
  ColumnSet columns;  ///< optional columns to fill
};

/// Largest N: every global index and every count stays exact in double.
inline constexpr Count max_generated_particles = Count{1} << 48;

/// The kinds this build can generate, in the order they are documented.
std::vector<std::string> generator_names();

/// One line about a kind for `--list`.
/// \throws InputError for an unknown kind; the message lists the known ones.
std::string generator_description(const std::string& kind);

/// The box of a kind: what `Particles::box` will be.
/// \throws InputError as `generate` does.
Box<3> generator_box(const GeneratorOptions& options);

/// Generates rows [first, first + count) of the global set in `space`'s memory; returns after the
/// work is queued on `space` and fenced. One data-parallel kernel, O(count).
/// \throws InputError for an unknown kind, for N = 0 or N > `max_generated_particles`, for rows
///         outside the set, and for more rows than one rank can hold.
template <class ExecutionSpace>
Particles<typename ExecutionSpace::memory_space> generate(const ExecutionSpace& space,
                                                          const GeneratorOptions& options,
                                                          Count first, Count count);

#define COPSE_DECLARE_GENERATE(ExecutionSpace)                                      \
  extern template Particles<ExecutionSpace::memory_space> generate<ExecutionSpace>( \
      const ExecutionSpace&, const GeneratorOptions&, Count, Count);
COPSE_FOR_EACH_BACKEND(COPSE_DECLARE_GENERATE)
#undef COPSE_DECLARE_GENERATE

}  // namespace copse
