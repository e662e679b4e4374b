#pragma once
/// \file
/// Published results as ASCII Tipsy arrays: the number n of particles, then n numbers, or 3 n for
/// vectors: all x, then all y, then all z.

#include <copse/backend/types.hpp>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace copse::test {

template <class T>
struct TipsyArray {
  Count particles = 0;
  std::vector<T> values;

  T operator()(Count particle, int component = 0) const {
    return values[static_cast<Count>(component) * particles + particle];
  }
};

/// \throws std::runtime_error if the file holds anything else
template <class T>
TipsyArray<T> read_tipsy_array(const std::filesystem::path& path) {
  std::ifstream file(path);
  TipsyArray<T> array;
  file >> array.particles;
  for (T value; file >> value;) array.values.push_back(value);
  const Count n = array.particles;
  if (!file.eof() || n == 0 || (array.values.size() != n && array.values.size() != 3 * n))
    throw std::runtime_error(path.string() + " is no ASCII Tipsy array");
  return array;
}

}  // namespace copse::test
