#include "methods.hpp"

#include "make.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

namespace copse::gravity {

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all{
      {"direct", "all pairs, without a tree", 16, 32, true},
      {"breadth", "a group of bodies walks with queues of nodes and bodies (the fast one)", 16, 32,
       true},
      {"fmm", "nodes act on nodes through local expansions: linear work", 64, 64, false},
      {"bucket", "a leaf's bounding box decides for its bodies (the thesis)", 16, 32, true},
      {"lists", "the host walks nodes against nodes and ships lists (the thesis's baseline)", 16,
       32, false},
      {"particle", "every body decides for itself, with any --walk", 16, 16, true}};
  return all;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.emplace_back(info.name);
  return names;
}

const MethodInfo& method_named(const std::string& name) {
  for (const MethodInfo& info : methods())
    if (name == info.name) return info;
  throw InputError("there is no method '" + name + "'");
}

template <class ExecutionSpace>
std::unique_ptr<Method<ExecutionSpace>> make_method(const std::string& name,
                                                    const ExecutionSpace& space,
                                                    const Request& request) {
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
