#pragma once
/// \file
/// The walks (walk.hpp): their names, and which of them is usual on a machine.

#include <copse/backend/lanes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace copse {

enum class WalkKind : std::uint8_t { recursive, stack, lockstep, fsm, group };

/// The labels of the walks' kernels. The stack walk has its published name.
inline constexpr std::array<const char*, 5> walk_labels{
    "copse::walk::recursive", "copse::walk::ropes", "copse::walk::lockstep", "copse::walk::fsm",
    "copse::walk::group"};
constexpr const char* walk_label(WalkKind kind) {
  return walk_labels[static_cast<std::size_t>(kind)];
}
/// The name of a walk, on the command line and in results: its label without the namespaces.
constexpr const char* walk_name(WalkKind kind) {
  return walk_label(kind) + sizeof("copse::walk::") - 1;
}
inline constexpr std::array<const char*, 5> walk_names{
    walk_name(WalkKind::recursive), walk_name(WalkKind::stack), walk_name(WalkKind::lockstep),
    walk_name(WalkKind::fsm), walk_name(WalkKind::group)};

/// Does the walk handle each query separately?
constexpr bool walks_alone(WalkKind kind) {
  return kind == WalkKind::recursive || kind == WalkKind::stack;
}

/// The walk of queries in a good order, unless the user chooses another: packets on devices and
/// where the processor has vectors, otherwise each query alone.
constexpr WalkKind usual_walk(bool on_device) {
  return on_device || packets_are_vectors ? WalkKind::fsm : WalkKind::stack;
}

}  // namespace copse
