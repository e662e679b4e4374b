// Oracle: files made with the C library directly.
#include "hdf5_bytes.hpp"
#include <copse/io/hdf5/hdf5_input.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;
using Kind = io::Hdf5Input::Kind;

namespace {

/// The message with which opening dataset "x" of three columns fails.
std::string refusal_of_x(const std::filesystem::path& path, Kind kind = Kind::floating_point) {
  return sentence_of([&] {
    io::FileSource source(path);
    io::Hdf5Input(source).open("x", kind, 3);
  });
}

}  // namespace

TEST_CASE("A file and its bytes in memory give the same numbers, in any stored type") {
  const ScratchFolder folder;
  small_snapshot(folder / "a.hdf5");
  const auto bytes = bytes_of_file(folder / "a.hdf5");
  io::FileSource file(folder / "a.hdf5");
  io::MemorySource memory("memory", bytes);
  for (io::ByteSource* source :
       {static_cast<io::ByteSource*>(&file), static_cast<io::ByteSource*>(&memory)}) {
    const io::Hdf5Input input(*source);
    CHECK(input.has("PartType0/Coordinates"));
    CHECK_FALSE(input.has("PartType0/Nothing"));
    CHECK_FALSE(input.has("Nothing/Coordinates"));
    CHECK(input.counts("Header", "NumPart_Total").value() == std::vector<Count>{2, 3, 0, 0, 0, 0});
    CHECK(input.numbers("Header", "BoxSize").value() == std::vector<double>{10});
    CHECK_FALSE(input.numbers("Header", "Redshift"));
    const auto x = input.open("PartType1/Coordinates", Kind::floating_point, 3);
    REQUIRE(x.rows() == 3);
    std::vector<float> rows(6);
    x.read_rows(1, 2, io::NumberType::float32, rows.data());
    CHECK(rows == std::vector<float>{3, 4, 5, 6, 7, 8});
    std::vector<std::uint64_t> ids(2);
    input.open("PartType1/ParticleIDs", Kind::integer, 1)
        .read_rows(1, 2, io::NumberType::uint64, ids.data());
    CHECK(ids == std::vector<std::uint64_t>{1, 2});
    CHECK_THAT(sentence_of([&] { x.read_rows(2, 2, io::NumberType::float32, rows.data()); }),
               ContainsSubstring("PartType1/Coordinates: rows 2 to 3 cannot be read"));
  }
}

TEST_CASE("The signature is found after a preamble whose length is a power of two from 512 on") {
  const std::string signature("\x89HDF\r\n\x1a\n", 8);
  for (const auto& [offset, found] :
       {std::pair{0, true}, std::pair{512, true}, std::pair{2048, true}, std::pair{8, false},
        std::pair{1536, false}}) {
    const std::string text = std::string(static_cast<std::size_t>(offset), ' ') + signature;
    io::MemorySource source("memory", std::as_bytes(std::span(text)));
    CHECK(io::has_hdf5_signature(source) == found);
  }
}

TEST_CASE("Chunked and compressed datasets are read, also with chunks larger than the cache") {
  const ScratchFolder folder;
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  const std::array<hsize_t, 2> chunk{200000, 3};
  H5Pset_chunk(creation, 2, chunk.data());
  H5Pset_shuffle(creation);
  H5Pset_deflate(creation, 1);
  { RawHdf5(folder / "a.hdf5").dataset("x", H5T_IEEE_F64LE, {300000, 3}, creation); }
  H5Pclose(creation);
  io::FileSource source(folder / "a.hdf5");
  const io::Hdf5Input input(source);
  const auto x = input.open("x", Kind::floating_point, 3);
  std::vector<double> rows(6);
  x.read_rows(199999, 2, io::NumberType::float64, rows.data());
  CHECK(rows[0] == 599997);
  CHECK(rows[5] == 600002);
}

TEST_CASE("Datasets of another kind or shape are refused") {
  const ScratchFolder folder;
  const auto with = [&](hid_t type, std::vector<hsize_t> shape) {
    { RawHdf5(folder / "a.hdf5").dataset("x", type, std::move(shape)); }
    return folder / "a.hdf5";
  };
  CHECK(refusal_of_x(with(H5T_IEEE_F32LE, {4, 3})).empty());
  CHECK_THAT(refusal_of_x(with(H5T_IEEE_F32LE, {4, 2})),
             ContainsSubstring("dataset x is not a table of 3"));
  CHECK_THAT(refusal_of_x(with(H5T_IEEE_F32LE, {12})), ContainsSubstring("not a table of 3"));
  CHECK_THAT(refusal_of_x(with(H5T_IEEE_F32LE, {4, 3, 1})), ContainsSubstring("not a table of 3"));
  CHECK_THAT(refusal_of_x(with(H5T_STD_I32LE, {4, 3})),
             ContainsSubstring("does not hold floating"));
  CHECK_THAT(refusal_of_x(with(H5T_IEEE_F32LE, {4, 3}), Kind::integer),
             ContainsSubstring("does not hold integers"));
}

