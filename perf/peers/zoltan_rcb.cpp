/// \file
/// peer_zoltan_rcb: the recursive coordinate bisection of Zoltan (Sandia's Trilinos), in parallel
/// over MPI ranks.
///
/// Particles start as contiguous slices of the input, one per rank; Zoltan assigns each to one of d
/// parts. It neither moves particles nor orders them by part, as orb does, so the comparison
/// favours it.

#include "leaf_sizes.hpp"
#include "orb_beside.hpp"
#include "rows.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/app/mini_app.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/mpi_call.hpp>
#include <copse/particles/particles.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>
#include <zoltan.h>

namespace copse::peers {
namespace {

using Input = Particles<Kokkos::HostSpace>;

const Input& particles_of(void* data) {
  return *static_cast<const Input*>(data);
}

int number_of_objects(void* data, int* error) {
  *error = ZOLTAN_OK;
  return static_cast<int>(particles_of(data).size());
}

void list_objects(void* data, int, int, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR local, int, float*,
                  int* error) {
  const Count n = particles_of(data).size();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (Count i = 0; i < n; ++i) {
    local[i] = static_cast<ZOLTAN_ID_TYPE>(i);
    // Two entries, the rank and its row, which are unique together.
    global[2 * i] = static_cast<ZOLTAN_ID_TYPE>(rank);
    global[2 * i + 1] = static_cast<ZOLTAN_ID_TYPE>(i);
  }
  *error = ZOLTAN_OK;
}

int number_of_dimensions(void*, int* error) {
  *error = ZOLTAN_OK;
  return 3;
}

void coordinates(void* data, int, int, int count, ZOLTAN_ID_PTR, ZOLTAN_ID_PTR local, int,
                 double* out, int* error) {
  const Input& particles = particles_of(data);
  for (int i = 0; i < count; ++i)
    for (int axis = 0; axis < 3; ++axis) out[3 * i + axis] = particles.position(local[i], axis);
  *error = ZOLTAN_OK;
}

void require(int code, const char* what) {
  if (code != ZOLTAN_OK && code != ZOLTAN_WARN)
    throw std::runtime_error(fmt::format("Zoltan failed in {}", what));
}

/// A Zoltan object configured for orb's problem.
class Rcb {
 public:
  Rcb(Input& particles, Count leaves) : zoltan_(Zoltan_Create(MPI_COMM_WORLD)) {
    const std::string parts = std::to_string(leaves);
    const std::array<std::array<const char*, 2>, 11> parameters{
        {{"DEBUG_LEVEL", "0"},
         {"LB_METHOD", "RCB"},
         {"NUM_GLOBAL_PARTS", parts.c_str()},
         {"NUM_GID_ENTRIES", "2"},
         {"NUM_LID_ENTRIES", "1"},
         {"OBJ_WEIGHT_DIM", "0"},
         {"IMBALANCE_TOL", "1.0"},
         {"RETURN_LISTS", "PARTS"},
         {"KEEP_CUTS", "0"},
         {"RCB_OUTPUT_LEVEL", "0"},
         {"CHECK_GEOM", "0"}}};
    for (const auto& p : parameters) require(Zoltan_Set_Param(zoltan_, p[0], p[1]), p[0]);
    Zoltan_Set_Num_Obj_Fn(zoltan_, number_of_objects, &particles);
    Zoltan_Set_Obj_List_Fn(zoltan_, list_objects, &particles);
    Zoltan_Set_Num_Geom_Fn(zoltan_, number_of_dimensions, &particles);
    Zoltan_Set_Geom_Multi_Fn(zoltan_, coordinates, &particles);
  }
  ~Rcb() {
    release();
    Zoltan_Destroy(&zoltan_);
  }
  Rcb(const Rcb&) = delete;
  Rcb& operator=(const Rcb&) = delete;

  void partition() {
    int changes = 0;
    int gid_entries = 0;
    int lid_entries = 0;
    require(Zoltan_LB_Partition(zoltan_, &changes, &gid_entries, &lid_entries, &imported_,
                                &import_global_, &import_local_, &import_ranks_, &import_parts_,
                                &exported_, &export_global_, &export_local_, &export_ranks_,
                                &export_parts_),
            "Zoltan_LB_Partition");
  }

  void release() {
    Zoltan_LB_Free_Part(&import_global_, &import_local_, &import_ranks_, &import_parts_);
    Zoltan_LB_Free_Part(&export_global_, &export_local_, &export_ranks_, &export_parts_);
  }

  std::vector<AssignedRow> assigned() const {
    std::vector<AssignedRow> rows;
    for (int i = 0; i < exported_; ++i)
      rows.push_back({static_cast<LocalIndex>(export_local_[i]), export_parts_[i]});
    return rows;
  }

