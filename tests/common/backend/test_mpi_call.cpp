// Oracle: sizes and signs that MPI reports for its datatypes, and its own error texts.
#include <copse/backend/mpi/mpi_call.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;

TEST_CASE("a C++ type and its MPI datatype have the same size and signedness") {
  const auto size_of = [](MPI_Datatype type) {
    int size = 0;
    MPI_Type_size(type, &size);
    return static_cast<std::size_t>(size);
  };
  CHECK(size_of(mpi_datatype<char>()) == 1);
  CHECK(size_of(mpi_datatype<short>()) == sizeof(short));
  CHECK(size_of(mpi_datatype<unsigned long long>()) == 8);
  CHECK(mpi_datatype<float>() == MPI_FLOAT);
  CHECK(mpi_datatype<double>() == MPI_DOUBLE);
  CHECK(mpi_datatype<std::int32_t>() == MPI_INT32_T);
  CHECK(mpi_datatype<std::uint32_t>() == MPI_UINT32_T);
  CHECK(mpi_datatype<std::int64_t>() == MPI_INT64_T);
  CHECK(mpi_datatype<std::uint64_t>() == MPI_UINT64_T);
  STATIC_CHECK_FALSE(Reducible<bool>);
  STATIC_CHECK_FALSE(Reducible<void*>);
}

TEST_CASE("a failed call becomes an exception with the operation and the library's text") {
  CHECK_NOTHROW(check_mpi(MPI_SUCCESS, "MPI_Bcast"));
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(MPI_ERR_COUNT, text, &length);
  try {
    check_mpi(MPI_ERR_COUNT, "MPI_Bcast");
    FAIL("no exception");
  } catch (const MpiError& e) {
    CHECK_THAT(e.what(), Catch::Matchers::StartsWith("MPI_Bcast failed"));
    CHECK_THAT(e.what(), Catch::Matchers::ContainsSubstring(std::string(text, length)));
  }
}
