#pragma once
/// \file
/// Exception types for errors in the user's input and failed verifications.

#include <stdexcept>
#include <string>

namespace copse {

/// Bad input: an unknown option, a damaged file, an impossible size. `what()` is one sentence for
/// the user that names the option, or the file with the byte offset or record. A mini-app prints it
/// on stderr and exits with code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A result failed its independent check. A mini-app prints it, prints no figure of merit and exits
/// with code 1.
class VerificationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace copse
