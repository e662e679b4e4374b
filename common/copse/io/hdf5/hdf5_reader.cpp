#include <copse/backend/error.hpp>
#include <copse/io/hdf5/hdf5_input.hpp>
#include <copse/io/hdf5/hdf5_reader.hpp>

#include <fmt/format.h>

#include <type_traits>

namespace copse::io {

struct Hdf5Reader::State {
  explicit State(const std::filesystem::path& path) : source(path), input(source) {}

  template <class T>
  T single(const std::optional<std::vector<T>>& values, const std::string& object,
           const std::string& attribute) const {
    if (!values || values->size() != 1)
      throw InputError(fmt::format("{}: attribute {} of {} is not one number", source.name(),
                                   attribute, object));
    return values->front();
  }

  FileSource source;
  Hdf5Input input;
};

Hdf5Reader::Hdf5Reader(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {}

Hdf5Reader::~Hdf5Reader() = default;

bool Hdf5Reader::has(const std::string& name) const {
  return state_->input.has(name);
}

template <class T>
std::vector<T> Hdf5Reader::read(const std::string& name, Count columns) const {
  constexpr auto kind =
      std::is_integral_v<T> ? Hdf5Input::Kind::integer : Hdf5Input::Kind::floating_point;
  const Hdf5Dataset dataset = state_->input.open(name, kind, columns);
  std::vector<T> values(dataset.rows() * columns);
  dataset.read_rows(0, dataset.rows(), number_type<T>(), values.data());
  return values;
}

template std::vector<float> Hdf5Reader::read(const std::string&, Count) const;
template std::vector<double> Hdf5Reader::read(const std::string&, Count) const;
template std::vector<std::uint8_t> Hdf5Reader::read(const std::string&, Count) const;

double Hdf5Reader::number(const std::string& object, const std::string& attribute) const {
  return state_->single(state_->input.numbers(object, attribute), object, attribute);
}

Count Hdf5Reader::count(const std::string& object, const std::string& attribute) const {
  return state_->single(state_->input.counts(object, attribute), object, attribute);
}

}  // namespace copse::io
