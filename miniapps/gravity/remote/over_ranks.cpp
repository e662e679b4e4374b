#include "over_ranks.hpp"

#include "../body_sums.hpp"
#include "../output.hpp"
#include "../solution.hpp"
#include "../tolerance.hpp"
#include "exact_over_ranks.hpp"
#include "rank_model.hpp"
#include "shared_tree.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace copse::gravity {
namespace {

/// One method over ranks.
template <class ExecutionSpace>
class RankedSolver {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  RankedSolver(const ExecutionSpace& space, app::Session& session, const Request& request,
               const Communicator& comm, const std::string& name)
      : space_(space),
        session_(session),
        request_(request),
        comm_(comm),
        shared_(comm, space, request, request.bucket_size_of(name, session.options().backend)),
        method_(make_method(name, space, request)) {
    solution_.method = name;
    solution_.bucket_size = request.bucket_size_of(name, session.options().backend);
  }

  void run(const RankBodies<MemorySpace>& initial, const Box<3>& box) {
    bodies_ = initial;
    box_ = box;
    total_ = session_.total_particles();
    if (request_.is_relative()) find_pulls();
    const std::string& name = solution_.method;
    solution_.phases = session_.measure(
        "copse::gravity::" + name, {{"copse::gravity::tree_" + name,
                                     [&](int) {
                                       shared_.start_clock();
                                       distribute();
                                     }},
                                    {"copse::gravity::moments_" + name,
                                     [&](int) { shared_.compute_moments(request_.is_relative()); }},
                                    {"copse::gravity::walk_" + name, [&](int) {
                                       walk();
                                       if (shared_.balances_work()) shared_.weigh();
                                       shared_.stop_clock();
                                       bodies_ = shared_.bodies();
                                     }}});
  }

  const Solution& finish() {
    if (!shared_.balances_work()) shared_.weigh();  // for the report
    const BodyTree<MemorySpace>& tree = shared_.remote().tree();
    solution_.active = total_;
    if (tree.size() > 0) solution_.interactions = method_->count(tree);
    sum_over_ranks(solution_.interactions);
    solution_.tree.nodes = comm_.allreduce(
        shared_.remote().cost().own_nodes - shared_.cost().own_leaves, Reduction::sum);
    solution_.tree.nodes += shared_.remote().cost().top_nodes;
    auto sums = force_sums(space_, tree.masses, fields_);
    comm_.allreduce(std::span(sums), Reduction::sum);
    solution_.take_forces(sums, request_.g);
    if (request_.targets > 0) compare(fields_);
    if (request_.remote == "stateless") count_repeats();
    if (session_.options().verify)
      solution_.uncounted = uncounted_over_ranks(space_, shared_, *method_, box_);
    return solution_;
  }

  /// Of --remote stateless.
  const SharedRepeats& repeats() const { return repeats_; }

  SharedTree<ExecutionSpace>& shared() { return shared_; }
  /// As of the last run, with the work by which the next domains are cut.
  const RankBodies<MemorySpace>& bodies() const { return bodies_; }

  /// Bodies and fields of all ranks in the order of the input, on rank 0.
  Solution::Output gather() {
    const auto id = download(shared_.bodies().id);
    const auto order = download(shared_.own().order);
    const auto bodies = download(shared_.own().gravity.bodies);
    const auto lengths = download(shared_.own().softening);
    const auto acceleration =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, fields_.acceleration);
    const auto potential =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, fields_.potential);
    std::vector<Row> mine;
    for (Count i = 0; i < bodies.size(); ++i) {
      Row row{id[order[i]], bodies[i], lengths.empty() ? Real(0) : lengths[i], {}, potential(i)};
      for (int a = 0; a < 3; ++a) row.acceleration[a] = acceleration(i, a);
      mine.push_back(row);
    }
    const auto all = comm_.gatherv(std::span<const Row>(mine), 0);
    Solution::Output output;
    output.bodies = allocate_particles<Kokkos::HostSpace>(
        all.size(), {.mass = true, .softening = request_.needs_lengths()});
    output.fields = allocate_fields<Kokkos::HostSpace>(all.size());
    const auto g = static_cast<Real>(request_.g);
    for (const Row& row : all) {
      for (int a = 0; a < 3; ++a) {
        output.bodies.position(row.id, a) = row.body.centre[a];
        output.fields.acceleration(row.id, a) = g * row.acceleration[a];
      }
      output.bodies.mass(row.id) = row.body.mass;
      if (request_.needs_lengths()) output.bodies.softening(row.id) = row.length;
      output.fields.potential(row.id) = g * row.potential;
    }
    return output;
  }

 private:
  /// A body and its field as they travel.
  struct Row {
    GlobalId id;
    Monopole body;
    Real length;
    Kokkos::Array<Real, 3> acceleration;
    Real potential;
  };

  void distribute() {
    shared_.distribute(bodies_, box_, total_);
    shared_.build();
    if (fields_.potential.extent(0) != shared_.own().size())
      fields_ = allocate_fields<MemorySpace>(shared_.own().size());
  }

  void walk() {
    shared_.solve(*method_, fields_);
    session_.together([&] {
      shared_.remote().refuse_missing({fields_.potential.extent(0), {}}, fields_);
    });
  }

  /// A step before, by bmax, gives the last accelerations.
  void find_pulls() {
    distribute();
    shared_.compute_moments(false);
    walk();
    bodies_ = shared_.bodies();
    bodies_.pulls = Column<MemorySpace>("copse::gravity::pulls", bodies_.size());
    shared_.builder().record_pulls(shared_.own(), fields_, bodies_.pulls);
  }

  void sum_over_ranks(Interactions& done) {
    std::array<std::uint64_t, 5> counts{done.cells, done.bodies, done.conversions, done.tests,
                                        done.tests_per_body};
    comm_.allreduce(std::span(counts), Reduction::sum);
    done = {counts[0], counts[1], counts[2], counts[3], counts[4]};
  }

  void compare(const GravityFields<MemorySpace>& fields) {
    const auto targets = sample_targets(comm_, shared_.own().size(), total_, request_.targets);
    const auto exact = exact_over_ranks(space_, comm_, shared_.own(), targets, request_.softening);
    auto found = sampled_fields(comm_, fields, targets);
    app::corruptible(found);
    solution_.errors = errors_of(found, exact);
    solution_.isolated_errors = solution_.errors;
  }

  /// With --verify, errors become those of one walk of all that arrived, without repeats.
  void count_repeats() {
    const bool verifies = session_.options().verify;
    const double length = longest_softening(box_);
    repeats_ = sum_repeats(comm_, shared_.remote().repeated(*method_, length, verifies));
    repeats_.median_error = solution_.errors.acceleration.median;
    if (verifies) {
      const BodyTree<MemorySpace>& tree = shared_.remote().tree();
      const auto once = allocate_fields<MemorySpace>(tree.size());
      if (tree.size() > 0) method_->solve(tree, once);
      compare(once);
    }
    repeats_.cells_plain = repeats_.cells_once;
    repeats_.bodies_plain = repeats_.bodies_once;
  }

  ExecutionSpace space_;
  app::Session& session_;
  const Request& request_;
  const Communicator& comm_;
  SharedTree<ExecutionSpace> shared_;
  std::unique_ptr<Method<ExecutionSpace>> method_;
  RankBodies<MemorySpace> bodies_;
  Box<3> box_;
  Count total_ = 0;
  GravityFields<MemorySpace> fields_;
  Solution solution_;
  SharedRepeats repeats_;
};

