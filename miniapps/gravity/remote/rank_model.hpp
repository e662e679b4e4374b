#pragma once
/// \file
/// `--model`: bytes and seconds of a step over up to 10^5 ranks, from those of a measured run.
///
/// Assumptions, printed with the table:
///  - Domains are those of an ORB of a cube that cuts the axes in turn, into p_x p_y p_z = P boxes.
///    Bytes of essential trees are the area of a domain's faces that touch other domains
///    (`border_area`) times N^(2/3) and a constant that the run gives.
///  - Every rank gets the moments of all coarse leaves of all others, in the log2 P messages of a
///    gather. Leaves are as full as in the run, relative to coarse_leaf_bodies. This grows as P.
///    `far_top_bytes` are those of a remedy that the code does not have: all leaves of near domains
///    and one root of every other domain.
///  - Near domains are those whose root a domain may open: its centre is closer than side / theta
///    to the box of the domain (`near_domains`). They get essential trees, one message each.
///  - A message costs the latency, a byte 1 / bandwidth. A coarse tree of log8(leaves) depths needs
///    two reductions each, of 2 log2 P messages.
///  - Work per body grows with the logarithm of the number of all bodies, as the walks of trees do.
///  - Nothing overlaps, and domains are as uneven as in the run (the slowest walk over the mean).

#include "rank_report.hpp"
#include <copse/app/session.hpp>

#include <cstdint>

namespace copse::gravity {

/// What the run gave.
struct MeasuredStep {
  double ranks = 1.0, bodies = 0.0;  ///< of all ranks
  double theta = 0.0;
  std::uint32_t bucket_size = 1;
  double compute = 0.0, communicate = 0.0, wait = 0.0;  ///< seconds, the means of ranks
  double uneven = 1.0;                                  ///< slowest walk / mean, by flops
  double essential_bytes = 0.0;                         ///< received by a rank, mean
  double coarse_leaves = 0.0;                           ///< of all ranks
  double leaf_bytes = 0.0;                              ///< of a coarse leaf's message
};

struct Network {
  double latency = 2e-6;    ///< seconds of a message
  double bandwidth = 1e10;  ///< bytes per second that a rank sends
};

/// A step of one rank.
struct PredictedStep {
  double ranks = 1.0, bodies = 0.0;  ///< of all ranks
  double coarse_leaves = 0.0;        ///< of a rank
  double essential_bytes = 0.0, top_bytes = 0.0;
  double far_top_bytes = 0.0;  ///< of the top, if far domains sent one root each
  double compute = 0.0, exchange = 0.0, top = 0.0, reduce = 0.0, far_top = 0.0;

  double messages() const { return exchange + top + reduce; }
  double seconds() const { return compute + messages(); }
  double far_seconds() const { return seconds() - top + far_top; }
};

/// Area of the faces of a domain that touch others, in faces of the whole cube: the mean over the
/// domains of an ORB that cuts the axes in turn.
double border_area(double ranks);

/// Other domains whose root a domain inside may open, in a lattice of cubes; at most `ranks` - 1.
double near_domains(double theta, double ranks);

PredictedStep predict_step(const MeasuredStep& run, const Network& network, double ranks,
                           double bodies);

MeasuredStep measured_step(const RankCosts& costs, double bodies, double theta,
                           std::uint32_t bucket_size);

/// Prints the predicted seconds of messages beside those of the run, and predictions with the run's
/// bodies on more ranks, and with its bodies per rank. Fills `results.model`.
void report_model(app::Session& session, const MeasuredStep& run, const Network& network);

}  // namespace copse::gravity
