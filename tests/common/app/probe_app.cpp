// A complete one-page mini-app: it sums the x coordinates, and fails in every way on request.
#include <copse/app/mini_app.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <new>
#include <stdexcept>

namespace {

template <class MemorySpace>
struct SumX {
  copse::Points<3, MemorySpace> position;
  KOKKOS_FUNCTION void operator()(copse::Count i, double& sum) const { sum += position(i, 0); }
};

class Probe : public copse::app::MiniApp {
 public:
  std::string name() const override { return "probe"; }
  std::string description() const override { return "Sums the x coordinates of the particles."; }

  void add_options(CLI::App& cli) override {
    cli.add_option("--fail", fail_, "How to fail: input, unexpected, memory, unknown");
    cli.add_option("--fail-rank", fail_rank_, "The rank that fails; -1 for all");
    cli.add_flag("--barrier", barrier_, "Wait in a barrier after the failure");
    cli.add_option("--sabotage", sabotage_)->group("");
  }

  std::vector<std::string> list() const override { return {"sum: the one algorithm"}; }

  void validate(const copse::app::CommonOptions& options) override {
    if (options.output) throw copse::InputError("--output is not for probe, which has no results");
  }

  void run(copse::app::Session& session) override {
    copse::dispatch_backend(session.options().backend, [&](auto space) { run_on(space, session); });
  }

 private:
  template <class Space>
  void run_on(const Space& space, copse::app::Session& session) {
    const auto particles = session.load_particles(space);
    if (session.options().dry_run) {
      session.print("dry run");
      return;
    }
    fail_if_asked(session);
    double sum = 0.0;
    const auto samples = session.measure("probe::sum", [&](int) {
      Kokkos::parallel_reduce(
          "probe::sum_x",
          Kokkos::RangePolicy<Space, Kokkos::IndexType<copse::Count>>(space, 0, particles.size()),
          SumX<typename Space::memory_space>{particles.position}, sum);
    });
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, session.comm());
    if (sabotage_ == "sum") sum *= 2.0;

    const auto n = static_cast<double>(session.total_particles());
    // Uniform in [0,1]: the mean is 1/2 with a standard deviation of sqrt(1/12 n).
    if (session.options().verify)
      session.verification().check("mean", std::abs(sum / n - 0.5), 10.0 / std::sqrt(12.0 * n));
    session.report().set_work("probe::sum", static_cast<double>(particles.size()) * sizeof(float),
                              static_cast<double>(particles.size()));
    session.report().results()["sum"] = sum;
    session.report().add_figure_of_merit("particles_per_second", n / samples.median(), "1/s");
    copse::app::Table table({"phase", "time"});
    table.add_row({"sum", copse::app::format_seconds(samples.median())});
    session.print(table);
  }

  void fail_if_asked(const copse::app::Session& session) const {
    if (fail_rank_ == -1 || session.rank() == fail_rank_) {
      if (fail_ == "input") throw copse::InputError("the probe was asked to fail");
      if (fail_ == "unexpected") throw std::runtime_error("the probe broke\nwith details");
      if (fail_ == "memory") throw std::bad_alloc();
      if (fail_ == "unknown") throw 1;
    }
    if (barrier_) MPI_Barrier(session.comm());
  }

  std::string fail_;
  int fail_rank_ = -1;
  bool barrier_ = false;
  std::string sabotage_;
};

}  // namespace

int main(int argc, char** argv) {
  Probe probe;
  return copse::app::run_main(argc, argv, probe);
}
