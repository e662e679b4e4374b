#include <copse/particles/random_projection.hpp>
#include <copse/particles/random_variates.hpp>

namespace copse {

template <int Dim>
RandomProjection<Dim>::RandomProjection(Count columns, std::uint64_t seed) {
  const double scale = 1.0 / Kokkos::sqrt(static_cast<double>(Dim));
  weights_.reserve(columns);
  for (Count j = 0; j < columns; ++j) {
    RandomStream random(seed, RandomPurpose::projection, j);
    Kokkos::Array<double, Dim> row = draw_normals<Dim>(random);
    for (int a = 0; a < Dim; ++a) row[a] *= scale;
    weights_.push_back(row);
  }
}

template <int Dim>
void RandomProjection<Dim>::project(const Real* table, Count count, Count column_stride,
                                    const Points<Dim, Kokkos::HostSpace>& points,
                                    Count first) const {
  for (Count i = 0; i < count; ++i) {
    Kokkos::Array<double, Dim> x{};
    for (Count j = 0; j < weights_.size(); ++j) {
      const double value = static_cast<double>(table[i + j * column_stride]);
      for (int a = 0; a < Dim; ++a) x[a] += value * weights_[j][a];
    }
    for (int a = 0; a < Dim; ++a) points(first + i, a) = static_cast<Real>(x[a]);
  }
}

#define COPSE_INSTANTIATE_RANDOM_PROJECTION(Dim) template class RandomProjection<Dim>;
COPSE_FOR_EACH_DIMENSION(COPSE_INSTANTIATE_RANDOM_PROJECTION)

}  // namespace copse
