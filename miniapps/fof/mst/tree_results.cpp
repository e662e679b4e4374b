#include "tree_results.hpp"

#include "../methods.hpp"
#include "../problem_in.hpp"
#include "../reference.hpp"
#include "../verify.hpp"
#include "output.hpp"
#include "spanning_tree.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/io/bytes/atomic_file.hpp>

#include <Kokkos_Timer.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace copse::fof {
namespace {

/// Number of particles with a different label.
template <class OtherLabels>
double differences(const Labels<Kokkos::HostSpace>& labels, const OtherLabels& others) {
  Count wrong = 0;
  for (Count i = 0; i < labels.extent(0); ++i)
    if (labels(i) != others[i]) ++wrong;
  return static_cast<double>(wrong);
}

Labels<Kokkos::HostSpace> cut(std::vector<TreeEdge>& tree, Count particles, Real reach2) {
  const Labels<Kokkos::HostSpace> labels("copse::fof::cut_labels", particles);
  cut_tree(Kokkos::DefaultHostExecutionSpace{},
           SpanningTree<Kokkos::HostSpace>(tree.data(), tree.size()), reach2, labels);
  return labels;
}

void check_tree(app::Verification& verification, const LinkedInput& input,
                const Labels<Kokkos::HostSpace>& labels, std::vector<TreeEdge>& tree) {
  const Count n = labels.extent(0);
  verification.check("tree_edges_missing",
                     std::abs(static_cast<double>(n) - 1.0 - static_cast<double>(tree.size())));
  const auto groups = cut(tree, n, input.friendship.reach2);
  verification.check("groups_of_the_tree_that_differ", differences(labels, groups.data()));
  if (n > whole_limit) return;
  LinkProblem<Kokkos::HostSpace> problem = input.problem();
  problem.friendship.reach2 /= 4;
  const auto closer = cut(tree, n, problem.friendship.reach2);
  verification.check("groups_of_the_tree_at_half_the_link_that_differ",
                     differences(closer, reference_labels(problem, input.particles.box)));
}

}  // namespace

void check_mst_path(const std::filesystem::path& path) {
  const auto suffix = path.extension();
  if (suffix != ".h5" && suffix != ".hdf5" && suffix != ".csv")
    throw InputError(
        fmt::format("--output-mst '{}': the name must end in .h5, .hdf5 or .csv", path.string()));
}

void check_dendrogram_path(const std::filesystem::path& path) {
  if (path.extension() != ".csv" && path.extension() != ".json")
    throw InputError(
        fmt::format("--dendrogram '{}': the name must end in .csv or .json", path.string()));
}

void check_tree_request(app::Session& session, const Request& request) {
  if (!request.wants_tree()) return;
  if (session.ranks() > 1)
    throw InputError(
        "--output-mst and --dendrogram need the spanning tree of all particles, which only a "
        "single rank can build: run without mpirun");
  for (const auto& [option, path] :
       {std::pair("--output-mst", request.mst), std::pair("--dendrogram", request.dendrogram)}) {
    if (!path) continue;
    try {
      const io::AtomicPath trial(*path);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", option, error.what()));
    }
  }
}

std::vector<TreeEdge> grow_tree(app::Session& session, const Communicator& comm,
                                const Request& request, const LinkedInput& input,
                                const GlobalLabels<Kokkos::HostSpace>& labels) {
  std::vector<TreeEdge> tree;
  if (!request.wants_tree()) return tree;
  double seconds = 0.0;
  dispatch_backend(request.backends.front(), [&](auto space) {
    using ExecutionSpace = decltype(space);
    using MemorySpace = typename ExecutionSpace::memory_space;
    const auto problem = problem_in<MemorySpace>(input.problem());
    const Kokkos::Timer timer;
    EmstBoruvkaLinker<ExecutionSpace> linker(space);
    const auto edges = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace{}, linker.spanning_tree(problem, request.link));
    seconds = timer.seconds();
    tree.assign(edges.data(), edges.data() + edges.extent(0));
  });
  app::corruptible(tree, comm, input.friendship);
  double length = 0.0;
  for (const TreeEdge& edge : tree) length += std::sqrt(static_cast<double>(edge.distance2));
  session.report().results()["spanning_tree"] = {
      {"edges", tree.size()},
      {"length", length},
      {"longest", tree.empty() ? 0.0 : std::sqrt(static_cast<double>(tree.back().distance2))},
      {"seconds", seconds}};
  session.print(fmt::format("spanning tree of {} edges, total length {:.6g}, built in {}",
                            tree.size(), length, app::format_seconds(seconds)));
  if (session.options().verify && input.particles.size() > 0)
    check_tree(session.verification(), input, narrow_labels(labels), tree);
  return tree;
}

void write_tree(app::Session& session, const Request& request, const LinkedInput& input,
                std::vector<TreeEdge> tree) {
  if (!request.wants_tree()) return;
  const Count n = input.particles.size();
  const Real factor = input.friendship.velocity_factor;
  std::vector<DendrogramRow> rows;
  if (request.dendrogram) rows = dendrogram_rows({tree, n, request.min_members});
  // Files name particles by their index in the input. It ascends with that of the linked particles,
  // so a < b still holds.
  if (input.partial)
    for (TreeEdge& edge : tree) edge = {edge.distance2, input.rows(edge.a), input.rows(edge.b)};
  if (request.mst && request.mst->extension() == ".csv") {
    write_mst_csv(*request.mst, tree);
  } else if (request.mst) {
    write_mst_hdf5(*request.mst, tree, n, factor);
  }
  if (!request.dendrogram) return;
  const double cell = input.particles.box.volume() / static_cast<double>(n);
  const DendrogramScale scale{n, request.min_members, std::cbrt(cell), static_cast<double>(factor)};
  if (request.dendrogram->extension() == ".csv") {
    write_dendrogram_csv(*request.dendrogram, rows, scale);
  } else {
    write_dendrogram_json(*request.dendrogram, rows, scale);
  }
  const DendrogramRow* most = &rows.front();
  for (const DendrogramRow& row : rows)
    if (row.counts.groups > most->counts.groups) most = &row;
  session.print(fmt::format(
      "maximum number of groups of at least {} particles: {}, for linking lengths above {:.6g}",
      request.min_members, most->counts.groups, most->length));
}

}  // namespace copse::fof
