/// \file
/// Linked with the program traversal, this corrupts the results of one part of the run before they
/// are verified, as selected by the environment variable COPSE_SABOTAGE, some by the relative
/// COPSE_AMOUNT. Each corruption is a small error that a kernel could make; check_exact.py,
/// check_traversal.py and check_tolerances.py name the check that must detect it. `walk:NAME`
/// changes a result of one of several walks.

#include <copse/app/corruptible.hpp>
#include <copse/backend/error.hpp>
#include <copse/gravity/gravity_tree.hpp>

#include <cmath>
#include <cstdlib>
#include <string>
#include <traversal/expected_fields.hpp>
#include <traversal/run_benchmark.hpp>
#include <vector>

namespace copse::traversal {
namespace {

[[noreturn]] void refuse(const char* known) {
  throw InputError(std::string("COPSE_SABOTAGE of this benchmark must be ") + known);
}

void corrupt_result(const std::string& what, const std::string&, HostCounts& counts) {
  if (what != "count") refuse("count");
  ++counts(0);
}

void corrupt_result(const std::string& what, const std::string& part, std::vector<Count>& pairs) {
  if (what != "data_data" && what != "data_random" && what != "random_random" &&
      what != "random_random_some")
    refuse("data_data, data_random, random_random or random_random_some");
  if (what + "_" == part) ++pairs[0];
}

void corrupt_result(const std::string& what, const std::string&, HostNeighbors& lists) {
  const Count last = lists.rows.extent(1) - 1;
  if (what == "distance") {
    lists.distance2(0, last) = std::nextafter(lists.distance2(0, last), Real(1e30));
  } else if (what == "neighbor") {
    lists.rows(0, last) = lists.rows(0, last) == 0 ? 1 : lists.rows(0, last) - 1;
  } else if (what == "repeat" && last > 0) {
    lists.rows(0, 1) = lists.rows(0, 0);
    lists.distance2(0, 1) = lists.distance2(0, 0);
  } else {
    refuse("distance, neighbor or repeat");
  }
}

void corrupt_result(const std::string& what, const std::string&, HostFields& fields) {
  if (what == "no-quadrupoles") return;
  if (what == "force") {
    Kokkos::deep_copy(Kokkos::subview(fields.acceleration, Kokkos::ALL, 0), Real(0));
    return;
  }
  const std::size_t every = what == "stretched" ? 1 : what == "one-in-fifty-stretched" ? 50 : 0;
  if (every == 0) refuse("force, no-quadrupoles, stretched or one-in-fifty-stretched");
  const double amount = std::stod(std::getenv("COPSE_AMOUNT"));
  for (std::size_t i = 0; i < fields.acceleration.extent(0); i += every)
    for (int a = 0; a < 3; ++a) fields.acceleration(i, a) *= static_cast<Real>(1.0 + amount);
}

/// Nodes of which only the mass and its centre are known.
void drop_quadrupoles(Multipoles<2, Kokkos::HostSpace>& moments) {
  const char* const what = std::getenv("COPSE_SABOTAGE");
  if (what == nullptr || std::string(what) != "no-quadrupoles") return;
  Kokkos::deep_copy(moments.higher, Moments<2>{});
}

template <class Results>
void corrupt_as_asked(Results& results, const std::string& part) {
  const char* const what = std::getenv("COPSE_SABOTAGE");
  if (what != nullptr && !std::string(what).starts_with("walk:"))
    corrupt_result(what, part, results);
}

void change(HostCounts& counts) {
  ++counts(0);
}
void change(std::vector<Count>& pairs) {
  ++pairs[0];
}
void change(HostNeighbors& lists) {
  corrupt_result("distance", "", lists);
}

template <class Results>
void corrupt_walk(Results& results, const std::string& part, const std::string& walk) {
  const char* const what = std::getenv("COPSE_SABOTAGE");
  if (what != nullptr && what == "walk:" + part + walk) change(results);
}

template <class... Results>
bool arm() {
  ((app::corrupt<Results, std::string> = corrupt_as_asked<Results>), ...);
  return true;
}
template <class... Results>
bool arm_walks() {
  ((app::corrupt<Results, std::string, std::string> = corrupt_walk<Results>), ...);
  return true;
}
[[maybe_unused]] const bool armed =
    arm<HostCounts, std::vector<Count>, HostNeighbors, HostFields>() &&
    arm_walks<HostCounts, std::vector<Count>, HostNeighbors>() &&
    (app::corrupt<Multipoles<2, Kokkos::HostSpace>> = drop_quadrupoles) != nullptr;

}  // namespace
}  // namespace copse::traversal
