#pragma once
/// \file
/// `--count-repeats`: what buckets would add twice if the tree arrived in cache subtrees and no
/// record said where a bucket had stopped, and what radii with inclusion cost instead ([Liu 2019]
/// section 5.4).
///
/// One process has the whole tree, and all of its buckets walk. Nothing is sent: subtrees "arrive"
/// in the order in which a process with these buckets would get them. The counts of a process of
/// many are those of its own buckets.

#include "../methods.hpp"
#include "../request.hpp"
#include <copse/app/session.hpp>
#include <copse/gravity/inclusion.hpp>

namespace copse::gravity {

/// What all buckets do together. Cells and bodies count once for each body of the bucket.
struct BucketWork {
  Count cells = 0, bodies = 0;
  Count tests = 0;         ///< once for each bucket
  double most_mass = 0.0;  ///< largest mass that a bucket meets, in masses of all bodies
  double mean_mass = 0.0;  ///< its mean over bodies
};

struct Repeats {
  Count buckets = 0, nodes = 0;
  Count subtrees = 0;  ///< cache subtrees
  UncoveredNodes plain_uncovered, uncovered;
  BucketWork plain;      ///< one walk with the radii of the criterion
  BucketWork once;       ///< one walk with the enlarged radii
  BucketWork stateless;  ///< a stateless resume with these
  // If compared:
  Count unlike_recursion = 0;  ///< buckets whose repeats are not those that the recursion lists
  double mass_error = 0.0;     ///< largest error of the masses of one walk and of the repeats
};

/// Counts for a body tree with the radii of `request.criterion`, which are enlarged here.
/// `compares` fills what list_repeats says, on the host.
template <class ExecutionSpace>
Repeats repeats_of(const ExecutionSpace& space,
                   const BodyTree<typename ExecutionSpace::memory_space>& bodies,
                   const Request& request, bool compares);

/// Loads the bodies, counts and reports; with --verify compares with list_repeats.
/// \throws InputError as load_bodies
void count_repeats(app::Session& session, const Request& request);

}  // namespace copse::gravity
