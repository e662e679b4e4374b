#pragma once
/// \file
/// `--model`: bytes and seconds of a step over up to 10^5 ranks, from those of a measured run.
///
/// Assumptions, printed with the table:
///  - Essential trees are what is near the faces of a domain: of n bodies n^(2/3) times a constant
///    for each of its six faces, which the run gives. A domain inside has six neighbours' faces,
///    one of P = 2, 4 and 8 has 1, 2 and 3.
///  - Every rank gets the moments of all coarse leaves of others, as many per rank as in the run
///    (coarse_leaf_bodies), in log2 P messages of a gather.
///  - A message costs the latency, a byte 1 / bandwidth. A domain sends essential trees to 26
///    others, or to all if there are fewer. A coarse tree of log8(leaves) depths needs two
///    reductions each, of 2 log2 P messages.
///  - Work per body grows with the logarithm of the number of all bodies, as the walks of trees do.
///  - Nothing overlaps, and domains are as uneven as in the run (the slowest walk over the mean).

#include "rank_report.hpp"
#include <copse/app/session.hpp>

namespace copse::gravity {

/// What the run gave.
struct MeasuredStep {
  double ranks = 1.0, bodies = 0.0;  ///< of all ranks
  double compute = 0.0;              ///< seconds, the mean of ranks
  double uneven = 1.0;               ///< slowest walk / mean, by flops
  double essential_bytes = 0.0;      ///< received by a rank, mean
  double coarse_leaves = 0.0;        ///< of a rank, mean
  double leaf_bytes = 0.0;           ///< of a coarse leaf's message
};

struct Network {
  double latency = 2e-6;    ///< seconds of a message
  double bandwidth = 1e10;  ///< bytes per second that a rank sends
};

/// A step of one rank.
struct PredictedStep {
  double ranks = 1.0, bodies = 0.0;  ///< of all ranks
  double essential_bytes = 0.0, top_bytes = 0.0;
  double compute = 0.0, exchange = 0.0, top = 0.0, reduce = 0.0;

  double seconds() const { return compute + exchange + top + reduce; }
};

/// Faces of a domain that are borders with others, of six, in an ORB of `ranks` domains that cuts
/// the axes in turn: the mean over domains.
double inner_faces(double ranks);

PredictedStep predict_step(const MeasuredStep& run, const Network& network, double ranks,
                           double bodies);

MeasuredStep measured_step(const RankCosts& costs, double bodies);

/// Prints predictions with the run's bodies on more ranks, and with its bodies per rank, and fills
/// `results.model`.
void report_model(app::Session& session, const MeasuredStep& run, const Network& network);

}  // namespace copse::gravity