TEST_CASE("Numbers that the file does not hold are refused before anything is allocated") {
  const ScratchFolder folder;
  const auto path = folder / "a.hdf5";
  { RawHdf5(path).dataset("x", H5T_IEEE_F32LE, {hsize_t{1} << 60, 3}, H5P_DEFAULT, false); }
  CHECK_THAT(refusal_of_x(path), ContainsSubstring("claims 1152921504606846976 rows"));
  { RawHdf5(path).dataset("x", H5T_IEEE_F32LE, {100, 3}, H5P_DEFAULT, false); }
  CHECK_THAT(refusal_of_x(path), ContainsSubstring("no data"));

  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  const std::array<hsize_t, 2> chunk{1 << 28, 3};
  const std::array<hsize_t, 2> shape{100, 3};
  const std::array<hsize_t, 2> limit{H5S_UNLIMITED, 3};
  H5Pset_chunk(creation, 2, chunk.data());
  {
    const RawHdf5 file(path);
    const hid_t space = H5Screate_simple(2, shape.data(), limit.data());
    H5Dclose(H5Dcreate2(file.id(), "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Sclose(space);
  }
  H5Pclose(creation);
  CHECK_THAT(refusal_of_x(path), ContainsSubstring("chunks larger"));
}

TEST_CASE("Rows in chunks that were never written are refused; a dataset without rows is read") {
  const ScratchFolder folder;
  const auto path = folder / "a.hdf5";
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  const std::array<hsize_t, 2> chunk{1024, 2};
  H5Pset_chunk(creation, 2, chunk.data());
  H5Pset_deflate(creation, 1);
  // A few kB that would be read as 3 MB of zeros.
  { RawHdf5(path).dataset("x", H5T_IEEE_F32LE, {hsize_t{1} << 18, 3}, creation, false); }
  CHECK_THAT(refusal_of_x(path), ContainsSubstring("512 chunks, but only 0"));
  {
    RawHdf5 file(path);
    file.dataset("x", H5T_IEEE_F32LE, {2049, 3}, creation, false);
    const hid_t x = H5Dopen2(file.id(), "x", H5P_DEFAULT);
    const hid_t space = H5Dget_space(x);
    const std::array<hsize_t, 2> start{0, 0};
    const std::array<hsize_t, 2> part{2048, 3};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr);
    const std::vector<float> ones(2049 * 3, 1.0F);
    H5Dwrite(x, H5T_NATIVE_FLOAT, space, space, H5P_DEFAULT, ones.data());
    H5Sclose(space);
    H5Dclose(x);
  }
  CHECK_THAT(refusal_of_x(path), ContainsSubstring("6 chunks, but only 4"));
  { RawHdf5(path).dataset("x", H5T_IEEE_F32LE, {2049, 3}, creation); }
  CHECK(refusal_of_x(path).empty());
  const std::array<hsize_t, 2> one{1, 1};
  H5Pset_chunk(creation, 2, one.data());
  {
    const RawHdf5 file(path);
    const std::array<hsize_t, 2> shape{0, 3};
    const std::array<hsize_t, 2> limit{H5S_UNLIMITED, 3};
    const hid_t space = H5Screate_simple(2, shape.data(), limit.data());
    H5Dclose(H5Dcreate2(file.id(), "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Sclose(space);
  }
  CHECK(refusal_of_x(path).empty());
  H5Pclose(creation);
}

TEST_CASE("Links and datasets that lead to other files are not followed") {
  const ScratchFolder folder;
  { RawHdf5(folder / "other.hdf5").dataset("x", H5T_IEEE_F32LE, {4, 3}); }
  const auto path = folder / "a.hdf5";
  {
    const RawHdf5 file(path);
    H5Lcreate_external("other.hdf5", "/x", file.id(), "x", H5P_DEFAULT, H5P_DEFAULT);
  }
  CHECK_THAT(refusal_of_x(path), ContainsSubstring("dataset x is missing"));

  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(creation, "/etc/passwd", 0, 48);
  { RawHdf5(path).dataset("x", H5T_IEEE_F32LE, {4, 3}, creation, false); }
  H5Pclose(creation);
  CHECK_THAT(refusal_of_x(path), ContainsSubstring("in other files"));

  creation = H5Pcreate(H5P_DATASET_CREATE);
  const std::array<hsize_t, 2> shape{4, 3};
  const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
  H5Pset_virtual(creation, space, "other.hdf5", "/x", space);
  H5Sclose(space);
  { RawHdf5(path).dataset("x", H5T_IEEE_F32LE, {4, 3}, creation, false); }
  H5Pclose(creation);
  CHECK_THAT(refusal_of_x(path), ContainsSubstring("in other files"));
}
