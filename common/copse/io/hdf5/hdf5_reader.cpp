#include <copse/backend/error.hpp>
#include <copse/io/hdf5/hdf5_input.hpp>
#include <copse/io/hdf5/hdf5_reader.hpp>

#include <fmt/format.h>

#include <type_traits>
#include <utility>

namespace copse::io {

struct Hdf5Reader::State {
  template <class T>
  Hdf5Dataset open(const std::string& name, Count columns) const {
    constexpr auto kind =
        std::is_integral_v<T> ? Hdf5Input::Kind::integer : Hdf5Input::Kind::floating_point;
    return input.open(name, kind, columns);
  }

  explicit State(std::unique_ptr<ByteSource> bytes) : source(std::move(bytes)), input(*source) {}

  template <class T>
  T single(const std::optional<std::vector<T>>& values, const std::string& object,
           const std::string& attribute) const {
    if (!values || values->size() != 1)
      throw InputError(fmt::format("{}: attribute {} of {} is not one number", source->name(),
                                   attribute, object));
    return values->front();
  }

  std::unique_ptr<ByteSource> source;
  Hdf5Input input;
};

Hdf5Reader::Hdf5Reader(const std::filesystem::path& path)
    : Hdf5Reader(std::make_unique<FileSource>(path)) {}

Hdf5Reader::Hdf5Reader(std::unique_ptr<ByteSource> source)
    : state_(std::make_unique<State>(std::move(source))) {}

Hdf5Reader::~Hdf5Reader() = default;

bool Hdf5Reader::has(const std::string& name) const {
  return state_->input.has(name);
}

template <class T>
Count Hdf5Reader::rows(const std::string& name, Count columns) const {
  return state_->open<T>(name, columns).rows();
}

template <class T>
std::vector<T> Hdf5Reader::read(const std::string& name, Count columns) const {
  return read_rows<T>(name, columns, 0, rows<T>(name, columns));
}

template <class T>
std::vector<T> Hdf5Reader::read_rows(const std::string& name, Count columns, Count first,
                                     Count count) const {
  const Hdf5Dataset dataset = state_->open<T>(name, columns);
  if (first > dataset.rows() || count > dataset.rows() - first)
    throw InputError(fmt::format("{}: {} has {} rows, not {}", state_->source->name(), name,
                                 dataset.rows(), first + count));
  std::vector<T> values(count * columns);
  dataset.read_rows(first, count, number_type<T>(), values.data());
  return values;
}

#define COPSE_INSTANTIATE(T)                                                 \
  template Count Hdf5Reader::rows<T>(const std::string&, Count) const;       \
  template std::vector<T> Hdf5Reader::read(const std::string&, Count) const; \
  template std::vector<T> Hdf5Reader::read_rows(const std::string&, Count, Count, Count) const;
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
COPSE_INSTANTIATE(std::uint8_t)
#undef COPSE_INSTANTIATE

double Hdf5Reader::number(const std::string& object, const std::string& attribute) const {
  return state_->single(state_->input.numbers(object, attribute), object, attribute);
}

Count Hdf5Reader::count(const std::string& object, const std::string& attribute) const {
  const Count value = state_->single(state_->input.counts(object, attribute), object, attribute);
  // The library rounds and clips numbers that are no counts.
  if (static_cast<double>(value) != number(object, attribute))
    throw InputError(fmt::format("{}: attribute {} of {} is not a count", state_->source->name(),
                                 attribute, object));
  return value;
}

}  // namespace copse::io
