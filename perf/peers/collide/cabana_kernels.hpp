#pragma once
/// \file
/// Kernels of a simulation on lists of Cabana: forces, moves and periodic images.

#include <Kokkos_Core.hpp>

#include <Cabana_Parallel.hpp>
#include <Cabana_VerletList.hpp>
#include <collide/contacts.hpp>

namespace copse::peers {

/// Rows of vectors as Cabana's lists take them: in the layout of the memory space.
template <int D, class MemorySpace>
using Rows = Kokkos::View<double* [D], MemorySpace>;

/// Of two ranks, because Cabana::permute takes no views of one.
template <class MemorySpace>
using TagRows = Kokkos::View<collide::Tag* [1], MemorySpace>;

template <int D, class View>
KOKKOS_FORCEINLINE_FUNCTION collide::Vector<D> row_of(const View& rows, int i) {
  collide::Vector<D> row;
  for (int a = 0; a < D; ++a) row[a] = rows(i, a);
  return row;
}

/// Accelerations by full lists; `kind` is known to the compiler, as in a program with one force.
template <int D, class MemorySpace, class List, collide::ForceKind kind>
struct PullByList {
  List list;
  Rows<D, MemorySpace> position, acceleration;
  collide::Force force;

  KOKKOS_FUNCTION void operator()(int i) const {
    collide::Force known = force;
    known.kind = kind;
    const double cutoff = known.cutoff, cutoff2 = cutoff * cutoff;
    const collide::Vector<D> x = row_of<D>(position, i);
    collide::Vector<D> sum{};
    Cabana::for_each_neighbor(
        i,
        [&](int, int j) {
          collide::Vector<D> d;
          double r2 = 0.0;
          for (int a = 0; a < D; ++a) {
            d[a] = position(j, a) - x[a];
            r2 += d[a] * d[a];
          }
          if (r2 > cutoff2) return;
          const double pull = known.pull(r2, cutoff);
          for (int a = 0; a < D; ++a) sum[a] += pull * d[a];
        },
        list, Cabana::FirstNeighborsTag());
    for (int a = 0; a < D; ++a) acceleration(i, a) = sum[a];
  }
};

/// Sums over the contacts in full lists.
template <int D, class MemorySpace, class List>
struct MeasureByList {
  using value_type = collide::ContactSums;

  List list;
  Rows<D, MemorySpace> position;
  TagRows<MemorySpace> tag;
  Kokkos::View<int*, MemorySpace> image_of;
  int particles;
  collide::Pairs<D, MemorySpace> pairs;  ///< of no particles: only its physics are used

  KOKKOS_FUNCTION void operator()(int i, collide::ContactSums& sums) const {
    Cabana::for_each_neighbor(
        i,
        [&](int, int j) {
          collide::Contact<D> contact;
          contact.reach = pairs.physics.force.cutoff;
          for (int a = 0; a < D; ++a) {
            contact.d[a] = position(j, a) - position(i, a);
            contact.r2 += contact.d[a] * contact.d[a];
          }
          if (contact.r2 > contact.reach * contact.reach) return;
          const int partner = j < particles ? j : image_of(j - particles);
          pairs.add(contact, tag(i, 0), tag(partner, 0), sums);
        },
        list, Cabana::FirstNeighborsTag());
  }
  KOKKOS_FUNCTION void join(collide::ContactSums& into, const collide::ContactSums& other) const {
    into.add(other);
  }
  KOKKOS_FUNCTION void init(collide::ContactSums& sums) const { sums = collide::ContactSums{}; }
};

/// Kick and drift. Walls reflect; periodic coordinates stay unfolded until lists are built. As a
/// reduction it also finds the square of the longest way since then.
template <int D, class MemorySpace>
struct MoveRows {
  Rows<D, MemorySpace> position, velocity, acceleration, listed;
  collide::Region<D> region;
  double dt;

  KOKKOS_FUNCTION void operator()(int i) const {
    for (int a = 0; a < D; ++a) {
      double v = velocity(i, a) + acceleration(i, a) * dt;
      double x = position(i, a) + v * dt;
      if (!region.periodic) region.fold(x, v, a);
      position(i, a) = x;
      velocity(i, a) = v;
    }
  }
  KOKKOS_FUNCTION void operator()(int i, double& longest) const {
    (*this)(i);
    double moved = 0.0;
    for (int a = 0; a < D; ++a) {
      const double d = position(i, a) - listed(i, a);
      moved += d * d;
    }
    if (moved > longest) longest = moved;
  }
};

/// Adds `time` times the accelerations to the velocities.
template <int D, class MemorySpace>
struct KickRows {
  Rows<D, MemorySpace> velocity, acceleration;
  double time;

  KOKKOS_FUNCTION void operator()(int i) const {
    for (int a = 0; a < D; ++a) velocity(i, a) += time * acceleration(i, a);
  }
};

/// Brings particles back into a region.
template <int D, class Positions, class Velocities>
struct FoldRows {
  Positions position;
  Velocities velocity;
  collide::Region<D> region;

  KOKKOS_FUNCTION void operator()(int i) const {
    for (int a = 0; a < D; ++a) region.fold(position(i, a), velocity(i, a), a);
  }
};

/// Images of the particles within `margin` of periodic sides. As a reduction it counts them, as a
/// scan it numbers and writes them.
template <int D, class MemorySpace>
struct MakeImages {
  Rows<D, MemorySpace> position;
  collide::Region<D> region;
  double margin;
  Kokkos::View<int*, MemorySpace> image_of;
  Rows<D, MemorySpace> shift;

  KOKKOS_FUNCTION void operator()(int i, int& images) const { visit(i, images, false); }
  KOKKOS_FUNCTION void operator()(int i, int& images, bool write) const { visit(i, images, write); }

 private:
  /// Sides of the region by which the image `number` of 3^D is shifted along an axis: 0, 1, -1.
  static KOKKOS_FUNCTION int sides(int number, int axis) {
    for (; axis > 0; --axis) number /= 3;
    return number % 3 == 2 ? -1 : number % 3;
  }

  KOKKOS_FUNCTION void visit(int i, int& images, bool write) const {
    constexpr int all = D == 2 ? 9 : 27;
    for (int number = 1; number < all; ++number) {
      bool near = true;
      for (int a = 0; a < D; ++a) {
        const double x = position(i, a);
        const int s = sides(number, a);
        near = near && (s == 0 || (s > 0 ? x < margin : x > region.side[a] - margin));
      }
      if (!near) continue;
      if (write) {
        image_of(images) = i;
        for (int a = 0; a < D; ++a) shift(images, a) = sides(number, a) * region.side[a];
      }
      ++images;
    }
  }
};

/// Positions of images from those of their particles.
template <int D, class MemorySpace>
struct PlaceImages {
  Rows<D, MemorySpace> position, shift;
  Kokkos::View<int*, MemorySpace> image_of;
  int particles;

  KOKKOS_FUNCTION void operator()(int k) const {
    for (int a = 0; a < D; ++a) position(particles + k, a) = position(image_of(k), a) + shift(k, a);
  }
};

/// Copies between a state, whose layout is collide's, and rows.
template <int D, class To, class From>
struct CopyRows {
  To to;
  From from;

  KOKKOS_FUNCTION void operator()(int i) const {
    for (int a = 0; a < D; ++a) to(i, a) = from(i, a);
  }
};

}  // namespace copse::peers
