#include "leapfrog_over_ranks.hpp"

#include "../motion/leapfrog_kernels.hpp"
#include "../solution.hpp"
#include "exact_over_ranks.hpp"
#include "rank_report.hpp"
#include "shared_tree.hpp"
#include <copse/app/coordinate_checksum.hpp>
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/rank_slice.hpp>
#include <copse/backend/worse.hpp>
#include <copse/particles/bounding_box.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace copse::gravity {
namespace {

/// A body as it travels to rank 0.
struct SentBody {
  GlobalId id;
  double position[3], velocity[3];
  Real mass, softening, pull;
};

template <class MemorySpace, class View>
auto rows_from(const View& all, Count begin, Count end) {
  if (all.extent(0) == 0)
    return Kokkos::create_mirror_view_and_copy(MemorySpace{}, View(all.label(), 0));
  View some(all.label(), end - begin);
  for (Count i = begin; i < end; ++i)
    if constexpr (View::rank() == 2)
      for (int a = 0; a < 3; ++a) some(i - begin, a) = all(i, a);
    else
      some(i - begin) = all(i);
  return Kokkos::create_mirror_view_and_copy(MemorySpace{}, some);
}

template <class ExecutionSpace>
class MotionOverRanks final : public Evolving {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Exact = typename RankBodies<MemorySpace>::Exact;

  MotionOverRanks(const ExecutionSpace& space, app::Session& session, const Request& request,
                  const std::string& method, std::uint32_t bucket_size)
      : space_(space),
        session_(session),
        request_(request),
        comm_(session.comm()),
        shared_(comm_, space, request, bucket_size),
        method_(make_method(method, space, request)) {
    session.report().set_device_messages(comm_.device_path(), comm_.gpu_aware_reason());
    if (request.restart.empty())
      load();
    else
      continue_from(bucket_size);
  }

  Count bodies() const override { return total_; }
  Count steps() const override { return step_; }
  double time() const override { return time_; }

  void start() override {
    bodies_ = initial_;
    step_ = first_step_;
    time_ = first_time_;
    has_pulls_ = false;
    if (request_.is_relative()) {
      has_pulls_ = comm_.allreduce(bodies_.pulls.extent(0) > 0 ? 1 : 0, Reduction::max) > 0;
      if (!has_pulls_) {
        compute_fields();
        record_pulls();
      }
    }
    seconds_.clear();
    compute_fields();
    sums_ = {};
  }

  void step(double dt) override {
    kick_and_drift(space_, bodies_.exact, bodies_.velocity, acceleration_, dt);
    ++step_;
    time_ += dt;
    if (request_.is_relative()) record_pulls();
    compute_fields();
    half_kick(space_, bodies_.velocity, acceleration_, dt);
    space_.fence("copse::gravity::step");
  }

  MotionSums sums() const override {
    auto sums =
        sums_of_motion(space_, AddSums<MemorySpace>{bodies_.mass, bodies_.exact, bodies_.velocity,
                                                    acceleration_, potential_});
    comm_.allreduce(std::span(sums), Reduction::sum);
    return named_sums(sums);
  }

  Restart gather() const override {
    const auto host = [](const auto& view) {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
    };
    const auto id = host(bodies_.id);
    const auto position = host(bodies_.exact);
    const auto velocity = host(bodies_.velocity);
    const auto mass = host(bodies_.mass);
    const auto softening = host(bodies_.softening);
    const auto pulls = host(bodies_.pulls);
    std::vector<SentBody> mine;
    for (Count i = 0; i < bodies_.size(); ++i) {
      SentBody body{};
      body.id = id(i);
      for (int a = 0; a < 3; ++a) {
        body.position[a] = position(i, a);
        body.velocity[a] = velocity(i, a);
      }
      body.mass = mass(i);
      if (softening.extent(0) > 0) body.softening = softening(i);
      if (pulls.extent(0) > 0) body.pull = pulls(i);
      mine.push_back(body);
    }
    const auto all = comm_.gatherv(std::span<const SentBody>(mine), 0);
    const Count n = all.size();
    Restart state;
    state.position = decltype(state.position)("copse::gravity::position", n);
    state.velocity = decltype(state.velocity)("copse::gravity::velocity", n);
    state.mass = decltype(state.mass)("copse::gravity::mass", n);
    if (request_.needs_lengths())
      state.softening = decltype(state.softening)("copse::gravity::softening", n);
    if (request_.is_relative()) state.pulls = decltype(state.pulls)("copse::gravity::pulls", n);
    state.step = step_;
    state.time = time_;
    for (const SentBody& body : all) {
      for (int a = 0; a < 3; ++a) {
        state.position(body.id, a) = body.position[a];
        state.velocity(body.id, a) = body.velocity[a];
      }
      state.mass(body.id) = body.mass;
      if (request_.needs_lengths()) state.softening(body.id) = body.softening;
      if (request_.is_relative()) state.pulls(body.id) = body.pull;
    }
    return state;
  }

