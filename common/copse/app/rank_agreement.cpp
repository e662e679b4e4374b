#include <copse/app/rank_agreement.hpp>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

namespace copse::app {
namespace {

using namespace std::chrono_literals;

/// Time for the other ranks to fail for the same reason.
constexpr std::chrono::duration<double> grace = 1s;
/// The ranks that failed give up one after the other, so that the lowest prints and ends the rest.
constexpr std::chrono::duration<double> stagger = 1s;

void print_sentence(const std::string& sentence) {
  if (sentence.empty()) return;
  fmt::print(stderr, "{}\n", sentence);
  std::fflush(stderr);
}

}  // namespace

void together(MPI_Comm comm, const std::function<void()>& body) {
  std::exception_ptr own;
  try {
    body();
  } catch (...) {
    own = std::current_exception();
  }
  int failed = own ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
  if (own) std::rethrow_exception(own);
  if (failed) throw OtherRankFailed();
}

Ending::Ending(MPI_Comm comm) {
  // Its own communicator: the agreement must not pair up with a collective of the run.
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
}

Ending::~Ending() {
  MPI_Comm_free(&comm_);
}

int Ending::arrive(int code, const std::string& sentence) {
  // Largest code, and the lowest rank with something to say as the largest distance from the end.
  std::array<int, 2> agreed{code, sentence.empty() ? 0 : ranks_ - rank_};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, agreed.data(), 2, MPI_INT, MPI_MAX, comm_, &request);

  const auto start = std::chrono::steady_clock::now();
  const auto patience = grace + stagger * (static_cast<double>(rank_) / ranks_);
  for (int arrived = 0; !arrived;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived) break;
    if (code != 0 && std::chrono::steady_clock::now() - start > patience) {
      print_sentence(sentence);
      MPI_Abort(comm_, code);
    }
    std::this_thread::sleep_for(1ms);
  }
  if (agreed[1] == ranks_ - rank_) print_sentence(sentence);
  return agreed[0];
}

}  // namespace copse::app
