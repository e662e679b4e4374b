// ANN: coordinates are doubles, and a search keeps its state in global variables.
#include "neighbor_search.hpp"

#include <ANN/ANN.h>

namespace copse::peers {
namespace {

class AnnSearch final : public NeighborSearch {
 public:
  ~AnnSearch() override {
    tree_.reset();
    annClose();
  }

  int threads() const override { return 1; }

  void build(const std::vector<Point>& points, int leaf_points) override {
    tree_.reset();
    coordinates_.resize(3 * points.size());
    rows_.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) coordinates_[3 * i + a] = points[i][a];
      rows_[i] = coordinates_.data() + 3 * i;
    }
    tree_ =
        std::make_unique<ANNkd_tree>(rows_.data(), static_cast<int>(points.size()), 3, leaf_points);
  }

  void nearest(const std::vector<Point>& queries, int k,
               std::vector<LocalIndex>& rows) const override {
    std::vector<int> found(static_cast<std::size_t>(k));
    std::vector<double> distances(found.size());
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::array<double, 3> query{queries[q][0], queries[q][1], queries[q][2]};
      tree_->annkSearch(query.data(), k, found.data(), distances.data());
      for (std::size_t i = 0; i < found.size(); ++i)
        rows[q * found.size() + i] = static_cast<LocalIndex>(found[i]);
    }
  }

  void count(const std::vector<Point>& queries, Real radius,
             std::vector<LocalIndex>& counts) const override {
    const double squared_radius = static_cast<double>(radius) * static_cast<double>(radius);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::array<double, 3> query{queries[q][0], queries[q][1], queries[q][2]};
      counts[q] = static_cast<LocalIndex>(tree_->annkFRSearch(query.data(), squared_radius));
    }
  }

 private:
  std::vector<double> coordinates_;
  std::vector<double*> rows_;
  std::unique_ptr<ANNkd_tree> tree_;
};

}  // namespace

std::unique_ptr<NeighborSearch> make_ann(std::string_view) {
  return std::make_unique<AnnSearch>();
}

}  // namespace copse::peers
