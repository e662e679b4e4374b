#pragma once
/// \file
/// Writes a list or table of numbers as a .npy file (version 1.0, C order, this machine's byte
/// order).

#include <copse/io/host_table.hpp>

#include <filesystem>

namespace copse::io {

/// \throws InputError naming the file if it cannot be written; an existing file then stays intact.
void write_npy(const std::filesystem::path& path, const HostTable& table);

/// Writes a host View of rank 1 or 2, such as the positions of particles.
template <class T, class... P>
void write_npy(const std::filesystem::path& path, const Kokkos::View<T, P...>& view) {
  write_npy(path, table_of(view));
}

}  // namespace copse::io