  void count_work() override {
    const bool verifies = session_.options().verify;
    if (request_.remote == "stateless")
      repeats_.push_back(sum_repeats(
          comm_, shared_.remote().repeated(*method_, longest_softening(box_), verifies)));
    if (!verifies) return;
    const BodyTree<MemorySpace>& tree = shared_.remote().tree();
    Interactions done;
    if (tree.size() > 0) done = method_->count(tree);
    interactions_.push_back(static_cast<double>(done.cells + done.bodies));
  }

  void report(app::Session& session) override {
    if (!shared_.balances_work()) shared_.weigh();  // for the report
    SharedCost sums = shared_.cost();
    sums.seconds() = sums_;
    session.report().results()["motion"]["ranks"] =
        report_ranks(session, "seconds of all steps of the last run, counts of its last step",
                     costs_of_ranks(comm_, sums, shared_.remote().cost()));
    report_balance(session, comm_, interactions_, seconds_);
    if (!repeats_.empty()) {
      report_repeats(session, request_, repeats_, first_step_);
      verify_repeats(session, request_, worst(), total_);
    }
  }

 private:
  void load() {
    const auto particles = load_bodies(space_, session_, request_);
    const Count n = particles.size();
    total_ = session_.total_particles();
    initial_.id = ids_from(space_, session_.first_row(), n);
    initial_.position = particles.position;
    initial_.mass = particles.mass;
    if (request_.needs_lengths()) initial_.softening = particles.softening;
    initial_.exact = Exact("copse::gravity::exact", n);
    initial_.velocity = Exact("copse::gravity::velocity", n);
    convert("copse::gravity::first_position", space_, particles.position, initial_.exact);
    if (particles.velocity.extent(0) > 0)
      convert("copse::gravity::first_velocity", space_, particles.velocity, initial_.velocity);
    space_.fence("copse::gravity::load");
  }

  /// Every rank reads the file and keeps its share of the rows.
  void continue_from(std::uint32_t bucket_size) {
    Restart from;
    session_.together([&] { from = read_restart(request_.restart, request_, bucket_size); });
    total_ = from.mass.extent(0);
    const auto [begin, end] = rank_slice(total_, comm_.rank(), comm_.size());
    const Count n = end - begin;
    initial_.id = ids_from(space_, begin, n);
    initial_.exact = rows_from<MemorySpace>(from.position, begin, end);
    initial_.velocity = rows_from<MemorySpace>(from.velocity, begin, end);
    initial_.mass = rows_from<MemorySpace>(from.mass, begin, end);
    if (request_.needs_lengths())
      initial_.softening = rows_from<MemorySpace>(from.softening, begin, end);
    initial_.pulls = rows_from<MemorySpace>(from.pulls, begin, end);
    initial_.position = Points<3, MemorySpace>("copse::gravity::position", n);
    convert("copse::gravity::round", space_, initial_.exact, initial_.position);
    first_step_ = from.step;
    first_time_ = from.time;
    Particles<MemorySpace> particles;
    particles.position = initial_.position;
    particles.mass = initial_.mass;
    particles.softening = initial_.softening;
    session_.together([&] { check_bodies(space_, particles, total_, request_); });
    // Unsigned sums wrap, and the checksum of a union is the wrapped sum.
    const std::uint64_t checksum =
        comm_.allreduce(app::coordinate_checksum(space_, initial_.position), Reduction::sum);
    session_.report().set_input({total_, box_of(initial_.position), request_.restart, checksum});
  }

