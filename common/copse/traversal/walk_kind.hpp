#pragma once
/// \file
/// WalkKind: the ways in which queries walk a tree (walks/), and the labels of their kernels.

#include <cstdint>

namespace copse {

enum class WalkKind : std::uint8_t { recursive, ropes, lockstep, fsm, group };

/// Of the kernel, the same on hosts and devices, so that one walk's times can stand side by side.
constexpr const char* walk_label(WalkKind kind) {
  switch (kind) {
    case WalkKind::recursive:
      return "copse::walk::recursive";
    case WalkKind::ropes:
      return "copse::walk::ropes";
    case WalkKind::lockstep:
      return "copse::walk::lockstep";
    case WalkKind::fsm:
      return "copse::walk::fsm";
    case WalkKind::group:
      return "copse::walk::group";
  }
  return "";
}

}  // namespace copse
