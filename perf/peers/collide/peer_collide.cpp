/// \file
/// peer_collide: collide's simulation by its own methods and on the lists of Cabana, with the same
/// particles in the same run.
///
/// | name | what | backends |
/// |---|---|---|
/// | those of --method | collide's, default: its choice for the backend | as collide |
/// | cabana | full Verlet lists, compressed | all |
/// | cabana_rows | the same, in rows of equal length | all |
///
/// Every method starts from particles in the memory of its backend and makes the same steps. After
/// the last step the sets of contacts must be equal, energies and positions almost: sums have
/// another order, and the compiler may fuse products and sums of Cabana's side.

#include "../name_list.hpp"
#include "cabana_lists.hpp"
#include "outcome.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <collide/methods.hpp>
#include <collide/reference.hpp>
#include <collide/request.hpp>
#include <collide/start.hpp>
#include <optional>

namespace copse::peers {
namespace {

/// The most by which energies may differ, relative, and positions, in cutoffs. Cabana's were at
/// most 2.1e-13 and 2.2e-10 away from collide's (32 runs on one core: 500 to 10^6 particles, 20 or
/// 100 steps, cs267 with walls in two and three dimensions, a periodic liquid). Differences grow
/// exponentially: after 1000 steps of cs267 the contacts are others.
constexpr double energy_tolerance = 1e-12;
constexpr double position_tolerance = 1e-9;
/// Contacts of more particles are not compared with the reference, which takes O(n^1.5) or more.
constexpr Count most_verified = 200000;

template <int D>
double kinetic_energy(const collide::State<D, Kokkos::HostSpace>& state, double mass) {
  double squares = 0.0;
  for (Count i = 0; i < state.rows(); ++i)
    for (int a = 0; a < D; ++a) squares += state.velocity(i, a) * state.velocity(i, a);
  return 0.5 * mass * squares;
}

/// The largest difference of a coordinate.
template <int D>
double farthest(const collide::State<D, Kokkos::HostSpace>& a,
                const collide::State<D, Kokkos::HostSpace>& b, const collide::Region<D>& region) {
  double most = 0.0;
  for (Count i = 0; i < a.rows(); ++i)
    for (int axis = 0; axis < D; ++axis)
      most = std::max(
          most, std::abs(region.displacement(a.position(i, axis), b.position(i, axis), axis)));
  return most;
}

class PeerCollide final : public app::MiniApp {
 public:
  std::string name() const override { return "peer_collide"; }
  std::string description() const override {
    return "Particles with short-range forces, by collide and on the lists of Cabana.";
  }
  std::vector<std::string> generators() const override { return collide::start_names(); }

  void add_options(CLI::App& cli) override {
    request_.declare(cli);
    cli.add_option("--library", library_,
                   "Others beside collide: a list of names, or all; those that are not there are "
                   "left out");
    cli.add_option("--list-skin", list_skin_,
                   "What Cabana's lists reach beyond the cutoff, in cutoffs; default: 1 for cs267, "
                   "0.12 for lennard-jones")
        ->check(CLI::Range(0.0, 100.0));
    cli.add_option("--list-cells", cabana_.cell_side,
                   "Side of Cabana's cells over the reach of its lists")
        ->check(CLI::Range(0.1, 10.0));
    app::add_count_option(cli, "--rebuild-every", cabana_.rebuild_every,
                          "Steps between new lists of Cabana; 0: when a particle has moved by half "
                          "the skin",
                          0);
  }

  void validate(const app::CommonOptions& options) override {
    request_.settle(options);
    chosen_ = chosen_names("--library", library_, {"cabana", "cabana_rows"});
    if (request_.radius_spread > 1.0)
      throw InputError(
          "--radius-spread is not for Cabana's lists, which take particles of one size");
    if (request_.leapfrog()) throw InputError("peer_collide compares with --integrator euler");
    const bool liquid = request_.force.kind == collide::ForceKind::lennard_jones;
    cabana_.skin = list_skin_.value_or(liquid ? 0.12 : 1.0);
  }

  void run(app::Session& session) override {
    if (session.ranks() > 1) throw InputError("peer_collide runs on one rank");
    if (session.options().dry_run) return;
    dispatch_backend(session.options().backend, [&](const auto& space) {
      request_.dimensions == 2 ? run_in<2>(session, space) : run_in<3>(session, space);
    });
  }

