#pragma once
/// \file
/// The oracles of the benchmark barnes-hut for sampled particles: direct sums of accelerations, and
/// the fields of the walk's own decisions (decided_fields.hpp).

#include "decided_fields.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/gravity/measured_errors.hpp>
#include <copse/gravity/to_mass.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace copse::traversal {

/// Results without a fingerprint: walks differ in the last digits, and group walks open more nodes.
using HostFields = GravityFields<Kokkos::HostSpace>;

/// The fields of some particles by direct summation in double, on the benchmark's backend.
using ExactSum = std::function<std::vector<GravityField<double>>(const std::vector<LocalIndex>&)>;

class ExpectedFields {
 public:
  /// \param request  must outlive this
  /// \param order    highest rank of the moments, 1 to 4
  /// \param model    the particles' generator, whose measured errors limit those of the walks
  ///                 (measured_errors.hpp)
  ExpectedFields(const Request& request, int order, BodyModel model)
      : request_(request), order_(order), model_(model) {}

  /// The particles. Nothing is summed before the first check.
  void set_particles(const HostPoints<3>& points, ExactSum sum);

  /// The walk of the next fields to be checked.
  void set_walk(DecidingWalk walk) { walk_ = std::move(walk); }

  /// Checks the median and the 99th percentile of the relative errors of the accelerations, and
  /// without softening the largest against the fields of the walk's own decisions.
  void verify(app::Verification& verification, const std::string& prefix, const HostFields& fields);
  /// Reports the median and the largest relative error of the accelerations.
  void report(app::Session& session, const HostFields& fields);

 private:
  static constexpr Count targets = 10'000;

  /// Relative errors of the accelerations of sampled particles, ascending.
  std::vector<double> errors_of(const HostPoints<3>& acceleration);
  void verify_expansions(app::Verification& verification, const std::string& name,
                         const HostFields& fields) const;

  const Request& request_;
  int order_;
  BodyModel model_;
  HostPoints<3> points_;
  ExactSum sum_;
  DecidingWalk walk_;
  std::vector<LocalIndex> chosen_;
  std::vector<GravityField<double>> exact_;
};

}  // namespace copse::traversal
