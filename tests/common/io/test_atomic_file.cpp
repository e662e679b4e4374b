// Oracle: the state of the file system before, between and after the calls.
#include "file_checks.hpp"
#include <copse/io/bytes/atomic_file.hpp>

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace copse;
using namespace copse::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

TEST_CASE("A file has its name and all its bytes only after commit") {
  const ScratchFolder folder;
  const auto path = folder / "out";
  std::ofstream(path) << "old";
  const std::string large(3 << 20, 'x');
  {
    io::AtomicFile file(path);
    file.write("new ");
    file.write(large);
    CHECK(text_of(path) == "old");
    file.commit();
  }
  CHECK(text_of(path) == "new " + large);
  CHECK(folder.files() == std::vector<std::string>{"out"});
}

TEST_CASE("A file that is not committed leaves the old one and nothing else") {
  const ScratchFolder folder;
  std::ofstream(folder / "out") << "old";
  {
    io::AtomicFile file(folder / "out");
    file.write("half");
    CHECK(folder.files().size() == 2);
  }
  CHECK(text_of(folder / "out") == "old");
  CHECK(folder.files() == std::vector<std::string>{"out"});
}

TEST_CASE("Two writers of one name do not disturb each other; the last to commit wins") {
  const ScratchFolder folder;
  io::AtomicFile first(folder / "out");
  io::AtomicFile second(folder / "out");
  first.write("first");
  second.write("second");
  second.commit();
  CHECK(text_of(folder / "out") == "second");
  first.commit();
  CHECK(text_of(folder / "out") == "first");
}

TEST_CASE("A symbolic link is followed, not replaced") {
  const ScratchFolder folder;
  std::ofstream(folder / "target") << "old";
  std::filesystem::create_symlink(folder / "target", folder / "link");
  io::AtomicFile file(folder / "link");
  file.write("new");
  file.commit();
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(text_of(folder / "target") == "new");
}

TEST_CASE("Paths that cannot become a file are refused in one sentence") {
  const ScratchFolder folder;
  std::ofstream(folder / "file") << "x";
  const auto sentence = [](const std::filesystem::path& path) {
    return sentence_of([&] { io::AtomicFile file(path); });
  };
  CHECK_THAT(sentence(folder / "missing/out"), EndsWith("No such file or directory"));
  CHECK_THAT(sentence(folder / "file/out"), EndsWith("Not a directory"));
  CHECK_THAT(sentence(folder.path()), EndsWith("not a regular file"));
  CHECK_THAT(sentence("/dev/null"), EndsWith("not a regular file"));
  CHECK_THAT(sentence(folder / "new/"), EndsWith("not the name of a file"));
  CHECK_THAT(sentence(""), EndsWith("not the name of a file"));
  CHECK(folder.files() == std::vector<std::string>{"file"});
}

TEST_CASE("A full disk is reported with the system's reason and leaves nothing behind") {
  require_refuses_unwritable_paths([](const std::filesystem::path& path) {
    io::AtomicFile file(path);
    file.write(std::string(4096, 'x'));
    file.commit();
  });
}
