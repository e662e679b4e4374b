#include <copse/io/collective_error.hpp>

#include <climits>

namespace copse::io {

void throw_on_all_ranks(MPI_Comm comm, const std::string& message) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const int mine = message.empty() ? INT_MAX : rank;
  int first = INT_MAX;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == INT_MAX) return;
  int length = static_cast<int>(message.size());
  MPI_Bcast(&length, 1, MPI_INT, first, comm);
  std::string sentence = message;
  sentence.resize(static_cast<std::size_t>(length));
  MPI_Bcast(sentence.data(), length, MPI_CHAR, first, comm);
  throw InputError(sentence);
}

}  // namespace copse::io
