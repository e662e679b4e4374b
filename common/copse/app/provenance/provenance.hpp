#pragma once
/// \file
/// The sections of a report that describe the machine and the build.

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace copse::app {

/// {"commit", "dirty"}
nlohmann::json git_section();
/// {"host", "cpu", "cores", "memory_bytes", "gpu": null or {...}}. Kokkos must be running.
nlohmann::json machine_section();
/// {"compiler", "flags", "type", "real", "kokkos", "backends", "mpi"}
nlohmann::json build_section();

/// The current time in UTC, formatted as "2025-03-01T12:00:00Z".
std::string utc_time();

}  // namespace copse::app
