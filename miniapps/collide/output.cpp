#include "output.hpp"

#include "restart.hpp"
#include <copse/backend/error.hpp>
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

Output::Output(const std::filesystem::path& path, const Request& request) : request_(request) {
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
}

template <int D>
void Output::begin(const Start<D>& start) {
  const Count n = start.state.rows();
  const auto& side = start.region.side;
  if (text_) {
    bool cube = true;
    for (int a = 1; a < D; ++a) cube = cube && side[a] == side[0];
    std::string line = fmt::format("{} ", n);
    if (cube)
      append_line<1>(line, [&](int a) { return side[a]; });
    else
      append_line<D>(line, [&](int a) { return side[a]; });
    text_->write(line);
    return;
  }
  io::Hdf5Writer& file = *frames_;
  file.attribute("/", "copse_version", COPSE_VERSION);
  file.attribute("/", "particles", n);
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
  if (start.state.size.extent(0) > 0) {
    file.write("size", start.state.size);
    file.attribute("size", "meaning", "size of a particle relative to the cutoff");
  }
}

template <int D>
void Output::add(Count step, const State<D, Kokkos::HostSpace>& state) {
  if (text_) {
    std::string block;
    for (Count i = 0; i < state.rows(); ++i) {
      append_line<D>(block, [&](int a) { return state.position(i, a); });
      if (block.size() < text_block_bytes) continue;
      text_->write(block);
      block.clear();
    }
    text_->write(block + '\n');
  } else {
    const std::string group = fmt::format("frame/{:07}", written_);
    frames_->write(group + "/position", state.position);
    frames_->write(group + "/velocity", state.velocity);
    frames_->attribute(group, "step", step);
    frames_->attribute(group, "time", static_cast<double>(step) * request_.step_length());
  }
  ++written_;
}

template <int D>
void Output::finish(Count step, const State<D, Kokkos::HostSpace>& state, const Start<D>& start) {
  if (frames_) frames_->attribute("/", "frames", written_);
  write_restart(*restart_, request_, step, state, start);
}

void Output::commit() {
  if (text_)
    text_->commit();
  else
    frames_->commit();
  restart_->commit();
}

#define COPSE_INSTANTIATE(D)                                            \
  template void Output::begin(const Start<D>&);                         \
  template void Output::add(Count, const State<D, Kokkos::HostSpace>&); \
  template void Output::finish(Count, const State<D, Kokkos::HostSpace>&, const Start<D>&);
COPSE_INSTANTIATE(2)
COPSE_INSTANTIATE(3)
#undef COPSE_INSTANTIATE

}  // namespace copse::collide
