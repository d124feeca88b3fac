// What the library's threads hand to the JavaScript thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi.h"

namespace onpar {

// The end of a request.
struct Ending {
  uint32_t request = 0;
  uint64_t at_ns = 0;
  int32_t status = kOk;
  bool cancelled = false;
  // Of a failure, as the library worded it.
  std::string error;
  // Only of a completion of token ids; counts are -1 and the reason empty where nothing was said.
  std::vector<int32_t> tokens;
  std::string text;
  std::string finish_reason;
  int32_t prompt_tokens = -1;
  int32_t completion_tokens = -1;
};

// Something about the engine itself.
struct Notice {
  enum Kind { kLoaded, kLoadFailed, kClosed };
  Kind kind;
  int32_t status;
  std::string error;
};

// Everything that happened since the last one was taken. The text of all deltas stands in one string, cut by lengths in
// UTF-16 units. Endings come after the deltas of their requests.
struct Batch {
  std::string text;
  std::vector<uint32_t> requests;
  std::vector<uint32_t> lengths;
  std::vector<uint64_t> times;
  std::vector<Ending> endings;
  std::vector<Notice> notices;
};

}  // namespace onpar
