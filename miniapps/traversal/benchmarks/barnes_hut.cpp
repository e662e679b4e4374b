// The benchmark "barnes-hut": the gravity of all particles on each other, with an octree.
#include "../expected_fields.hpp"
#include "../run_benchmark.hpp"
#include <copse/algorithms/permutation.hpp>
#include <copse/backend/error.hpp>
#include <copse/gravity/direct_gravity.hpp>
#include <copse/gravity/exact_gravity.hpp>
#include <copse/traversal/visitors/barnes_hut.hpp>
#include <copse/tree/octree_builder.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace copse::traversal {
namespace {

template <class ExecutionSpace, int Order>
class BarnesHutBenchmark {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Masses = Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace>;

  BarnesHutBenchmark(const ExecutionSpace& space, const Particles<MemorySpace>& particles,
                     BodyModel model, const Request& request)
      : space_(space),
        builder_(space),
        particles_(particles),
        request_(request),
        expected_(request, Order, model),
        rows_("copse::traversal::rows", particles.size()),
        masses_("copse::traversal::masses", particles.size()),
        fields_(allocate_fields<MemorySpace>(particles.size())) {
    expected_.set_particles(on_host(particles.position),
                            [this](const std::vector<LocalIndex>& rows) { return exact(rows); });
  }

  void build() {
    Kokkos::deep_copy(space_, rows_, particles_.position);
    const Count bucket = request_.bucket_size > 0 ? request_.bucket_size : 16;
    tree_ =
        builder_.build(rows_, permutation_,
                       {.bucket_size = static_cast<std::uint32_t>(bucket), .box = particles_.box});
    gather_rows("copse::traversal::gather_masses", space_, particles_.mass, masses_, permutation_);
    compute_multipoles(space_, tree_, rows_, masses_, workspace_, moments_);
    app::corruptible(moments_);
    make_gravity_tree(space_, tree_, rows_, masses_, moments_, {.theta = request_.theta}, gravity_);
  }

  BarnesHut<Order, MemorySpace> visitor() const {
    const auto softening = static_cast<Real>(request_.softening);
    return {OctreeView<MemorySpace>(tree_), gravity_, moments_.higher, particles_.position, fields_,
            {softening * softening, {}, {}}};
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
  void set_walk(WalkKind kind, const QueryList<MemorySpace>& list) {
    DecidingWalk walk{on_host(tree_.nodes), on_host(gravity_.bodies), on_host(gravity_.monopole),
                      on_host(gravity_.opening2), std::vector<LocalIndex>(list.count)};
    if (kind == WalkKind::group)
      walk.together = static_cast<Count>(walk_width<ExecutionSpace>(kind));
    const auto order = on_host(list.order);
    for (Count i = 0; i < list.count; ++i)
      walk.queries[i] = order.extent(0) == 0 ? static_cast<LocalIndex>(i) : order(i);
    expected_.set_walk(std::move(walk));
  }
  void verify(app::Verification& verification, const std::string& prefix,
              const HostFields& fields) {
    expected_.verify(verification, prefix, fields);
  }
  void report(app::Session& session) { expected_.report(session, results()); }

 private:
  std::vector<GravityField<double>> exact(const std::vector<LocalIndex>& rows) {
    if constexpr (runs_on_host<ExecutionSpace>) {
      return direct_gravity(particles_.position, particles_.mass, rows, request_.softening);
    } else {
      const auto permutation = on_host(permutation_);
      std::vector<LocalIndex> place(permutation.extent(0)), in_tree(rows.size());
      for (Count i = 0; i < place.size(); ++i) place[permutation(i)] = static_cast<LocalIndex>(i);
      std::transform(rows.begin(), rows.end(), in_tree.begin(),
                     [&](LocalIndex row) { return place[row]; });
      const auto found = on_host(exact_gravity<ExecutionSpace>(
          space_, {gravity_.bodies, request_.softening * request_.softening},
          upload(space_, in_tree, workspace_, "traversal::exact_rows")));
      std::vector<GravityField<double>> fields(rows.size());
      for (std::size_t t = 0; t < rows.size(); ++t)
        fields[t] = {found(t, 0), found(t, 1), found(t, 2), found(t, 3)};
      return fields;
    }
  }

  ExecutionSpace space_;
  OctreeBuilder<ExecutionSpace> builder_;
  Particles<MemorySpace> particles_;
  const Request& request_;
  ExpectedFields expected_;
  Workspace<MemorySpace> workspace_;
  Points<3, MemorySpace> rows_;
  Masses masses_;
  typename OctreeBuilder<ExecutionSpace>::Permutation permutation_;
  Octree<MemorySpace> tree_;
  Multipoles<Order, MemorySpace> moments_;
  GravityTree<MemorySpace> gravity_;
  GravityFields<MemorySpace> fields_;
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
    const BodyModel model =
        session.options().input ? BodyModel::other : body_model(session.options().generate);
    loaded = std::make_unique<BenchmarkRun<Space, BarnesHutBenchmark<Space, Order>>>(
        session, space, request, "", particles, model);
  });
  return loaded;
}

}  // namespace

std::unique_ptr<Benchmark> load_barnes_hut(app::Session& session, const Request& request) {
  return request.monopole ? load_with<1>(session, request) : load_with<2>(session, request);
}

}  // namespace copse::traversal
