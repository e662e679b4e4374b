// Oracle: a number that counts the operators applied to it.
#include <copse/gravity/flops.hpp>
#include <copse/gravity/local_expansion.hpp>
#include <copse/gravity/to_mass.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>

// The counting operators run on the host only, as do the device functions that call them here.
#ifdef __NVCC__
#pragma nv_diag_suppress 20011, 20014
#endif

namespace copse {

/// Counts operations, but not those among constants, nor with a constant 0 or 1.
struct Counted {
  static inline int operations = 0;
  double value = 0.0;
  bool constant = true;

  Counted() = default;
  Counted(double v) : value(v) {}  // NOLINT: converts as numbers do
  Counted(double v, bool is_constant) : value(v), constant(is_constant) {}
  bool is(double v) const { return constant && value == v; }
};
inline Counted result(double value, bool counts, bool constant) {
  Counted::operations += counts && !constant ? 1 : 0;
  return {value, constant};
}
inline Counted operator+(const Counted& a, const Counted& b) {
  return result(a.value + b.value, !a.is(0) && !b.is(0), a.constant && b.constant);
}
inline Counted operator-(const Counted& a, const Counted& b) {
  return result(a.value - b.value, !a.is(0) && !b.is(0), a.constant && b.constant);
}
inline Counted operator-(const Counted& a) {
  return {-a.value, a.constant};
}
inline Counted operator*(const Counted& a, const Counted& b) {
  return result(a.value * b.value, !a.is(1) && !b.is(1), a.constant && b.constant);
}
inline Counted operator/(const Counted& a, const Counted& b) {
  return result(a.value / b.value, !b.is(1), a.constant && b.constant);
}
inline Counted& operator+=(Counted& a, const Counted& b) {
  return a = a + b;
}
inline Counted& operator*=(Counted& a, const Counted& b) {
  return a = a * b;
}
inline bool operator<(const Counted& a, const Counted& b) {
  return a.value < b.value;
}
inline bool operator>(const Counted& a, const Counted& b) {
  return a.value > b.value;
}
inline bool operator>=(const Counted& a, const Counted& b) {
  return a.value >= b.value;
}
inline Counted select(bool mask, const Counted& yes, const Counted& no) {
  return {(mask ? yes : no).value, yes.constant && no.constant};
}
inline Counted lane_max(const Counted& a, const Counted& b) {
  return select(a > b, a, b);
}
inline Counted lane_fma(const Counted& a, const Counted& b, const Counted& c) {
  return a * b + c;
}
inline Counted lane_rsqrt(const Counted& a) {
  return result(1.0 / std::sqrt(a.value), true, a.constant);
}

namespace test {
namespace {

struct CountedLane {
  static constexpr int width = 1;
  using Real = Counted;
  using Index = std::uint32_t;
  using Mask = bool;
};

Counted number(double value) {
  return {value, false};
}
template <class Array>
void fill(Array& array) {
  for (Counted& entry : array) entry = number(0.3);
}
template <class F>
int operations_of(F&& f) {
  Counted::operations = 0;
  f();
  return Counted::operations;
}

const LanePoint<CountedLane, 3> target_point{number(0.3), number(-0.7), number(0.6)};
const Monopole body{{Real(3), Real(4), Real(5)}, Real(2)};

/// One node whose moments are neither 0 nor 1.
template <int Order>
Kokkos::View<const Moments<Order>*, Kokkos::HostSpace> some_moments() {
  const Kokkos::View<Moments<Order>*, Kokkos::HostSpace> moments("moments", 1);
  if constexpr (Order > 1) {
    auto* const reals = reinterpret_cast<Real*>(moments.data());
    std::fill(reals, reals + sizeof(Moments<Order>) / sizeof(Real), Real(0.3));
  }
  return moments;
}

template <int Order>
void check_order() {
  constexpr int rank = local_rank(Order);
  INFO("order " << Order);
  GravityField<Counted> field{number(2), number(3), number(4), number(5)};
  // One more than reported: the sum with the squared softening length.
  CHECK(operations_of([&] {
          const ToMass<CountedLane> d(target_point, body);
          d.pull(field, number(0.1), true, some_moments<Order>(), 0);
        }) == flops::cell(Order) + 1);

  Counted local[component_count(rank)], parent[component_count(rank)], moments[24];
  fill(local);
  fill(parent);
  fill(moments);
  const Counted d[3] = {number(3), number(4), number(5)};
  CHECK(operations_of([&] {
          add_to_local<Order, Counted>(local, d, number(0.1), number(2), moments, number(0.4));
        }) == flops::conversion(Order) - flops::distance);
  CHECK(operations_of([&] {
          add_shifted<rank, Counted>(local, number(0.4), parent, number(0.7), d);
        }) == flops::shifted[Order - 1]);
  CHECK(operations_of([&] { field_of_local<rank, Counted>(local, number(0.4), d); }) ==
        flops::of_local[Order - 1]);
}

TEST_CASE("Reported flops are the operators of the code") {
  check_order<1>();
  check_order<2>();
  check_order<3>();
  check_order<4>();

  GravityField<Counted> field{number(2), number(3), number(4), number(5)};
  CHECK(operations_of([&] {
          ToMass<CountedLane>(target_point, body).pull(field, number(0.1), true);
        }) == flops::body(false) + 1);
  CHECK(operations_of([&] {
          ToMass<CountedLane>(target_point, body).pull_spline(field, number(9), true);
        }) == flops::body(true));

  // The comparison with the opening radius is one more.
  CHECK(operations_of([&] { ToMass<CountedLane>(target_point, body); }) == flops::point_test - 1);
  const BoxBound<3> box{{Real(0.2), Real(0.3), Real(0.4)}, {Real(2), Real(3), Real(4)}};
  CHECK(operations_of([&] { box.min_distance2<CountedLane>(target_point); }) ==
        flops::box_test - 1);
}

}  // namespace
}  // namespace test
}  // namespace copse
