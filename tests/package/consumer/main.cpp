// An external project that uses Copse: starts it, fills a particle table in the default backend's
// memory, and copies a result to the host.
#include <copse/backend/backends.hpp>
#include <copse/backend/runtime.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  copse::Runtime runtime(argc, argv);
  using Space = Kokkos::DefaultExecutionSpace;
  auto particles = copse::allocate_particles<Space::memory_space>(4, {.mass = true});
  Kokkos::deep_copy(particles.mass, copse::Real{1});
  const auto masses = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, particles.mass);
  double total = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) total += masses(i);
  std::printf("%g particles on %s\n", total, copse::default_backend_name().c_str());
  return total == 4 ? 0 : 1;
}
