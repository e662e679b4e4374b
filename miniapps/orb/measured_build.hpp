#pragma once
/// \file
/// One measured ORB on one backend: build, repeat, time beside a copy of the positions, fetch.

#include "build_log.hpp"
#include "model/traffic.hpp"
#include "variant.hpp"
#include "weights.hpp"
#include <copse/app/session.hpp>
#include <copse/particles/particles.hpp>
#include <copse/tree/orb_builder.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <string>

namespace copse {

/// What a backend made of the particles, fetched to the host, and how long it took.
struct MeasuredBuild {
  std::string backend;
  app::Samples
      build;  ///< seconds of whole builds: particles in the space's memory to tree and order
  app::Samples copy;  ///< seconds of one copy of the positions within that memory
  Points<3, Kokkos::HostSpace> position;                     ///< [n][3] in tree order
  Kokkos::View<LocalIndex*, Kokkos::HostSpace> permutation;  ///< [n] row before; empty if unknown
  std::optional<std::uint64_t> input_checksum;  ///< of builds that keep no input and no rows
  OrbTree<Kokkos::HostSpace> tree;
  IntegerWeights<Kokkos::HostSpace> weight;  ///< [n] of the input's rows; empty in a tree by number
  BuildLog log;                              ///< of a variant, what the last build did
  Count bytes_to_device = 0;                 ///< of particles, sent to the device for one build

  /// The suite's figure of merit for moving particles: how many copies of the positions the build
  /// was worth. Medians, so one disturbed run does not count.
  double copy_passes() const { return build.median() / copy.median(); }
  double particles_per_second() const {
    return static_cast<double>(position.extent(0)) / build.median();
  }
};

/// Which particles the builds get, and what they are to do with them.
struct BuildRequest {
  std::uint32_t leaves = 64;
  LeafRule rule = LeafRule::complete;
  AxisRule axis_rule = AxisRule::longest;
  OrbVariant variant;
  WeightRequest weights;
  bool positions_only = false;  ///< rows are not told from one another, and nothing is kept twice
};

/// What a builder is told of a request, for particles in this box.
inline OrbOptions orb_options(const BuildRequest& request, const Box<3>& box) {
  return {
      .leaves = request.leaves, .rule = request.rule, .axis_rule = request.axis_rule, .box = box};
}

/// Loads the session's particles, builds their ORB `--repeat` times on the backend called `backend`
/// and fetches the last result. `original` is set to the particles as loaded.
/// \throws InputError as `Session::load_particles` and `OrbBuilder::build` do
MeasuredBuild measure_build(app::Session& session, const std::string& backend,
                            const BuildRequest& request, Particles<Kokkos::HostSpace>& original);

/// As measure_build, by weight. Making the weights is not part of what is timed.
/// \throws InputError also as `make_weights` does
MeasuredBuild measure_weighted_build(app::Session& session, const std::string& backend,
                                     const BuildRequest& request,
                                     Particles<Kokkos::HostSpace>& original);

/// As measure_build, of positions alone: they are loaded anew for every build and reordered where
/// they are, so that a device holds them twice and no more. `original` gets their box only.
MeasuredBuild measure_positions_build(app::Session& session, const std::string& backend,
                                      const BuildRequest& request,
                                      Particles<Kokkos::HostSpace>& original);

/// As measure_build, for a variant that is not `fused`. With placement `device` on a device the
/// transfer of the particles from pinned host memory is a phase of its own.
MeasuredBuild measure_variant(app::Session& session, const std::string& backend,
                              const BuildRequest& request, Particles<Kokkos::HostSpace>& original);

/// The variant of the model that a build is.
orb_model::Variant modelled_variant(const std::string& backend, const BuildRequest& request);

/// The work of the builds and of the yardstick on `backend`, n rows each, for the report.
void set_build_work(app::Session& session, const std::string& backend, const BuildRequest& request,
                    Count n);

/// Sets the times and the result of the last build on `backend`, whose phases are called
/// copse::orb::build_BACKEND and copse::orb::copy_BACKEND.
template <class PointSet, class Permutation, class Tree>
void fetch_build(app::Session& session, const std::string& backend, const PointSet& points,
                 const Permutation& permutation, const Tree& tree, MeasuredBuild& result) {
  const Kokkos::HostSpace host;
  result.backend = backend;
  result.build = session.last_samples("copse::orb::build_" + backend);
  result.copy = session.last_samples("copse::orb::copy_" + backend);
  result.position = Kokkos::create_mirror_view_and_copy(host, points);
  result.permutation = Kokkos::create_mirror_view_and_copy(host, permutation);
  result.tree.cells = Kokkos::create_mirror_view_and_copy(host, tree.cells);
  result.tree.leaves = tree.leaves;
  result.tree.rule = tree.rule;
  result.tree.axis_rule = tree.axis_rule;
}

}  // namespace copse
