// Oracles: files made with the C library directly, and numbers that Hdf5Writer was given.
#include "hdf5_bytes.hpp"
#include <copse/io/hdf5/hdf5_file.hpp>
#include <copse/io/hdf5/hdf5_reader.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

/// The refusal of a file: one line that names it.
template <class F>
std::string refusal(const std::filesystem::path& path, const F& f) {
  const std::string sentence = sentence_of([&] { f(io::Hdf5Reader(path)); });
  INFO(sentence);
  CHECK_THAT(sentence, StartsWith(path.string() + ": "));
  CHECK(sentence.find('\n') == std::string::npos);
  return sentence;
}

constexpr auto only_open = [](const io::Hdf5Reader&) {};

}  // namespace

TEST_CASE("What the writer wrote is read back, from a file and from its bytes") {
  const ScratchFolder folder;
  const auto path = folder / "a.hdf5";
  const Kokkos::View<double* [3], Kokkos::LayoutLeft, Kokkos::HostSpace> table("table", 1000);
  std::vector<double> expected;
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      expected.push_back(table(i, a) = 1.0 / static_cast<double>(3 * i + a + 1));
  const std::vector<float> list{0.5F, -2.0F};
  const std::vector<std::uint8_t> bytes{0, 255, 7};
  {
    io::Hdf5Writer out(path);
    out.write("group/table", table);
    out.write("list", io::table_of(std::span(list)));
    out.write("bytes", io::table_of(std::span(bytes)));
    out.attribute("/", "time", 0.1);
    out.attribute("group", "step", ~Count{0});
    out.attribute("list", "zero", 0);
    out.commit();
  }
  const auto image = bytes_of_file(path);
  for (const bool in_memory : {false, true}) {
    const io::Hdf5Reader in = in_memory
                                  ? io::Hdf5Reader(std::make_unique<io::MemorySource>("a", image))
                                  : io::Hdf5Reader(path);
    CHECK((in.has("group") && in.has("group/table") && in.has("list")));
    CHECK_FALSE(in.has("group/list"));
    CHECK(in.read<double>("group/table", 3) == expected);
    CHECK(in.read<float>("list") == list);
    CHECK(in.read<double>("list") == std::vector<double>{0.5, -2.0});
    CHECK(in.read<std::uint8_t>("bytes") == bytes);
    CHECK(in.number("/", "time") == 0.1);
    CHECK(in.count("group", "step") == ~Count{0});
    CHECK(in.count("list", "zero") == 0);
  }
}

TEST_CASE("Numbers of another size and byte order are converted; an empty list is read") {
  const ScratchFolder folder;
  const auto path = folder / "a.hdf5";
  {
    RawHdf5 file(path);
    file.dataset("real", H5T_IEEE_F64BE, {5});
    file.dataset("integer", H5T_STD_I64BE, {5});
    file.dataset("empty", H5T_IEEE_F32LE, {0, 3});
  }
  const io::Hdf5Reader in(path);
  CHECK(in.read<float>("real") == std::vector<float>{0, 1, 2, 3, 4});
  CHECK(in.read<std::uint8_t>("integer") == std::vector<std::uint8_t>{0, 1, 2, 3, 4});
  CHECK(in.read<double>("empty", 3).empty());
}

