#pragma once
/// \file
/// The engine that OrbBuilder runs for each placement.

#include "../variant.hpp"
#include <copse/tree/orb_builder.hpp>

#include <memory>

namespace copse::orb {

/// For `fused`: the fused engine (fused_bisection.hpp), whatever the number of particles. For other
/// placements the engine measured to be fastest: on a device the fused one from 2^21 particles on,
/// otherwise OrbBuilder's own.
template <class ExecutionSpace>
std::shared_ptr<const OrbEngine<ExecutionSpace>> engine_for(Placement placement);

}  // namespace copse::orb
