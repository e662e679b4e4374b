#include "methods.hpp"

#include "make.hpp"
#include <copse/app/choices.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

namespace copse::collide {

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all{
      {"brute-force", "all pairs", Runs::everywhere, true},
      {"cells", "near cells of a grid; rows are sorted into it every few steps", Runs::everywhere,
       true},
      {"cells-persistent",
       "the same with all steps in one kernel, whose threads wait for each other", Runs::everywhere,
       true},
      {"cells-tiled", "cells with the candidates of a run of cells in scratch memory",
       Runs::everywhere, true},
      {"microblocks", "blocks of twice the cutoff with growable lists", Runs::on_one_thread, true},
      {"microblocks-locked", "the same over threads, a lock per block", Runs::on_threads, true},
      {"microblocks-slots", "blocks with slots taken by compare-and-swap (--slots-variant)",
       Runs::everywhere, true},
      {"verlet", "neighbour lists with a skin", Runs::everywhere, true},
      {"strips", "strips sorted along x that search and move in one pass, in vectors",
       Runs::on_hosts, false},
      {"sweep-and-prune", "lists of interval ends on each axis, kept sorted by exchanges",
       Runs::on_one_thread, true},
      {"sweep-regions", "sweep and prune in a region for each thread, with a halo",
       Runs::on_threads, true},
      {"sweep-device", "strips of particles of similar size, sorted anew, and swept by all threads",
       Runs::everywhere, true}};
  return all;
}

std::vector<std::string> method_names() {
  return app::names_of(methods());
}

const MethodInfo& method_named(const std::string& name) {
  return app::entry_named(methods(), "method", name);
}

bool runs_on(const MethodInfo& info, const std::string& backend) {
  switch (info.runs) {
    case Runs::everywhere:
      return true;
    case Runs::on_hosts:
      return backend != "cuda";
    case Runs::on_one_thread:
      return backend == "serial";
    case Runs::on_threads:
      return backend == "openmp";
  }
  return false;
}

template <int D, class ExecutionSpace>
std::unique_ptr<Method<D, ExecutionSpace>> make_method(const std::string& name,
                                                       const ExecutionSpace& space,
                                                       const Physics<D>& physics,
                                                       const Request& request) {
  if (name == "brute-force") return make_brute_force(space, physics, request);
  if (name == "cells") return make_cells(space, physics, request);
  if (name == "cells-persistent") return make_cells_persistent(space, physics, request);
  if (name == "cells-tiled") return make_cells_tiled(space, physics, request);
  if (name == "microblocks") return make_microblocks(space, physics, request);
  if (name == "microblocks-locked") return make_microblocks_locked(space, physics, request);
  if (name == "microblocks-slots") return make_microblocks_slots(space, physics, request);
  if (name == "verlet") return make_verlet(space, physics, request);
  if (name == "strips") return make_strips(space, physics, request);
  if (name == "sweep-and-prune") return make_sweep_and_prune(space, physics, request);
  if (name == "sweep-regions") return make_sweep_regions(space, physics, request);
  if (name == "sweep-device") return make_sweep_device(space, physics, request);
  throw InputError("there is no method '" + name + "'");
}

#define COPSE_INSTANTIATE(Space)                                                   \
  template MethodPointer<2, Space> make_method(const std::string&, const Space&,   \
                                               const Physics<2>&, const Request&); \
  template MethodPointer<3, Space> make_method(const std::string&, const Space&,   \
                                               const Physics<3>&, const Request&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
