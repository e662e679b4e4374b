// FLANN: its exact kd-tree, KDTreeSingleIndex, which reorders the points so that leaves are
// contiguous.
#include "neighbor_search.hpp"

#include <flann/flann.hpp>

namespace copse::peers {
namespace {

class FlannSearch final : public NeighborSearch {
 public:
  void build(const std::vector<Point>& points, int leaf_points) override {
    tree_.reset();
    // FLANN's matrix has no const, but the tree does not write to it.
    const flann::Matrix<Real> matrix(const_cast<Real*>(points.data()->data()), points.size(), 3);
    tree_ = std::make_unique<Tree>(matrix, flann::KDTreeSingleIndexParams(leaf_points, true));
    tree_->buildIndex();
  }

  void nearest(const std::vector<Point>& queries, int k,
               std::vector<LocalIndex>& rows) const override {
    const std::size_t wanted = static_cast<std::size_t>(k);
    const flann::SearchParams exact(flann::FLANN_CHECKS_UNLIMITED);
#pragma omp parallel
    {
      flann::KNNSimpleResultSet<Real> set(wanted);
      std::vector<std::size_t> found(wanted);
      std::vector<Real> distances(wanted);
#pragma omp for schedule(static)
      for (std::size_t q = 0; q < queries.size(); ++q) {
        set.clear();
        tree_->findNeighbors(set, queries[q].data(), exact);
        set.copy(found.data(), distances.data(), wanted);
        for (std::size_t i = 0; i < wanted; ++i)
          rows[q * wanted + i] = static_cast<LocalIndex>(found[i]);
      }
    }
  }

  void count(const std::vector<Point>& queries, Real radius,
             std::vector<LocalIndex>& counts) const override {
    const flann::SearchParams exact(flann::FLANN_CHECKS_UNLIMITED);
#pragma omp parallel
    {
      flann::CountRadiusResultSet<Real> set(radius * radius);
#pragma omp for schedule(static)
      for (std::size_t q = 0; q < queries.size(); ++q) {
        set.clear();
        tree_->findNeighbors(set, queries[q].data(), exact);
        counts[q] = static_cast<LocalIndex>(set.size());
      }
    }
  }

 private:
  using Tree = flann::KDTreeSingleIndex<flann::L2_Simple<Real>>;
  std::unique_ptr<Tree> tree_;
};

}  // namespace

std::unique_ptr<NeighborSearch> make_flann(std::string_view) {
  return std::make_unique<FlannSearch>();
}

}  // namespace copse::peers