TEST_CASE("A dataset that is missing, of another kind or of another shape is refused by name") {
  const ScratchFolder folder;
  const auto path = folder / "a.hdf5";
  {
    RawHdf5 file(path);
    file.group("group");
    file.dataset("table", H5T_IEEE_F64LE, {4, 3});
    file.dataset("integers", H5T_STD_I32LE, {4});
    file.dataset("single", H5T_IEEE_F64LE, {});
    file.dataset("huge", H5T_IEEE_F64LE, {hsize_t{1} << 60}, H5P_DEFAULT, false);
    file.dataset("unwritten", H5T_IEEE_F64LE, {4}, H5P_DEFAULT, false);
    H5Lcreate_external("other.hdf5", "/x", file.id(), "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  }
  const auto says = [&](const char* name, const char* what, Count columns = 1) {
    CHECK_THAT(refusal(path, [&](const io::Hdf5Reader& in) { in.read<double>(name, columns); }),
               ContainsSubstring(std::string("dataset ") + name + " " + what));
  };
  says("none", "is missing");
  says("none/below", "is missing");
  says("elsewhere", "is missing");
  says("group", "cannot be opened");
  says("integers", "does not hold floating-point numbers");
  says("table", "is not a list");
  says("table", "is not a table of 2 columns", 2);
  says("single", "is not a list");
  says("huge", "claims 1152921504606846976 rows");
  says("unwritten", "has a shape but no data");
  CHECK_THAT(refusal(path, [](const io::Hdf5Reader& in) { in.read<std::uint8_t>("table", 3); }),
             ContainsSubstring("dataset table does not hold integers"));
}

TEST_CASE("An attribute that is missing, no single number or no count is refused by name") {
  const ScratchFolder folder;
  const auto path = folder / "a.hdf5";
  {
    io::Hdf5Writer out(path);
    out.attribute("/", "text", "seven");
    out.attribute("/", "two", std::vector<double>{1.0, 2.0});
    out.attribute("/", "negative", -1);
    out.attribute("/", "half", 0.5);
    out.attribute("/", "large", 1e30);
    out.attribute("/", "whole", 3.0);
    out.commit();
  }
  {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Lcreate_external("a.hdf5", "/", file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
  }
  for (const auto& [name, what] : {std::pair{"none", "is not one number"},
                                   {"two", "is not one number"},
                                   {"text", "is not a number"}}) {
    const std::string sentence = fmt::format("attribute {} of / {}", name, what);
    CHECK_THAT(refusal(path, [&](const io::Hdf5Reader& in) { in.number("/", name); }),
               ContainsSubstring(sentence));
    CHECK_THAT(refusal(path, [&](const io::Hdf5Reader& in) { in.count("/", name); }),
               ContainsSubstring(sentence));
  }
  for (const char* name : {"negative", "half", "large"}) {
    io::Hdf5Reader(path).number("/", name);
    CHECK_THAT(refusal(path, [&](const io::Hdf5Reader& in) { in.count("/", name); }),
               ContainsSubstring(fmt::format("attribute {} of / is not a count", name)));
  }
  CHECK(io::Hdf5Reader(path).count("/", "whole") == 3);
  for (const char* object : {"nothing", "elsewhere"})
    CHECK_THAT(refusal(path, [&](const io::Hdf5Reader& in) { in.number(object, "whole"); }),
               ContainsSubstring(fmt::format("group {} is missing", object)));
}

TEST_CASE("A file that is missing, no HDF5 or cut anywhere is refused") {
  const ScratchFolder folder;
  refusal(folder / "none.hdf5", only_open);
  refusal(folder.path(), only_open);
  std::ofstream(folder / "text.hdf5") << "no HDF5 at all\n";
  CHECK_THAT(refusal(folder / "text.hdf5", only_open), ContainsSubstring("not an HDF5 file"));

  { RawHdf5(folder / "whole.hdf5").dataset("x", H5T_IEEE_F64LE, {100, 3}); }
  const std::string whole = text_of(folder / "whole.hdf5");
  REQUIRE(whole.size() > 2400);
  CHECK(io::Hdf5Reader(folder / "whole.hdf5").read<double>("x", 3).size() == 300);
  for (std::size_t length = 0; length < whole.size(); length += length < 1000 ? 1 : 50) {
    INFO(length << " of " << whole.size() << " bytes");
    std::ofstream(folder / "cut.hdf5", std::ios::binary) << whole.substr(0, length);
    refusal(folder / "cut.hdf5", only_open);
  }
}
