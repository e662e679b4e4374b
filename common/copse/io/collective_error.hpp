#pragma once
/// \file
/// Lets an error of one rank stop all ranks with the same sentence.

#include <copse/backend/error.hpp>

#include <mpi.h>

#include <exception>
#include <new>
#include <string>

namespace copse::io {

/// Collective. If any rank passes a message, every rank of `comm` throws InputError with the
/// message of the lowest such rank; otherwise nothing happens. An empty message means success.
/// \throws InputError as said.
void throw_on_all_ranks(MPI_Comm comm, const std::string& message);

/// Collective. Calls `f()` on every rank; if it throws on any, every rank throws InputError with
/// the sentence of the lowest rank that failed, so that no rank is left waiting in a later
/// collective. `f` must not call collectives of `comm` itself, or must call them on every path.
template <class F>
void run_on_all_ranks(MPI_Comm comm, const std::string& what, F&& f) {
  std::string message;
  try {
    f();
  } catch (const InputError& error) {
    message = error.what();
  } catch (const std::bad_alloc&) {
    message = what + ": not enough memory";
  } catch (const std::exception& error) {
    message = what + ": " + error.what();
  }
  throw_on_all_ranks(comm, message);
}

}  // namespace copse::io
