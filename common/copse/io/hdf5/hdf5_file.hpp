#pragma once
/// \file
/// Writes results as HDF5: named lists and tables of numbers, with attributes.
///
///     Hdf5Writer out("tree.h5");
///     out.write("tree/lower", lower);                      // View<Real*[3]>: a [cells][3] dataset
///     out.attribute("tree", "leaves", 64);
///     out.attribute("tree/lower", "unit", "length of the input");
///     out.commit();
///
/// Invariants: missing groups along a path are created; a name is written once; the file appears
/// under its name only at `commit()`, complete. A writer destroyed before `commit()` leaves no
/// file. Every call throws InputError with file, dataset and reason if the library fails (disk
/// full, ...).

#include <copse/io/tables/host_table.hpp>
#include <copse/particles/box.hpp>

#include <Kokkos_Core.hpp>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace copse::io {

class Hdf5Writer {
 public:
  /// \throws InputError if a file of that name cannot be written.
  explicit Hdf5Writer(const std::filesystem::path& path);
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  /// Writes a View of rank 1 or 2 in any layout as a dataset [n] or [n][columns] in row order.
  /// Copies through a bounded buffer unless the data already have that order.
  template <class T, class... P>
  void write(const std::string& name, const Kokkos::View<T, P...>& view) {
    write(name, table_of(view));
  }
  void write(const std::string& name, const HostTable& table);

  /// Creates a dataset of T, [rows] if `columns` is 0 and [rows][columns] otherwise, to be filled
  /// in pieces with `write_rows`, as rank 0 does with data received from the other ranks.
  template <class T>
  void create(const std::string& name, Count rows, Count columns = 0) {
    create(name, number_type<T>(), rows, columns);
  }
  void create(const std::string& name, NumberType type, Count rows, Count columns);

  /// Fills rows [first, first + extent) of a dataset made by `create`.
  template <class T, class... P>
  void write_rows(const std::string& name, Count first, const Kokkos::View<T, P...>& view) {
    write_rows(name, first, table_of(view));
  }
  void write_rows(const std::string& name, Count first, const HostTable& table);

  /// Creates a group and its missing parents, unless it exists.
  void group(const std::string& name);

  /// Attaches a number, a text, or a contiguous range of numbers (std::array, std::vector, ...) to
  /// the dataset of that name or to the group, which is created if necessary; "/" is the file
  /// itself.
  template <class T>
  void attribute(const std::string& object, const std::string& name, const T& value) {
    if constexpr (std::is_convertible_v<T, std::string_view>) {
      text_attribute(object, name, value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      number_attribute(object, name, {number_type<T>(), &value, 1}, true);
    } else {
      number_attribute(object, name, table_of(std::span(value)), false);
    }
  }

  /// Attaches the attributes `unit`, unless it is empty, and `meaning` to a dataset.
  void describe(const std::string& dataset, std::string_view unit, std::string_view meaning);

  /// Attaches the attributes box_lower, box_upper and periodic to an object, one number per axis.
  void box_attributes(const std::string& object, const Box<3>& box);

  /// Completes the file and renames it to its target. Nothing may be written afterwards.
  void commit();

 private:
  struct State;
  void text_attribute(const std::string& object, const std::string& name, std::string_view text);
  void number_attribute(const std::string& object, const std::string& name, const HostTable& values,
                        bool scalar);
  std::unique_ptr<State> state_;
};

}  // namespace copse::io
