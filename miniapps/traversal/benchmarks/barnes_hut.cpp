// The benchmark "barnes-hut": the gravity of all particles on each other, with an octree.
#include "../run_benchmark.hpp"
#include <copse/algorithms/gather_rows.hpp>
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/gravity/gravity_tree.hpp>
#include <copse/gravity/measured_errors.hpp>
#include <copse/traversal/visitors/barnes_hut.hpp>
#include <copse/tree/octree.hpp>
#include <copse/tree/octree_builder.hpp>

#include <algorithm>
#include <optional>

namespace copse::traversal {
namespace {

template <class ExecutionSpace, int Order>
class BarnesHutBenchmark {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Masses = Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace>;
  /// Without a fingerprint: walks differ in the last digits, and group walks open more nodes.
  using HostFields = GravityFields<Kokkos::HostSpace>;

  BarnesHutBenchmark(const ExecutionSpace& space, const Particles<MemorySpace>& particles,
                     bool is_plummer, const Request& request)
      : space_(space),
        builder_(space),
        particles_(particles),
        request_(request),
        is_plummer_(is_plummer) {
    const Count n = particles.size();
    const auto alloc = [](const char* label) {
      return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
    };
    rows_ = Points<3, MemorySpace>(alloc("copse::traversal::rows"), n);
    masses_ = Masses(alloc("copse::traversal::masses"), n);
    fields_.acceleration = Points<3, MemorySpace>(alloc("copse::traversal::acceleration"), n);
    fields_.potential = Masses(alloc("copse::traversal::potential"), n);
  }

  void build() {
    Kokkos::deep_copy(space_, rows_, particles_.position);
    tree_ = builder_.build(rows_, permutation_,
                           {.bucket_size = static_cast<std::uint32_t>(
                                request_.bucket_size > 0 ? request_.bucket_size : 16),
                            .box = particles_.box});
    gather_rows("copse::traversal::gather_masses", space_, particles_.mass, masses_, permutation_);
    compute_multipoles(space_, tree_, rows_, masses_, workspace_, moments_);
    app::corruptible(moments_);
    make_gravity_tree(space_, tree_, rows_, masses_, moments_, {.theta = request_.theta}, gravity_);
  }

  BarnesHut<Order, MemorySpace> visitor() const {
    const auto softening = static_cast<Real>(request_.softening);
    return {OctreeView<MemorySpace>(tree_), gravity_, moments_.higher, particles_.position, fields_,
            softening * softening};
  }

  Count queries() const { return particles_.size(); }
  /// Depths are in levels of a binary tree; one octree level counts as three.
  TopOctree<MemorySpace> top(int depth) const { return top_of(tree_, std::max(1, depth / 3)); }
  int levels() const { return 3 * (tree_.depths() - 1); }
  bool order_is_free() const { return true; }
  ScheduleView<MemorySpace> sorted(Workspace<MemorySpace>&) const {
    return ScheduleView<MemorySpace>(permutation_.data(), permutation_.extent(0));
  }

  void clear() const {
    Kokkos::deep_copy(fields_.acceleration, Real(0));
    Kokkos::deep_copy(fields_.potential, Real(0));
  }
  HostFields results() const { return {on_host(fields_.acceleration), on_host(fields_.potential)}; }

  void verify(app::Verification& verification, const std::string& prefix,
              const HostFields& fields) {
    const auto found = errors(fields);
    // The final results are those of the last walk that was verified.
    if (!prefix.starts_with("final"))
      decider_ = prefix.starts_with("group") ? Decider::leaf : Decider::particle;
    const double tolerance = tolerance_of(decider_);
    verification.check(prefix + "median_error", found[found.size() / 2], tolerance);
    // The median alone would not detect a missing packet or a wrong subtree.
    verification.check(prefix + "error_of_99_in_100", found[found.size() * 99 / 100],
                       p99_of_median * tolerance);
  }

  void report(app::Session& session) {
    const auto found = errors(results());
    session.report().results()["median_relative_error"] = found[found.size() / 2];
    session.report().results()["largest_relative_error"] = found.back();
    session.print(fmt::format("relative errors of the acceleration: median {:.3g}, largest {:.3g}",
                              found[found.size() / 2], found.back()));
  }

 private:
  /// Relative errors of the accelerations of sampled particles, ascending. Sums directly only once.
  std::vector<double> errors(const HostFields& fields) {
    if (!direct_)
      direct_.emplace(on_host(particles_.position), on_host(particles_.mass), request_.softening);
    return direct_->errors_of(fields.acceleration);
  }

  /// Limit on the median error: twice the measured one. A packet that walks as a group errs as a
  /// leaf does.
  double tolerance_of(Decider decider) const {
    return field_rounding + 2.0 * measured_median_error({.theta = request_.theta}, Order, decider,
                                                        is_plummer_, queries());
  }

  ExecutionSpace space_;
  OctreeBuilder<ExecutionSpace> builder_;
  Particles<MemorySpace> particles_;
  const Request& request_;
  bool is_plummer_;
  Workspace<MemorySpace> workspace_;
  Points<3, MemorySpace> rows_;
  Masses masses_;
  typename OctreeBuilder<ExecutionSpace>::Permutation permutation_;
  Octree<MemorySpace> tree_;
  Multipoles<Order, MemorySpace> moments_;
  GravityTree<MemorySpace> gravity_;
  GravityFields<MemorySpace> fields_;
  Decider decider_ = Decider::particle;  ///< of the last verified walk
  std::optional<DirectAccelerations> direct_;
};

template <int Order>
std::unique_ptr<Benchmark> load_with(app::Session& session, const Request& request) {
  std::unique_ptr<Benchmark> loaded;
  dispatch_backend(session.options().backend, [&]<class Space>(const Space& space) {
    const auto particles = session.load_particles(space, {.mass = true});
    if (particles.size() == 0) throw InputError("barnes-hut needs particles");
    if (particles.mass.extent(0) == 0)
      throw InputError(
          "barnes-hut needs the masses of the particles, which the input does not have");
    const bool is_plummer = !session.options().input && session.options().generate == "plummer";
    loaded = std::make_unique<BenchmarkRun<Space, BarnesHutBenchmark<Space, Order>>>(
        session, space, request, "", particles, is_plummer);
  });
  return loaded;
}

}  // namespace

std::unique_ptr<Benchmark> load_barnes_hut(app::Session& session, const Request& request) {
  if (request.dimension != 3) throw InputError("--benchmark barnes-hut needs --dimension 3");
  if (request.queries == "split")
    throw InputError(
        "--benchmark barnes-hut does not support --queries split: all particles are sources");
  if (request.monopole) return load_with<1>(session, request);
  return load_with<2>(session, request);
}

}  // namespace copse::traversal