/// Counts one walk of the same bodies by radii without inclusion, for comparison. This takes a tree
/// of its own; call it when that of the run is freed, whose memory is reported.
template <class ExecutionSpace>
void count_plain_walk(const ExecutionSpace& space, const Communicator& comm, const Request& request,
                      const Solution& solution,
                      const RankBodies<typename ExecutionSpace::memory_space>& bodies,
                      const Box<3>& box, Count total, SharedRepeats& repeats) {
  Request plain = request;
  plain.inclusion_kind = Inclusion::none;
  const auto method = make_method(solution.method, space, plain);
  SharedTree<ExecutionSpace> shared(comm, space, plain, solution.bucket_size);
  shared.distribute(bodies, box, total);
  shared.build();
  shared.compute_moments(false);
  shared.solve(*method,
               allocate_fields<typename ExecutionSpace::memory_space>(shared.own().size()));
  const auto walk =
      sum_repeats(comm, shared.remote().repeated(*method, longest_softening(box), false));
  repeats.cells_plain = walk.cells_once;
  repeats.bodies_plain = walk.bodies_once;
}

template <class ExecutionSpace>
void solve_over_ranks_on(const ExecutionSpace& space, app::Session& session,
                         const Request& request) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Communicator comm(session.comm());
  session.report().set_device_messages(comm.device_path(), comm.gpu_aware_reason());
  const auto particles = load_bodies(space, session, request);
  RankBodies<MemorySpace> bodies;
  bodies.id = ids_from(space, session.first_row(), particles.size());
  bodies.position = particles.position;
  bodies.mass = particles.mass;
  if (request.needs_lengths()) bodies.softening = particles.softening;
  std::vector<Solution> solutions;
  std::vector<RankCosts> costs;
  SharedRepeats repeats;
  std::optional<Solution::Output> output;
  const bool stateless = request.remote == "stateless";
  for (const std::string& name : request.methods) {
    RankBodies<MemorySpace> solved;
    {
      RankedSolver<ExecutionSpace> solver(space, session, request, comm, name);
      solver.run(bodies, particles.box);
      solutions.push_back(solver.finish());
      repeats = solver.repeats();
      costs.push_back(
          costs_of_ranks(comm, solver.shared().cost(), solver.shared().remote().cost()));
      if (session.options().output && !output) output = solver.gather();
      solved = solver.bodies();
    }
    if (stateless && request.inclusion_kind != Inclusion::none)
      count_plain_walk(space, comm, request, solutions.back(), solved, particles.box,
                       session.total_particles(), repeats);
  }
  verify(session, request, solutions);
  if (stateless) verify_repeats(session, request, repeats, session.total_particles());
  session.verification().agree(session.comm());
  if (!session.verification().passed()) return;
  report(session, request, solutions);
  for (std::size_t m = 0; m < costs.size(); ++m)
    session.report().results()["methods"][m]["ranks"] = report_ranks(
        session, request.methods[m] + " --remote " + request.remote + ", the last run", costs[m]);
  if (stateless)
    session.report().results()["methods"][0]["repeats"] = report_repeats(session, request, repeats);
  if (request.model)
    report_model(session,
                 measured_step(costs.front(), static_cast<double>(session.total_particles()),
                               request.theta, solutions.front().bucket_size),
                 {request.latency, 1e9 * request.network});
  session.together([&] {
    if (!output || !session.is_root()) return;
    solutions.front().output = std::move(output);
    write_fields(*session.options().output, request, solutions.front());
  });
}

}  // namespace

void solve_over_ranks(app::Session& session, const Request& request) {
  dispatch_backend(session.options().backend,
                   [&](const auto& space) { solve_over_ranks_on(space, session, request); });
}

}  // namespace copse::gravity
