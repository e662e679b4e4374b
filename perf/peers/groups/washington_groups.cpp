// The N-Body Shop's fof, a program of its own that reads Tipsy files.
#include "group_finder.hpp"
#include "watched_program.hpp"
#include <copse/backend/error.hpp>
#include <copse/io/tipsy_writer.hpp>

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include <fstream>
#include <type_traits>
#include <unistd.h>

namespace copse::peers {
namespace {

// What it prints with -v, in this order. The last line between reading and building the tree, and
// the first after linking.
constexpr const char* has_read = "READ WALL TIME";
constexpr const char* has_linked = "Number of initial groups";

class WashingtonGroups final : public GroupFinder {
 public:
  WashingtonGroups(std::filesystem::path program, const ClearProblem& problem, std::string region)
      : program_(std::move(program)), region_(std::move(region)) {
    std::string folder = (std::filesystem::temp_directory_path() / "copse-groups-XXXXXX").string();
    if (!mkdtemp(folder.data())) throw InputError(fmt::format("{} cannot be made", folder));
    folder_ = folder;
    Particles<Kokkos::HostSpace> particles;
    particles.position = problem.position;
    io::write_tipsy(folder_ / "particles", particles);
    // "standard" is the byte order; groups of one member are kept, so that all labels are known.
    arguments_ = {"-e", fmt::format("{:.9g}", problem.length), "-m", "1", "-v", "-std",
                  "-o", (folder_ / "groups").string()};
  }

  ~WashingtonGroups() override {
    std::error_code none;
    std::filesystem::remove_all(folder_, none);
  }

  void find() override {
    int passed = 0;
    watch_program(program_, arguments_, folder_ / "particles", [&](const std::string& line) {
      if (passed == 0 && line.starts_with(has_read)) {
        Kokkos::Profiling::pushRegion(region_);
        passed = 1;
      } else if (passed == 1 && line.starts_with(has_linked)) {
        Kokkos::Profiling::popRegion();
        passed = 2;
      }
    });
    if (passed == 1) Kokkos::Profiling::popRegion();
    if (passed != 2)
      throw InputError(
          fmt::format("{} did not print '{}' and '{}'", program_.string(), has_read, has_linked));
  }

  GroupNames names() const override {
    std::ifstream file(folder_ / "groups.grp");
    Count particles = 0;
    file >> particles;
    GroupNames groups;
    for (GroupNames::value_type group; file >> group;) groups.push_back(group);
    if (!file.eof() || particles == 0 || groups.size() != particles)
      throw InputError(fmt::format("{} wrote no group for every particle", program_.string()));
    return groups;
  }

 private:
  std::filesystem::path program_;
  std::string region_;
  std::filesystem::path folder_;  ///< for its input and output
  std::vector<std::string> arguments_;
};

}  // namespace

std::unique_ptr<GroupFinder> make_washington_groups(const std::filesystem::path& program,
                                                    const ClearProblem& problem,
                                                    const std::string& region) {
  if (!std::is_same_v<Real, float>)
    throw InputError("--washington reads positions of single precision, and this build has double");
  return std::make_unique<WashingtonGroups>(program, problem, region);
}

}  // namespace copse::peers