 private:
  Zoltan_Struct* zoltan_;
  int imported_ = 0;
  int exported_ = 0;
  ZOLTAN_ID_PTR import_global_ = nullptr;
  ZOLTAN_ID_PTR import_local_ = nullptr;
  int* import_ranks_ = nullptr;
  int* import_parts_ = nullptr;
  ZOLTAN_ID_PTR export_global_ = nullptr;
  ZOLTAN_ID_PTR export_local_ = nullptr;
  int* export_ranks_ = nullptr;
  int* export_parts_ = nullptr;
};

class ZoltanRcb final : public app::MiniApp {
 public:
  std::string name() const override { return "peer_zoltan_rcb"; }
  std::string description() const override {
    return "Recursive coordinate bisection by Zoltan, over MPI ranks.";
  }
  void add_options(CLI::App& cli) override {
    app::add_count_option(cli, "--leaves", leaves_, "Number of parts, d >= 1");
  }
  void validate(const app::CommonOptions&) override {
    if (leaves_ > (Count{1} << 24)) throw InputError("--leaves is more than 2^24");
  }

  void run(app::Session& session) override {
    if (session.options().dry_run) return;
    auto particles = session.load_particles(Kokkos::DefaultHostExecutionSpace{});
    if (particles.size() > static_cast<Count>(std::numeric_limits<int>::max()))
      throw InputError("Zoltan counts the particles of a rank in 31 bits");
    float version = 0;
    require(Zoltan_Initialize(0, nullptr, &version), "Zoltan_Initialize");
    Rcb rcb(particles, leaves_);
    session.measure("peer::run", [&](int) {
      rcb.release();
      const Kokkos::Profiling::ScopedRegion region("peer::build");
      rcb.partition();
    });
    std::vector<AssignedRow> assigned = rcb.assigned();
    app::corruptible(assigned);
    report(session, assigned, particles);
    build_orb_beside(session, particles, static_cast<std::uint32_t>(leaves_));
  }

 private:
  void report(app::Session& session, const std::vector<AssignedRow>& assigned,
              const Input& particles) const {
    std::vector<Count> sizes(leaves_, 0);
    std::vector<bool> seen(particles.size(), false);
    Count wrong = particles.size();
    for (const auto& [row, part] : assigned) {
      if (part < 0 || static_cast<Count>(part) >= leaves_ || row >= seen.size() || seen[row])
        continue;
      seen[row] = true;
      ++sizes[part];
      --wrong;
    }
    MPI_Allreduce(MPI_IN_PLACE, sizes.data(), static_cast<int>(sizes.size()), MPI_UINT64_T, MPI_SUM,
                  session.comm());
    if (session.options().verify) {
      session.verification().check("index_carried", static_cast<double>(wrong));
      // The check above has counted parts out of range, which would be out of bounds below.
      if (wrong == 0) verify_disjoint(session, assigned, particles);
    }
    report_leaf_sizes(session, sizes, tie_tolerance, false);
  }

  /// Checks that the bounding boxes of parts do not overlap. They may share a face, because Zoltan
  /// splits equal coordinates; therefore its cuts differ from orb's, and particles may be in other
  /// parts.
  void verify_disjoint(app::Session& session, const std::vector<AssignedRow>& assigned,
                       const Input& particles) const {
    constexpr Real far = std::numeric_limits<Real>::max();
    std::vector<Real> lower(3 * leaves_, far);
    std::vector<Real> upper(3 * leaves_, -far);
    for (const auto& [row, part] : assigned)
      for (int axis = 0; axis < 3; ++axis) {
        const Real x = particles.position(row, axis);
        Real& low = lower[3 * part + axis];
        Real& high = upper[3 * part + axis];
        low = std::min(low, x);
        high = std::max(high, x);
      }
    const int count = static_cast<int>(lower.size());
    const MPI_Datatype real = mpi_datatype<Real>();
    MPI_Allreduce(MPI_IN_PLACE, lower.data(), count, real, MPI_MIN, session.comm());
    MPI_Allreduce(MPI_IN_PLACE, upper.data(), count, real, MPI_MAX, session.comm());
    session.verification().check("overlapping_parts",
                                 static_cast<double>(overlapping_pairs(lower, upper)));
  }

  /// Pairs of boxes that overlap by more than a face. Boxes are sorted by their lower faces, so
  /// each is compared only with those that begin before it ends: about d^(5/3) of d^2 pairs.
  static Count overlapping_pairs(const std::vector<Real>& lower, const std::vector<Real>& upper) {
    std::vector<std::size_t> order;
    for (std::size_t part = 0; part < lower.size() / 3; ++part)
      if (lower[3 * part] <= upper[3 * part]) order.push_back(part);  // skip empty parts
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return lower[3 * a] < lower[3 * b]; });
    Count overlapping = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t a = 3 * order[i];
      for (std::size_t j = i + 1; j < order.size() && lower[3 * order[j]] < upper[a]; ++j) {
        const std::size_t b = 3 * order[j];
        overlapping += lower[a] < upper[b] && lower[a + 1] < upper[b + 1] &&
                       lower[b + 1] < upper[a + 1] && lower[a + 2] < upper[b + 2] &&
                       lower[b + 2] < upper[a + 2];
      }
    }
    return overlapping;
  }

  Count leaves_ = 64;
};

}  // namespace
}  // namespace copse::peers

int main(int argc, char** argv) {
  copse::peers::ZoltanRcb peer;
  return copse::app::run_main(argc, argv, peer);
}
