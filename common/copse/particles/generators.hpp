#pragma once
/// \file
/// Synthetic particle sets, seeded and bitwise reproducible on every backend.
///
/// Invariants
///  - Row i of a data set depends only on the options and on i. Any rank may generate any rows
///    [first, first + count), and the slices of any split together form the whole set.
///  - Every backend writes the same bits: random numbers are counter-based (`philox.hpp`), and
///    floating-point code uses only operations that IEEE 754 rounds correctly (+ - * / sqrt) and
///    the suite's own elementary functions (`portable_math.hpp`), compiled without contraction.
///  - Every position lies in [lower, upper) of the box in `Real`: a coordinate that rounds up to
///    the upper face is moved to the largest `Real` below it.
///
/// Optional columns: `id` is the global index i; `mass` is 1/N, so the total is 1; `weight` is a
/// synthetic cost per particle, Pareto distributed with index 2 (P(w > x) = x^-2 for x >= 1: mean
/// 2, infinite variance), cut at 2^16; `species` is dark; `velocity` is zero in the models at rest
/// (uniform, normal, lattice, soneira-peebles). Units: G = 1, total mass 1, and the length unit of
/// each model's box.

#include <copse/backend/backends.hpp>
#include <copse/particles/particles.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace copse {

/// Shape parameters of the models. The defaults give the data sets of the suite's experiments.
struct ModelParameters {
  double normal_sigma = 0.125;  ///< standard deviation in box lengths: 1e-6 to 1

  double plummer_truncation = 10.0;  ///< outermost radius in Plummer radii: 0.1 to 1000

  int fractal_branching = 4;  ///< eta, sub-spheres per sphere: 2 to 64
  double fractal_ratio =
      3.0;  ///< lambda, radius of a sphere / radius of its sub-spheres: 1.1 to 64
  int fractal_levels =
      0;  ///< levels of spheres, 1 to 10; 0: the least with eta^levels >= N, at most 10

  double halo_fraction = 0.5;  ///< share of the particles in haloes: 0 to 1
  double halo_slope = 1.9;     ///< s of dn/dM ~ M^-s: 1.1 to 4
  Count halo_smallest = 0;     ///< particles in the smallest halo, >= 2; 0: max(20, N / 2^22)
  double halo_largest = 0.01;  ///< largest halo as a share of N: 1e-9 to 0.5
};

/// Which data set to generate.
struct GeneratorOptions {
  std::string kind = "uniform";  ///< one of `generator_names()`
  Count particles = 0;           ///< N, size of the global set: 1 to `max_generated_particles`
  std::uint64_t seed = 42;
  ColumnSet columns;  ///< optional columns to fill
  ModelParameters model;
};

/// Largest N: every global index and every count stays exact in double.
inline constexpr Count max_generated_particles = Count{1} << 48;

/// The kinds this build can generate, in the order of the documentation.
std::vector<std::string> generator_names();

/// One line about a kind for `--list`.
/// \throws InputError for an unknown kind; the message lists the known ones.
std::string generator_description(const std::string& kind);

/// Checks all options that do not depend on the requested rows.
/// \throws InputError for an unknown kind (listing the known ones), for N = 0 or
///         N > `max_generated_particles`, and for a model parameter out of its range.
void check_generator_options(const GeneratorOptions& options);

/// Generates rows [first, first + count) of the global set in `space`'s memory; returns after a
/// fence. One data-parallel kernel, O(count).
/// \throws InputError under the same conditions as `check_generator_options`, for rows outside the
///         set, and for more rows than one rank can hold.
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
