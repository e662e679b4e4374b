#include <copse/backend/mpi/rank_agreement.hpp>

#include <climits>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <thread>

namespace copse {
namespace {

using namespace std::chrono_literals;

/// How long a failed rank waits for the others, which may fail for the same reason.
constexpr std::chrono::duration<double> grace = 1s;
/// Further wait, in proportion to the rank: the lowest failed rank stops waiting first, prints its
/// message and aborts the job.
constexpr std::chrono::duration<double> stagger = 1s;

void print_sentence(const std::string& sentence) {
  if (sentence.empty()) return;
  fmt::print(stderr, "{}\n", sentence);
  std::fflush(stderr);
}

constexpr int nobody = INT_MAX;

/// Collective. The lowest rank that failed, or `nobody`.
int lowest_failed_rank(MPI_Comm comm, bool failed) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  int lowest = failed ? rank : nobody;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, comm);
  return lowest;
}

}  // namespace

void together(MPI_Comm comm, const std::function<void()>& body) {
  std::exception_ptr own;
  try {
    body();
  } catch (...) {
    own = std::current_exception();
  }
  const int lowest = lowest_failed_rank(comm, own != nullptr);
  if (own) std::rethrow_exception(own);
  if (lowest != nobody) throw OtherRankFailed();
}

void run_on_all_ranks(MPI_Comm comm, const std::string& subject,
                      const std::function<void()>& body) {
  std::string sentence;
  bool failed = true;
  try {
    body();
    failed = false;
  } catch (const InputError& error) {
    sentence = error.what();
  } catch (const std::bad_alloc&) {
    sentence = subject + ": not enough memory";
  } catch (const std::exception& error) {
    sentence = subject + ": " + error.what();
  }
  const int lowest = lowest_failed_rank(comm, failed);
  if (lowest == nobody) return;
  int length = static_cast<int>(sentence.size());
  MPI_Bcast(&length, 1, MPI_INT, lowest, comm);
  sentence.resize(static_cast<std::size_t>(length));
  MPI_Bcast(sentence.data(), length, MPI_CHAR, lowest, comm);
  throw InputError(sentence);
}

Ending::Ending(MPI_Comm comm) {
  // A separate communicator: the agreement must not match a collective of the run.
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
}

Ending::~Ending() {
  MPI_Comm_free(&comm_);
}

int Ending::arrive(int code, const std::string& sentence) {
  // Two maxima: the largest code, and the distance from the end of the lowest rank with a message.
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

}  // namespace copse
