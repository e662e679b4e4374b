#include "methods.hpp"

#include "make.hpp"
#include "methods/host_share.hpp"
#include <copse/app/choices.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

namespace copse::gravity {

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all{
      {"direct", "all pairs, without a tree", 16, 32, true, false},
      {"breadth", "a group of bodies walks with queues of nodes and bodies (the fast one)", 16, 32,
       true, true},
      {"fmm", "nodes act on nodes through local expansions: linear work", 64, 32, false, false},
      {"bucket", "a leaf's bounding box decides for its bodies (the thesis)", 16, 32, true, true},
      {"lists", "the host walks nodes against nodes and ships lists (the thesis's baseline)", 16,
       32, false, false},
      {"particle", "every body decides for itself, with any --walk", 16, 16, true, true}};
  return all;
}

std::vector<std::string> method_names() {
  return app::names_of(methods());
}

const MethodInfo& method_named(const std::string& name) {
  return app::entry_named(methods(), "method", name);
}

const char* best_method(const std::string& backend, double active_fraction) {
  // Measured on one thread with AVX-512, 10^5 bodies of a Plummer sphere, quadrupoles, beside other
  // programs, so provisional: milliseconds of the walk and median error of `breadth` at 0.55 and of
  // `particle` at 0.45.
  //   a tenth       47.7, 1.7e-4   35.2, 4.9e-4
  //   a hundredth    6.6, 2.2e-4    8.0, 4.8e-4
  //   a thousandth   1.4, 6.7e-4    0.5, 4.2e-4
  // For the same error `breadth` is faster for a hundredth and more. On devices, by the counts in
  // methods/breadth.hpp, it should be for a thousandth, too.
  constexpr double few = 0.003;
  return backend != "cuda" && active_fraction < few ? "particle" : "breadth";
}

template <class ExecutionSpace>
std::unique_ptr<Method<ExecutionSpace>> make_method(const std::string& name,
                                                    const ExecutionSpace& space,
                                                    const Request& request) {
  if (request.host_share > 0.0) {
    Request whole = request;
    whole.host_share = 0.0;
    return std::make_unique<HostShare<ExecutionSpace>>(
        space, request.host_share, make_method(name, space, whole),
        make_method(name, Kokkos::DefaultHostExecutionSpace{}, whole));
  }
  const auto in_box = [&](MethodPointer<ExecutionSpace> isolated) {
    return request.periodic ? make_periodic(space, std::move(isolated)) : std::move(isolated);
  };
  if (name == "direct") return make_direct(space, request);
  if (name == "breadth") return in_box(make_breadth(space, request));
  if (name == "fmm") return in_box(make_fmm(space, request));
  if (name == "bucket") return in_box(make_bucket(space, request));
  if (name == "lists") return in_box(make_lists(space, request));
  if (name == "particle") return in_box(make_particle(space, request));
  throw InputError("there is no method '" + name + "'");
}

#define COPSE_INSTANTIATE(Space) \
  template MethodPointer<Space> make_method(const std::string&, const Space&, const Request&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