 private:
  template <int D, class ExecutionSpace>
  void run_in(app::Session& session, const ExecutionSpace& space) {
    using Memory = typename ExecutionSpace::memory_space;
    const auto start = collide::make_start<D>(session, request_);
    const auto loaded = collide::copy_state<Memory>(start.state);
    const collide::Physics<D> physics = request_.physics(start.region);

    Outcome<D> ours;
    for (const std::string& method : request_.methods) {
      const auto made = collide::make_method<D>(method, space, physics, request_);
      const Outcome<D> outcome = simulate(session, *made, loaded, physics, method);
      if (method == request_.methods.front()) {
        ours = outcome;
        if (session.options().verify) verify(session, physics, ours);
      } else {
        compare(session, physics, ours, outcome, method);
      }
    }
#if defined(COPSE_HAVE_CABANA)
    for (const std::string& library : chosen_) {
      CabanaSettings settings = cabana_;
      settings.rows = library == "cabana_rows";
      const auto made = make_cabana<D>(space, physics, settings);
      compare(session, physics, ours, simulate(session, *made, loaded, physics, library), library);
    }
#endif
  }

  template <int D, class ExecutionSpace>
  Outcome<D> simulate(app::Session& session, collide::Method<D, ExecutionSpace>& method,
                      const collide::State<D, typename ExecutionSpace::memory_space>& loaded,
                      const collide::Physics<D>& physics, const std::string& name) const {
    const auto samples =
        session.measure("peer::run::" + name,
                        {{"peer::load::" + name, [&](int) { method.load(loaded); }},
                         {"peer::collide::" + name, [&](int) { method.advance(request_.steps); }}});
    Outcome<D> outcome;
    outcome.seconds = samples.back().median();
    outcome.state = collide::by_id(method.state());
    outcome.contacts = method.contacts();
    outcome.energy = kinetic_energy(outcome.state, physics.force.mass) + outcome.contacts.potential;
    app::corruptible(outcome, name);
    const double rate =
        static_cast<double>(loaded.rows()) * static_cast<double>(request_.steps) / outcome.seconds;
    session.report().results()["methods"][name] = {{"contacts", outcome.contacts.contacts},
                                                   {"energy", outcome.energy},
                                                   {"particle_steps_per_second", rate}};
    session.print(
        fmt::format("{:<19} {} contacts, energy {:.10g} {:10.4f} s, {:.3g} steps of a "
                    "particle per second",
                    name, outcome.contacts.contacts, outcome.energy, outcome.seconds, rate));
    return outcome;
  }

  /// Equal contacts, and almost equal energies and positions; then the ratio of seconds.
  template <int D>
  static void compare(app::Session& session, const collide::Physics<D>& physics,
                      const Outcome<D>& ours, const Outcome<D>& theirs, const std::string& name) {
    auto& checks = session.verification();
    const bool equal = ours.contacts.contacts == theirs.contacts.contacts &&
                       ours.contacts.fingerprint == theirs.contacts.fingerprint;
    checks.check("contacts_unlike_" + name, equal ? 0.0 : 1.0);
    checks.check("energy_unlike_" + name, std::abs(theirs.energy / ours.energy - 1.0),
                 energy_tolerance);
    checks.check("positions_unlike_" + name,
                 farthest(ours.state, theirs.state, physics.region) / physics.force.cutoff,
                 position_tolerance);
    session.report().add_figure_of_merit("speedup::" + name, theirs.seconds / ours.seconds, "x");
  }

  /// Compares the contacts of collide with its reference.
  template <int D>
  static void verify(app::Session& session, const collide::Physics<D>& physics,
                     const Outcome<D>& ours) {
    if (ours.state.rows() > most_verified) return;
    const auto contacts = collide::find_reference_contacts(ours.state, physics);
    const auto wanted = collide::reference_sums(ours.state, physics, contacts);
    session.verification().check("wrong_contacts",
                                 wanted.fingerprint == ours.contacts.fingerprint ? 0.0 : 1.0);
  }

  collide::Request request_;
  CabanaSettings cabana_;
  std::optional<double> list_skin_;
  std::string library_ = "all";
  std::vector<std::string> chosen_;
};

}  // namespace
}  // namespace copse::peers

int main(int argc, char** argv) {
  copse::peers::PeerCollide peer;
  return copse::app::run_main(argc, argv, peer);
}
