// Oracle: the backends that Kokkos reports for its build, and their order in Kokkos' documentation.
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <set>

using namespace copse;

TEST_CASE("every backend has its own name, and serial always exists") {
  const auto names = backend_names();
  CHECK(names.size() == Backends::size);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  CHECK(std::count(names.begin(), names.end(), "serial") == 1);
  CHECK(backend_name<Kokkos::Serial>() == "serial");
}

TEST_CASE("the default backend is one of those present") {
  const auto names = backend_names();
  CHECK(std::count(names.begin(), names.end(), default_backend_name()) == 1);
}

TEST_CASE("names are those of Kokkos in lower case") {
  for_each_backend([]<class Space>(Space) {
    std::string kokkos = Space::name();
    std::transform(kokkos.begin(), kokkos.end(), kokkos.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    CHECK(backend_name<Space>() == kokkos);
  });
}

TEST_CASE("a name dispatches to its space, once") {
  for (const auto& name : backend_names()) {
    int calls = 0;
    std::string called;
    dispatch_backend(name, [&]<class Space>(Space) {
      ++calls;
      called = backend_name<Space>();
    });
    CHECK(calls == 1);
    CHECK(called == name);
  }
}

TEST_CASE("an unknown backend is an input error that lists the available ones") {
  for (const std::string wrong : {"hip", "", "Serial", "serial "}) {
    bool called = false;
    std::string message;
    try {
      dispatch_backend(wrong, [&](auto) { called = true; });
    } catch (const InputError& e) {
      message = e.what();
    }
    CHECK_FALSE(called);
    CHECK_THAT(message, Catch::Matchers::ContainsSubstring("'" + wrong + "'"));
    for (const auto& name : backend_names())
      CHECK_THAT(message, Catch::Matchers::ContainsSubstring(name));
  }
}

TEST_CASE("the instantiation macros name every backend and every memory space") {
  std::vector<std::string> expanded;
#define COPSE_APPEND_NAME(SPACE) expanded.emplace_back(backend_name<SPACE>());
  COPSE_FOR_EACH_BACKEND(COPSE_APPEND_NAME)
#undef COPSE_APPEND_NAME
  CHECK(expanded == backend_names());

  std::set<std::string> memory_spaces;
  int memory_space_count = 0;
#define COPSE_APPEND_MEMORY(SPACE)     \
  memory_spaces.insert(SPACE::name()); \
  ++memory_space_count;
  COPSE_FOR_EACH_MEMORY_SPACE(COPSE_APPEND_MEMORY)
#undef COPSE_APPEND_MEMORY
  std::set<std::string> of_backends;
  for_each_backend([&]<class Space>(Space) { of_backends.insert(Space::memory_space::name()); });
  CHECK(memory_spaces == of_backends);
  CHECK(memory_space_count == static_cast<int>(memory_spaces.size()));
}

TEST_CASE("a space runs on the host exactly if the host can read its memory") {
  CHECK(runs_on_host<Kokkos::Serial>);
  for_each_backend([]<class Space>(Space space) {
    const Kokkos::View<int*, typename Space::memory_space> view(
        Kokkos::view_alloc(space, "copse::tests::reachable"), 1);
    space.fence();
    const auto mirror = Kokkos::create_mirror_view(view);
    CHECK(runs_on_host<Space> == (mirror.data() == view.data()));
  });
}
