#include <copse/particles/random_projection.hpp>
#include <copse/particles/random_variates.hpp>

namespace copse {

namespace {

template <int Dim>
Kokkos::Array<double, Dim> draw_weights(RandomStream& random, ProjectionWeights kind) {
  if (kind == ProjectionWeights::gaussian) return draw_normals<Dim>(random);
  Kokkos::Array<double, Dim> signs{};
  const std::uint32_t bits = random.next_block()[0];
  for (int a = 0; a < Dim; ++a) signs[a] = (bits >> a & 1U) != 0 ? 1.0 : -1.0;
  return signs;
}

}  // namespace

template <int Dim>
RandomProjection<Dim>::RandomProjection(Count columns, const ProjectionOptions& options) {
  const double scale = 1.0 / Kokkos::sqrt(static_cast<double>(Dim));
  weights_.reserve(columns);
  for (Count j = 0; j < columns; ++j) {
    RandomStream random(options.seed, RandomPurpose::projection, j);
    Kokkos::Array<double, Dim> row = draw_weights<Dim>(random, options.weights);
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
