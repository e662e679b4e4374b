#include "watched_program.hpp"

#include <copse/backend/error.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace copse::peers {
namespace {

constexpr int not_started = 127;

[[noreturn]] void become(const std::filesystem::path& program,
                         const std::vector<std::string>& arguments,
                         const std::filesystem::path& input) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const int file = open(input.c_str(), O_RDONLY);
  if (file >= 0 && dup2(file, STDIN_FILENO) >= 0) execv(program.c_str(), words.data());
  _exit(not_started);
}

}  // namespace

void watch_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                   const std::filesystem::path& input,
                   const std::function<void(const std::string&)>& line) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0) throw InputError(fmt::format("{} cannot be started", program.string()));
  if (child == 0) become(program, arguments, input);
  std::string text;
  char bytes[4096];
  // Reading fails, instead of ending, when the program has closed its side.
  for (ssize_t got = 0; (got = read(terminal, bytes, sizeof bytes)) > 0;) {
    text.append(bytes, static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos;) {
      line(text.substr(0, text.find_last_not_of("\r\n", end) + 1));
      text.erase(0, end + 1);
    }
  }
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_started)
    throw InputError(fmt::format("{} cannot be started", program.string()));
  if (!WIFEXITED(status))
    throw InputError(fmt::format("{} was ended by signal {}", program.string(), WTERMSIG(status)));
}

}  // namespace copse::peers
