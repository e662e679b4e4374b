#pragma once
/// \file
/// Projected images of ten classes: a stand-in for Mnist, the handwritten digits of [Liu 2019]
/// section 3.4, which a random projection maps to few dimensions.
///
/// Properties of such data that affect a traversal: ten overlapping clusters, each elongated in its
/// own directions; coordinate axes are not aligned with the data; distances between points are
/// similar, so bounding boxes overlap and little is pruned.

#include <copse/particles/point_models/model.hpp>

namespace copse::point_models {

/// An image has 64 pixels. Class c has a mean image and twelve patterns of strengths 1, 1/2, 1/3,
/// ...; an image is the mean plus a normal multiple of each pattern, cut to [0, 255] and rounded
/// down to integers like bytes. Images therefore lie near a 12-dimensional space. The point is the
/// projection by a matrix of normal numbers over sqrt(Dim), which preserves squared distances on
/// average. Units: pixel values.
template <int Dim, class MemorySpace>
struct MnistLike {
  static constexpr int classes = 10;
  static constexpr int pixels = 64;
  static constexpr int patterns = 12;
  static constexpr double contrast = 60.0;

  /// One pixel of all images of a class.
  struct Pixel {
    double mean;
    Kokkos::Array<double, patterns> pattern;
  };

  std::uint64_t seed;
  Kokkos::View<const Pixel*, MemorySpace> images;                 ///< class * pixels + pixel
  Kokkos::View<const Coordinates<Dim>*, MemorySpace> projection;  ///< one row per pixel

  explicit MnistLike(std::uint64_t seed_)
      : seed(seed_),
        images(table_in<MemorySpace>(draw_images(seed_))),
        projection(table_in<MemorySpace>(draw_projection(seed_))) {}

  static std::vector<Pixel> draw_images(std::uint64_t seed) {
    std::vector<Pixel> all;
    for (int k = 0; k < classes * pixels; ++k) {
      RandomStream random = stream_of_entry(seed, static_cast<std::uint64_t>(k));
      Pixel pixel{90.0 + 80.0 * draw_normals<1>(random)[0], draw_normals<patterns>(random)};
      for (int p = 0; p < patterns; ++p) pixel.pattern[p] *= contrast / (p + 1);
      all.push_back(pixel);
    }
    return all;
  }

  static std::vector<Coordinates<Dim>> draw_projection(std::uint64_t seed) {
    const double scale = 1.0 / Kokkos::sqrt(static_cast<double>(Dim));
    std::vector<Coordinates<Dim>> rows;
    for (int k = 0; k < pixels; ++k) {
      RandomStream random = stream_of_entry(seed, static_cast<std::uint64_t>(classes * pixels + k));
      Coordinates<Dim> row = draw_normals<Dim>(random);
      for (int a = 0; a < Dim; ++a) row[a] *= scale;
      rows.push_back(row);
    }
    return rows;
  }

  KOKKOS_FUNCTION Coordinates<Dim> operator()(GlobalId i) const {
    RandomStream random = stream_of_point(seed, i);
    const int c = static_cast<int>(random.next_pair()[0] * classes);
    const auto strength = draw_normals<patterns>(random);
    Coordinates<Dim> x{};
    for (int k = 0; k < pixels; ++k) {
      const Pixel& pixel = images(c * pixels + k);
      double value = pixel.mean;
      for (int p = 0; p < patterns; ++p) value += strength[p] * pixel.pattern[p];
      value = value < 0.0 ? 0.0 : value > 255.0 ? 255.0 : Kokkos::floor(value);
      for (int a = 0; a < Dim; ++a) x[a] += value * projection(k)[a];
    }
    return x;
  }
};

}  // namespace copse::point_models
