#pragma once
/// \file
/// Uniform random positions in the periodic unit box, at rest.

#include <copse/particles/models/model.hpp>

namespace copse::models {

/// One Philox block per particle gives 42 bits per axis: coordinates strictly inside (0,1).
struct Uniform {
  std::uint64_t seed;

  explicit Uniform(const GeneratorOptions& options) : seed(options.seed) {}

  static Box<3> box(const GeneratorOptions&) { return unit_box<3>(true); }

  KOKKOS_FUNCTION PhaseSpacePoint operator()(GlobalId i, bool /*with_velocity*/) const {
    return {RandomStream(seed, RandomPurpose::position, i).next_triple(), {}};
  }
};

}  // namespace copse::models