  /// The bounding box of the bodies of all ranks.
  Box<3> box_of(const Points<3, MemorySpace>& position) const {
    Box<3> box = bounding_box(space_, position);
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    std::array<Real, 6> corners;  // the upper one, and the lower one negative
    for (std::size_t a = 0; a < 3; ++a) {
      corners[a] = position.extent(0) > 0 ? box.upper[a] : -infinity;
      corners[3 + a] = position.extent(0) > 0 ? -box.lower[a] : -infinity;
    }
    comm_.allreduce(std::span(corners), Reduction::max);
    for (std::size_t a = 0; a < 3; ++a) {
      box.upper[a] = corners[a];
      box.lower[a] = Real(0) - corners[3 + a];  // +0, not -0
    }
    return box;
  }

  /// Of all steps: counts that must vanish add up, others and errors are the largest.
  SharedRepeats worst() const {
    SharedRepeats all;
    for (const SharedRepeats& step : repeats_) {
      all.cells += step.cells;
      all.bodies += step.bodies;
      all.unlike_recursion += step.unlike_recursion;
      all.cells_once = std::max(all.cells_once, step.cells_once);
      all.bodies_once = std::max(all.bodies_once, step.bodies_once);
      all.mass_error = worse(all.mass_error, step.mass_error);
    }
    return all;
  }

  void record_pulls() {
    if (bodies_.pulls.extent(0) != bodies_.size() || !has_pulls_)
      bodies_.pulls = Column<MemorySpace>("copse::gravity::pulls", bodies_.size());
    shared_.builder().record_pulls(shared_.own(), fields_, bodies_.pulls);
    has_pulls_ = true;
  }

  void compute_fields() {
    using Region = Kokkos::Profiling::ScopedRegion;
    shared_.start_clock();
    {
      const Region region("copse::gravity::tree");
      session_.together([&] {
        if (count_infinite(space_, bodies_.exact) > 0)
          throw InputError(fmt::format(
              "after step {} a position is not finite: --dt is too long for these bodies", step_));
      });
      convert("copse::gravity::round", space_, bodies_.exact, bodies_.position);
      box_ = box_of(bodies_.position);
      shared_.distribute(bodies_, box_, total_);
      bodies_ = shared_.bodies();
      shared_.build();
    }
    {
      const Region region("copse::gravity::moments");
      shared_.compute_moments(has_pulls_);
    }
    const Region region("copse::gravity::walk");
    const Count n = shared_.own().size();
    if (fields_.potential.extent(0) != n) fields_ = allocate_fields<MemorySpace>(n);
    acceleration_ = Exact("copse::gravity::acceleration", n);
    potential_ = decltype(potential_)("copse::gravity::potential", n);
    shared_.solve(*method_, fields_);
    session_.together([&] { shared_.remote().refuse_missing({n, {}}, fields_); });
    to_input_order(space_, shared_.own(), fields_, request_.g, acceleration_, potential_);
    if (shared_.balances_work()) {
      shared_.weigh();
      bodies_.work = shared_.bodies().work;
    }
    space_.fence("copse::gravity::fields");
    shared_.stop_clock();
    sums_ += shared_.cost();
    seconds_.push_back(shared_.cost().compute_seconds);
  }

  ExecutionSpace space_;
  app::Session& session_;
  const Request& request_;
  Communicator comm_;
  SharedTree<ExecutionSpace> shared_;
  std::unique_ptr<Method<ExecutionSpace>> method_;
  RankBodies<MemorySpace> initial_, bodies_;
  Box<3> box_;
  GravityFields<MemorySpace> fields_;
  Exact acceleration_;
  Kokkos::View<double*, MemorySpace> potential_;
  Count total_ = 0, step_ = 0, first_step_ = 0;
  double time_ = 0.0, first_time_ = 0.0;
  bool has_pulls_ = false;
  SharedSeconds sums_;  ///< of all steps
  /// Of this rank, first fields and each step: interactions in the warm-up, if they are counted;
  /// seconds of computing in the last run.
  std::vector<double> interactions_, seconds_;
  std::vector<SharedRepeats> repeats_;  ///< of first fields and each step, in the warm-up
};

}  // namespace

template <class ExecutionSpace>
std::unique_ptr<Evolving> make_motion_over_ranks(const ExecutionSpace& space, app::Session& session,
                                                 const Request& request, const std::string& method,
                                                 std::uint32_t bucket_size) {
  return std::make_unique<MotionOverRanks<ExecutionSpace>>(space, session, request, method,
                                                           bucket_size);
}

#define COPSE_INSTANTIATE(Space)                             \
  template std::unique_ptr<Evolving> make_motion_over_ranks( \
      const Space&, app::Session&, const Request&, const std::string&, std::uint32_t);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
