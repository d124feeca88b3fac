// libvllm, opened at run time.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "abi.h"

namespace onpar {

// Why a file is not a library that can be used; the message is one line for people.
class LibraryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An opened library. It stays loaded until the process ends: its threads may outlive every handle.
class Library {
 public:
  // Throws LibraryError.
  static std::shared_ptr<Library> open(const std::string& path);

  const AbiFunctions& functions() const { return functions_; }
  int32_t abi_version() const { return abi_version_; }
  const std::string& version() const { return version_; }
  // Names of the functions that this library does not have and that are asked for.
  const std::vector<std::string>& missing() const { return missing_; }

  // What the library says of the last failure on the calling thread.
  std::string last_error() const;

 private:
  AbiFunctions functions_{};
  int32_t abi_version_ = 0;
  std::string version_;
  std::vector<std::string> missing_;
};

}  // namespace onpar
