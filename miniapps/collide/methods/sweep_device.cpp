/// \file
/// Sweep and prune by many threads with subdivision of space [Liu, Harada, Lee, Kim 2010], for
/// particles of different sizes.
///
/// Particles are sorted anew in every step (sweep/size_strips.hpp), with all their columns. A
/// particle sweeps along the strips near to it, class by class, from the first place that one of
/// that class could touch it from to the last. It looks in both directions, so no two threads add
/// to the same sum. No particle is compared with more than a few times those it touches, whatever
/// the sizes; cells as wide as the largest particle compare it with all of nine cells.
#include "../make.hpp"
#include "../sweep/size_strips.hpp"
#include <copse/algorithms/radix_sort.hpp>

namespace copse::collide {
namespace {

template <class MemorySpace>
using SweepKeys = Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace>;
template <class MemorySpace>
using SweepRows = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

template <class MemorySpace>
KOKKOS_FORCEINLINE_FUNCTION double size_of(const Kokkos::View<double*, MemorySpace>& size,
                                           LocalIndex i) {
  return size.extent(0) > 0 ? size(i) : 1.0;
}

/// First row of [begin, end) whose key is not below `key`.
template <class MemorySpace>
KOKKOS_FORCEINLINE_FUNCTION LocalIndex first_at(const SweepKeys<MemorySpace>& keys,
                                                std::uint64_t key, LocalIndex begin,
                                                LocalIndex end) {
  while (begin < end) {
    const LocalIndex middle = begin + (end - begin) / 2;
    if (keys(middle) < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

template <int D, class MemorySpace>
struct NumberByStrip {
  SizeStrips<D> strips;
  State<D, MemorySpace> particles;
  SweepKeys<MemorySpace> keys;
  SweepRows<MemorySpace> rows;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    Vector<D> x;
    for (int a = 0; a < D; ++a) x[a] = particles.position(i, a);
    keys(i) = strips.key(x, size_of<MemorySpace>(particles.size, i));
    rows(i) = i;
  }
};

/// index(p) is the first row whose key, without its last bits, is not below p. One call fills a
/// block; from one entry to the next it searches in steps that double, whose number stays small
/// however the particles cluster.
template <class MemorySpace>
struct IndexKeys {
  static constexpr LocalIndex block = 16;

  SweepKeys<MemorySpace> keys;
  SweepRows<MemorySpace> index;
  int shift;

  KOKKOS_FUNCTION void operator()(LocalIndex number) const {
    const auto entries = static_cast<LocalIndex>(index.extent(0));
    const auto rows = static_cast<LocalIndex>(keys.extent(0));
    const LocalIndex begin = number * block;
    const LocalIndex end = begin + block < entries ? begin + block : entries;
    LocalIndex row = first_at<MemorySpace>(keys, std::uint64_t{begin} << shift, 0, rows);
    for (LocalIndex p = begin; p < end; ++p) {
      const std::uint64_t key = std::uint64_t{p} << shift;
      LocalIndex below = row, step = 1;
      while (row < rows && keys(row) < key) {
        below = row + 1;
        row = step < rows - row ? row + step : rows;
        step *= 2;
      }
      row = first_at<MemorySpace>(keys, key, below, row);
      index(p) = row;
    }
  }
};

template <int D, class MemorySpace>
struct SweptRows {
  SizeStrips<D> strips;
  Vectors<D, MemorySpace> position;
  Kokkos::View<double*, MemorySpace> size;
  SweepKeys<MemorySpace> keys;
  SweepRows<MemorySpace> index;

  template <class F>
  KOKKOS_INLINE_FUNCTION void operator()(LocalIndex i, const F& f) const {
    using Window = typename SizeStrips<D>::Window;
    Vector<D> x;
    for (int a = 0; a < D; ++a) x[a] = position(i, a);
    const double mine = size_of<MemorySpace>(size, i);
    for (int c = 0; c < strips.class_count; ++c) {
      const auto& sizes = strips.classes[c];
      const double reach = 0.5 * strips.cutoff * (mine + sizes.bound);
      const auto window = [&](int axis, double per_length, std::int64_t parts) {
        // Longer by more than all rounding errors.
        const double padded = reach * (1.0 + 1e-9) + 1e-12 * strips.region.side[axis];
        return strips.window(x[axis], padded, per_length, parts);
      };
      const Window places = window(strips.along, strips.places_per_length, strips.places());
      const Window outer = window(strips.axis(0), sizes.per_length[0], sizes.strips[0]);
      for (std::int64_t u = 0; u < outer.count; ++u) {
        const std::int64_t strip = wrapped(outer.first + u, sizes.strips[0]);
        if constexpr (D == 2) {
          sweep(sizes.first + static_cast<std::uint32_t>(strip), places, f);
        } else {
          const std::int64_t columns = sizes.strips[1];
          const Window inner = window(strips.axis(1), sizes.per_length[1], columns);
          for (std::int64_t w = 0; w < inner.count; ++w)
            sweep(sizes.first + static_cast<std::uint32_t>(strip * columns +
                                                           wrapped(inner.first + w, columns)),
                  places, f);
        }
      }
    }
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION std::int64_t wrapped(std::int64_t part, std::int64_t parts) {
    return part < parts ? part : part - parts;
  }

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void sweep(std::uint32_t list,
                                         const typename SizeStrips<D>::Window& places,
                                         const F& f) const {
    const std::uint64_t base = strips.first_key(list);
    const std::int64_t last = places.first + places.count - 1;
    scan(base + static_cast<std::uint64_t>(places.first),
         base + static_cast<std::uint64_t>(last < strips.places() ? last : strips.places() - 1), f);
    if (last >= strips.places())  // on the other side of a periodic region
      scan(base, base + static_cast<std::uint64_t>(last - strips.places()), f);
  }

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void scan(std::uint64_t low, std::uint64_t high, const F& f) const {
    const auto end = static_cast<LocalIndex>(keys.extent(0));
    const std::uint64_t entry = low >> strips.index_shift;
    LocalIndex k = first_at<MemorySpace>(keys, low, index(entry), index(entry + 1));
    for (; k < end && keys(k) <= high; ++k) f(k);
  }
};

template <int D, class ExecutionSpace>
class SweepDevice final : public SearchMethod<D, ExecutionSpace, SweepDevice<D, ExecutionSpace>> {
 public:
  using Base = SearchMethod<D, ExecutionSpace, SweepDevice>;
  using Base::Base;
  using typename Base::MemorySpace;

  void load(const State<D, MemorySpace>& state) override {
    Base::load(state);
    const bool sizes = state.size.extent(0) > 0;
    spare_ = allocate_state<D, MemorySpace>(state.rows(), sizes);
    spare_.largest_size = state.largest_size;
    double smallest = state.largest_size;
    if (sizes) {
      Kokkos::MinMaxScalar<double> range;
      const auto size = state.size;
      Kokkos::parallel_reduce(
          "copse::collide::range_of_sizes", this->rows(),
          KOKKOS_LAMBDA(LocalIndex i, Kokkos::MinMaxScalar<double> & seen) {
            seen.min_val = Kokkos::fmin(seen.min_val, size(i));
            seen.max_val = Kokkos::fmax(seen.max_val, size(i));
          },
          Kokkos::MinMax<double>(range));
      smallest = std::min(smallest, range.min_val);
    }
    strips_ = SizeStrips<D>::cover(this->physics_.region, this->physics_.force.cutoff, smallest,
                                   state.largest_size, state.rows());
  }

  SweptRows<D, MemorySpace> search() {
    const Count n = this->state_.rows();
    const auto keys = workspace_.template get<std::uint32_t>("collide::keys", n);
    const auto rows = workspace_.template get<LocalIndex>("collide::rows", n);
    const auto entries =
        static_cast<LocalIndex>((strips_.first_key(strips_.lists) >> strips_.index_shift) + 2);
    const auto index = workspace_.template get<LocalIndex>("collide::index", entries);
    Kokkos::parallel_for("copse::collide::number_by_strip", this->rows(),
                         NumberByStrip<D, MemorySpace>{strips_, this->state_, keys, rows});
    sort_by_key(this->space_, keys, rows, workspace_, strips_.key_bits);
    Kokkos::parallel_for("copse::collide::gather_swept", this->rows(),
                         GatherRows<D, MemorySpace>{rows, this->state_, spare_});
    std::swap(this->state_, spare_);
    using Index = IndexKeys<MemorySpace>;
    Kokkos::parallel_for(
        "copse::collide::index_keys",
        Rows<ExecutionSpace>(this->space_, 0, (entries + Index::block - 1) / Index::block),
        Index{keys, index, strips_.index_shift});
    return {strips_, this->state_.position, this->state_.size, keys, index};
  }

  std::map<std::string, double> figures() const override {
    return {{"classes", static_cast<double>(strips_.class_count)},
            {"lists", static_cast<double>(strips_.lists)}};
  }

 private:
  SizeStrips<D> strips_;
  State<D, MemorySpace> spare_;  ///< takes the sorted rows
  Workspace<MemorySpace> workspace_;
};

}  // namespace

template <int D, class ExecutionSpace>
MethodPointer<D, ExecutionSpace> make_sweep_device(const ExecutionSpace& space,
                                                   const Physics<D>& physics, const Request&) {
  return std::make_unique<SweepDevice<D, ExecutionSpace>>(space, physics);
}

#define COPSE_INSTANTIATE(Space) COPSE_INSTANTIATE_METHOD(sweep_device, Space)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
