#pragma once
/// \file
/// Lists for a sweep by many threads [Liu, Harada, Lee, Kim 2010]: particles by class of size, by
/// strip of the region, and along the strip.
///
/// A class holds the sizes from half its bound to its bound, so that a small particle looks far
/// only among the few large ones. A strip is as wide as its class asks for and as long as the
/// region. A list is a strip of a class; its particles are sorted by their place along the strip.
///
/// Places are monotone functions of coordinates, so all particles within a distance along the strip
/// are between the places of its ends.

#include "../region.hpp"
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace copse::collide {

template <int D>
struct SizeStrips {
  static constexpr int most_classes = 12;
  static constexpr int across = D - 1;
  /// Width of a strip over the largest reach in its class. Narrow strips have fewer candidates,
  /// wide ones fewer searches.
  static constexpr double width = 1.0;
  /// Places per reach of the smallest class.
  static constexpr double places_per_reach = 16.0;

  struct Class {
    double bound = 1.0;  ///< of the sizes
    Kokkos::Array<std::uint32_t, D - 1> strips{};
    Kokkos::Array<double, D - 1> per_length{};  ///< strips per unit of length
    std::uint32_t first = 0;                    ///< its first list
  };

  Region<D> region;
  double cutoff = 0.0;
  Kokkos::Array<Class, most_classes> classes{};
  int class_count = 1;
  int along = 0;  ///< the axis of the strips: the longest side
  std::uint32_t lists = 0;
  int place_bits = 1, key_bits = 32;
  double places_per_length = 0.0;
  int index_shift = 0;  ///< bits of a key that the index of keys leaves out

  /// For sizes from `smallest` to `largest`.
  static SizeStrips cover(const Region<D>& region, double cutoff, double smallest, double largest,
                          Count rows) {
    SizeStrips strips;
    strips.region = region;
    strips.cutoff = cutoff;
    for (int a = 1; a < D; ++a)
      if (region.side[a] > region.side[strips.along]) strips.along = a;
    const double octaves = std::ceil(std::log2(largest / smallest));
    strips.class_count = static_cast<int>(std::clamp(octaves, 1.0, double{most_classes}));
    // Not many more lists than particles.
    const double most =
        std::max(1.0, std::pow(4.0 * static_cast<double>(rows) / strips.class_count, 1.0 / across));
    for (int c = 0; c < strips.class_count; ++c) {
      Class& sizes = strips.classes[c];
      sizes.bound = std::ldexp(largest, c + 1 - strips.class_count);
      sizes.first = strips.lists;
      std::uint32_t count = 1;
      for (int k = 0; k < across; ++k) {
        const double fitting =
            std::floor(region.side[strips.axis(k)] / (width * cutoff * sizes.bound));
        sizes.strips[k] = static_cast<std::uint32_t>(std::clamp(fitting, 1.0, most));
        sizes.per_length[k] = sizes.strips[k] / region.side[strips.axis(k)];
        count *= sizes.strips[k];
      }
      strips.lists += count;
    }
    const int list_bits = std::bit_width(strips.lists - 1);
    const double places =
        places_per_reach * region.side[strips.along] / (cutoff * strips.classes[0].bound);
    const int wanted = list_bits + static_cast<int>(std::ceil(std::log2(std::max(2.0, places))));
    strips.key_bits = std::min(32, (wanted + 7) / 8 * 8);  // whole digits of the sort
    strips.place_bits = std::max(1, strips.key_bits - list_bits);
    strips.places_per_length = static_cast<double>(strips.places()) / region.side[strips.along];
    while (strips.first_key(strips.lists) >> strips.index_shift > 2 * rows + 64)
      ++strips.index_shift;
    return strips;
  }

  /// The k-th axis across the strips.
  KOKKOS_FORCEINLINE_FUNCTION int axis(int k) const { return (along + 1 + k) % D; }

  KOKKOS_FORCEINLINE_FUNCTION int class_of(double size) const {
    int c = 0;
    while (c + 1 < class_count && size > classes[c].bound) ++c;
    return c;
  }

  /// The part of an axis that a coordinate is in.
  static KOKKOS_FORCEINLINE_FUNCTION std::int64_t part(double x, double per_length,
                                                       std::int64_t parts) {
    const double p = x * per_length;
    if (!(p > 0.0)) return 0;  // NaN too
    return p < static_cast<double>(parts) ? static_cast<std::int64_t>(p) : parts - 1;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t places() const { return std::int64_t{1} << place_bits; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t first_key(std::uint64_t list) const {
    return list << place_bits;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t key(const Vector<D>& x, double size) const {
    const Class& sizes = classes[class_of(size)];
    std::int64_t strip = 0;
    for (int k = 0; k < across; ++k)
      strip = strip * sizes.strips[k] + part(x[axis(k)], sizes.per_length[k], sizes.strips[k]);
    return static_cast<std::uint32_t>(
        first_key(sizes.first + static_cast<std::uint64_t>(strip)) |
        static_cast<std::uint64_t>(part(x[along], places_per_length, places())));
  }

  /// Parts from `x - reach` to `x + reach` of an axis: `count` of them from `first`, which go on
  /// at 0 after the last if the region is periodic.
  struct Window {
    std::int64_t first, count;
  };
  KOKKOS_FORCEINLINE_FUNCTION Window window(double x, double reach, double per_length,
                                            std::int64_t parts) const {
    if (Kokkos::isnan(x)) return {0, 1};  // meets nothing
    auto low = static_cast<std::int64_t>(Kokkos::floor((x - reach) * per_length));
    auto high = static_cast<std::int64_t>(Kokkos::floor((x + reach) * per_length));
    if (region.periodic) {
      if (high - low + 1 >= parts) return {0, parts};
      if (low < 0) low += parts, high += parts;
      return {low < parts ? low : low - parts, high - low + 1};
    }
    low = low > 0 ? (low < parts ? low : parts - 1) : 0;
    high = high < parts ? high : parts - 1;
    return {low, high - low + 1};
  }
};

}  // namespace copse::collide
