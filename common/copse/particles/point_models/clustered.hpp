#pragma once
/// \file
/// Clusters in groups, of power-law sizes, over a thin background, in any dimension.
///
/// Effect on a traversal: densities differ by many orders of magnitude, so bounding boxes of one
/// tree level differ as much in size, and queries of one warp in their work.

#include <copse/particles/point_models/model.hpp>

namespace copse::point_models {

template <int Dim>
struct Cluster {
  Coordinates<Dim> centre;
  double sigma;  ///< standard deviation along every axis
};

/// The centre of each of 64 groups is uniform in the unit cube. The 32 clusters of a group scatter
/// around its centre with standard deviation 0.05. The share of points of cluster c of group g is
/// proportional to 1 / ((g + 1) (c + 1)), Zipf's law; its standard deviation is 2^-6 to 2^-12,
/// uniform in the exponent. One point in 16 is uniform in the cube. Points outside the cube are
/// mirrored back into it.
template <int Dim, class MemorySpace>
struct Clustered {
  static constexpr int groups = 64;
  static constexpr int clusters_per_group = 32;
  static constexpr double background = 1.0 / 16;

  std::uint64_t seed;
  Kokkos::View<const double*, MemorySpace> ends;
  Kokkos::View<const Cluster<Dim>*, MemorySpace> clusters;

  explicit Clustered(std::uint64_t seed_)
      : seed(seed_),
        ends(table_in<MemorySpace>(upper_ends(weights()))),
        clusters(table_in<MemorySpace>(draw_clusters(seed_))) {}

  /// Weights of all clusters, then that of the background.
  static std::vector<double> weights() {
    std::vector<double> all;
    double sum = 0.0;
    for (int g = 0; g < groups; ++g)
      for (int c = 0; c < clusters_per_group; ++c)
        sum += all.emplace_back(1.0 / static_cast<double>((g + 1) * (c + 1)));
    all.push_back(sum * background / (1.0 - background));
    return all;
  }

  static std::vector<Cluster<Dim>> draw_clusters(std::uint64_t seed) {
    constexpr double group_sigma = 0.05;
    std::vector<Cluster<Dim>> all;
    for (int g = 0; g < groups; ++g) {
      RandomStream random = stream_of_entry(seed, static_cast<std::uint64_t>(g));
      const Coordinates<Dim> centre = draw_uniform(random);
      for (int c = 0; c < clusters_per_group; ++c) {
        Cluster<Dim> cluster{centre, 0.0};
        const Coordinates<Dim> offset = draw_normals<Dim>(random);
        for (int a = 0; a < Dim; ++a)
          cluster.centre[a] = mirrored(centre[a] + group_sigma * offset[a], 1.0);
        const double halvings = 6.0 + 6.0 * random.next_pair()[0];
        cluster.sigma = portable::exp(-halvings * portable::ln2_high);
        all.push_back(cluster);
      }
    }
    return all;
  }

  KOKKOS_FUNCTION static Coordinates<Dim> draw_uniform(RandomStream& random) {
    Coordinates<Dim> x{};
    for (int a = 0; a < Dim; a += 2) {
      const auto u = random.next_pair();
      x[a] = u[0];
      if (a + 1 < Dim) x[a + 1] = u[1];
    }
    return x;
  }

  KOKKOS_FUNCTION Coordinates<Dim> operator()(GlobalId i) const {
    RandomStream random = stream_of_point(seed, i);
    const std::size_t part = part_of<MemorySpace>(ends, random.next_pair()[0]);
    if (part == clusters.extent(0)) return draw_uniform(random);
    const Cluster<Dim>& cluster = clusters(part);
    Coordinates<Dim> x = draw_normals<Dim>(random);
    for (int a = 0; a < Dim; ++a) x[a] = mirrored(cluster.centre[a] + cluster.sigma * x[a], 1.0);
    return x;
  }
};

}  // namespace copse::point_models
