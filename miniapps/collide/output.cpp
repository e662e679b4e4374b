#include "output.hpp"

#include "restart.hpp"
#include <copse/backend/error.hpp>
#include <copse/backend/mpi/rank_agreement.hpp>
#include <copse/config.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace copse::collide {
namespace {

/// Lines are handed to the file in blocks of about this size.
constexpr std::size_t text_block_bytes = std::size_t{1} << 20;

bool names_text(const std::filesystem::path& path) {
  return path.extension() == ".txt" || path.extension() == ".out";
}
bool names_hdf5(const std::filesystem::path& path) {
  return path.extension() == ".h5" || path.extension() == ".hdf5";
}

template <int D>
std::array<double, D> numbers_of(const Vector<D>& vector) {
  std::array<double, D> numbers;
  for (int a = 0; a < D; ++a) numbers[static_cast<std::size_t>(a)] = vector[a];
  return numbers;
}

/// A line of numbers as C++ streams print them.
template <int D, class Value>
void append_line(std::string& block, const Value& value) {
  for (int a = 0; a < D; ++a)
    fmt::format_to(std::back_inserter(block), "{}{:g}", a > 0 ? " " : "", value(a));
  block += '\n';
}

}  // namespace

void check_output_name(const std::filesystem::path& path) {
  if (names_text(path) || names_hdf5(path)) return;
  throw InputError(
      fmt::format("--output {}: the name must end in .txt, .out, .h5 or .hdf5", path.string()));
}

Output::Output(MPI_Comm comm, const std::filesystem::path& path, const Request& request, Count slab)
    : comm_(comm), request_(request), slab_(slab) {
  together(comm, [&] {
    if (comm_.rank() != 0) return;
    auto companion = path;
    companion += restart_ending;
    try {
      if (names_text(path))
        text_.emplace(path);
      else
        frames_.emplace(path);
      restart_.emplace(companion);
    } catch (const InputError& error) {
      throw InputError(fmt::format("--output: {}", error.what()));
    }
  });
}

template <int D>
void Output::begin(const Start<D>& start) {
  particles_ = comm_.allreduce(start.state.rows(), Reduction::sum);
  if (text_) begin_text(start.region);
  if (frames_) begin_frames(start);
  if (request_.radius_spread == 1.0) return;
  for_each_slab<D>(start.state, [&](Count first, const State<D, Kokkos::HostSpace>& rows) {
    if (frames_) frames_->write_rows("size", first, rows.size);
  });
}

template <int D>
void Output::begin_text(const Region<D>& region) {
  const auto& side = region.side;
  bool cube = true;
  for (int a = 1; a < D; ++a) cube = cube && side[a] == side[0];
  std::string line = fmt::format("{} ", particles_);
  if (cube)
    append_line<1>(line, [&](int a) { return side[a]; });
  else
    append_line<D>(line, [&](int a) { return side[a]; });
  text_->write(line);
}

template <int D>
void Output::begin_frames(const Start<D>& start) {
  const auto& side = start.region.side;
  io::Hdf5Writer& file = *frames_;
  file.attribute("/", "copse_version", COPSE_VERSION);
  file.attribute("/", "particles", particles_);
  file.attribute("/", "dimensions", D);
  file.attribute("/", "side", numbers_of<D>(side));
  file.attribute("/", "origin", numbers_of<D>(start.origin));
  file.attribute("/", "periodic", start.region.periodic ? 1 : 0);
  file.attribute("/", "force", request_.force_name);
  file.attribute("/", "cutoff", request_.force.cutoff);
  file.attribute("/", "mass", request_.force.mass);
  file.attribute("/", "dt", request_.step_length());
  file.attribute("/", "integrator", request_.integrator);
  file.attribute("/", "method", request_.methods.front());
  if (request_.radius_spread == 1.0) return;
  file.create<double>("size", particles_);
  file.describe("size", "", "size of a particle relative to the cutoff");
}

template <int D>
void Output::add_text(const State<D, Kokkos::HostSpace>& rows) {
  std::string block;
  for (Count i = 0; i < rows.rows(); ++i) {
    append_line<D>(block, [&](int a) { return rows.position(i, a); });
    if (block.size() < text_block_bytes) continue;
    text_->write(block);
    block.clear();
  }
  text_->write(block);
}

template <int D>
void Output::add(Count step, const State<D, Kokkos::HostSpace>& state) {
  const std::string group = fmt::format("frame/{:07}", written_);
  if (frames_) {
    frames_->create<double>(group + "/position", particles_, D);
    frames_->create<double>(group + "/velocity", particles_, D);
    frames_->attribute(group, "step", step);
    frames_->attribute(group, "time", static_cast<double>(step) * request_.step_length());
  }
  for_each_slab<D>(state, [&](Count first, const State<D, Kokkos::HostSpace>& rows) {
    if (text_) return add_text(rows);
    frames_->write_rows(group + "/position", first, rows.position);
    frames_->write_rows(group + "/velocity", first, rows.velocity);
  });
  if (text_) text_->write("\n");
  ++written_;
}

template <int D>
void Output::finish(Count step, const State<D, Kokkos::HostSpace>& state, const Start<D>& start) {
  if (frames_) frames_->attribute("/", "frames", written_);
  if (restart_) write_restart_header(*restart_, request_, step, particles_, start);
  for_each_slab<D>(state, [&](Count first, const State<D, Kokkos::HostSpace>& rows) {
    restart_->write_rows("position", first, rows.position);
    restart_->write_rows("velocity", first, rows.velocity);
    if (request_.radius_spread > 1.0) restart_->write_rows("size", first, rows.size);
  });
}

void Output::commit() {
  together(comm_.handle(), [&] {
    if (text_) text_->commit();
    if (frames_) frames_->commit();
    if (restart_) restart_->commit();
  });
}

#define COPSE_INSTANTIATE(D)                                            \
  template void Output::begin(const Start<D>&);                         \
  template void Output::add(Count, const State<D, Kokkos::HostSpace>&); \
  template void Output::finish(Count, const State<D, Kokkos::HostSpace>&, const Start<D>&);
COPSE_INSTANTIATE(2)
COPSE_INSTANTIATE(3)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
