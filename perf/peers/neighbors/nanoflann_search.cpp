// nanoflann, from 1.4.3 on: a header-only library; queries are const and share no state.
#include "neighbor_search.hpp"

#include <nanoflann.hpp>
#include <optional>

namespace copse::peers {
namespace {

/// nanoflann's view of the points.
struct Cloud {
  const std::vector<Point>* points = nullptr;

  std::size_t kdtree_get_point_count() const { return points->size(); }
  Real kdtree_get_pt(std::size_t row, std::size_t axis) const { return (*points)[row][axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// Counts points within a radius; nanoflann's own result set lists them.
struct CountWithin {
  using DistanceType = Real;
  using IndexType = LocalIndex;

  Real squared_radius;
  LocalIndex found = 0;

  bool full() const { return true; }
  Real worstDist() const { return squared_radius; }
  bool addPoint(Real squared_distance, LocalIndex) {
    if (squared_distance < squared_radius) ++found;
    return true;
  }
};

class NanoflannSearch final : public NeighborSearch {
 public:
  void build(const std::vector<Point>& points, int leaf_points) override {
    tree_.reset();
    cloud_.points = &points;
    // The constructor builds the tree; buildIndex would build it a second time.
    tree_.emplace(3, cloud_,
                  nanoflann::KDTreeSingleIndexAdaptorParams(static_cast<std::size_t>(leaf_points)));
  }

  void nearest(const std::vector<Point>& queries, int k,
               std::vector<LocalIndex>& rows) const override {
    const std::size_t wanted = static_cast<std::size_t>(k);
#pragma omp parallel
    {
      std::vector<Real> distances(wanted);
#pragma omp for schedule(static)
      for (std::size_t q = 0; q < queries.size(); ++q)
        tree_->knnSearch(queries[q].data(), wanted, rows.data() + q * wanted, distances.data());
    }
  }

  void count(const std::vector<Point>& queries, Real radius,
             std::vector<LocalIndex>& counts) const override {
#pragma omp parallel for schedule(static)
    for (std::size_t q = 0; q < queries.size(); ++q) {
      CountWithin set{radius * radius};
      tree_->findNeighbors(set, queries[q].data(), {});
      counts[q] = set.found;
    }
  }

 private:
  using Metric = nanoflann::L2_Simple_Adaptor<Real, Cloud, Real, LocalIndex>;
  using Tree = nanoflann::KDTreeSingleIndexAdaptor<Metric, Cloud, 3, LocalIndex>;

  Cloud cloud_;
  std::optional<Tree> tree_;
};

}  // namespace

std::unique_ptr<NeighborSearch> make_nanoflann(std::string_view) {
  return std::make_unique<NanoflannSearch>();
}

}  // namespace copse::peers
