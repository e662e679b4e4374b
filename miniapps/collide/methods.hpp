#pragma once
/// \file
/// The methods by name, and their common interface: particles that move for some steps.

#include "contacts.hpp"
#include "request.hpp"
#include <copse/backend/backends.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace copse::collide {

template <int D, class ExecutionSpace>
class Method {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  virtual ~Method() = default;

  /// Where the rows of the next `load` are, ghosts included, and stay until the one after: the
  /// cells of a method cover this part. Rows beyond it count to the cells at its sides, which is
  /// slow if they are many. By default the whole region.
  void set_part(const Part<D>& part) { part_ = part; }

  /// Copies a state: [n] rows, ids unique; allocates the method's arrays; resets `figures`. Rows
  /// that are ghosts act on others and stay where they are. O(n) or O(n log n); the sweeps with
  /// lists compare particles that overlap on axis 0, O(n^1.5) in two dimensions.
  virtual void load(const State<D, MemorySpace>& state) = 0;
  /// The caller has written other positions of ghosts into `stored()`; none moved further than
  /// `farthest` (length; the bound of one step's moves). For methods that keep anything of a
  /// search.
  virtual void ghosts_moved([[maybe_unused]] double farthest) {}
  /// Makes `steps` steps: forces, kick, drift, and back into the region. Returns when they are
  /// done.
  virtual void advance(Count steps) = 0;
  /// Makes one step for a caller whose messages with new positions of ghosts are in flight. The
  /// method calls `arrive` once, which waits for them and writes them into `stored()`; until then
  /// its rows keep their order. Particles that meet no ghost may move before. `farthest` as above.
  virtual void advance_while(double farthest, const std::function<void()>& arrive) {
    arrive();
    ghosts_moved(farthest);
    advance(1);
  }
  /// The default skin of ghosts, in largest reaches. With a wider one there are more ghosts, but
  /// they are chosen, and the method is loaded, less often. On GPUs a choice costs as much as
  /// ten steps or more, mostly for launches and allocations.
  virtual double ghost_skin(const Physics<D>& physics) const {
    if (physics.liquid()) return 0.2;
    return runs_on_host<ExecutionSpace> ? 1.0 : 4.0;
  }
  /// Adds `time` times the accelerations of the current positions to the velocities. `time`
  /// is in units of dt's time and may be negative. Positions stay; rows may be reordered.
  virtual void kick(double time) = 0;
  /// The current particles, ghosts included, in any order. Valid until the next call of a method.
  virtual State<D, MemorySpace> state() = 0;
  /// The rows that the method itself stores, without a copy. Some may hold no particle; their tag
  /// is `unused_tag`. Valid until the next call of a method.
  virtual State<D, MemorySpace> stored() { return state(); }
  /// The contacts at the current positions, found by the method's own search.
  virtual ContactSums contacts() = 0;
  /// Further results by name, since `load`: for example how often particles were sorted or searched
  /// (`searches`), if not in every step.
  virtual std::map<std::string, double> figures() const { return {}; }

 protected:
  Part<D> part_of(const Region<D>& region) const {
    return part_.value_or(Part<D>{{}, region.side});
  }

 private:
  std::optional<Part<D>> part_;
};

/// Which execution spaces run a method.
enum class Runs : std::uint8_t { everywhere, on_hosts, on_one_thread, on_threads };

struct MethodInfo {
  const char* name;
  const char* description;
  Runs runs;
  bool takes_sizes;  ///< particles of different sizes
};

/// In the order of `--list`.
const std::vector<MethodInfo>& methods();
std::vector<std::string> method_names();
/// \throws InputError if there is no method of that name
const MethodInfo& method_named(const std::string& name);

/// Does the backend run the method?
bool runs_on(const MethodInfo& info, const std::string& backend);

/// \throws InputError if there is no method of that name for the execution space
template <int D, class ExecutionSpace>
std::unique_ptr<Method<D, ExecutionSpace>> make_method(const std::string& name,
                                                       const ExecutionSpace& space,
                                                       const Physics<D>& physics,
                                                       const Request& request);

}  // namespace copse::collide
