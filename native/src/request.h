// A request on its way through the library.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine.h"

namespace onpar {

struct Engine::Request {
  Request(Engine& owner, uint32_t number, bool handle) : engine(owner), id(number), has_handle(handle) {}

  Engine& engine;
  const uint32_t id;
  // Of vllm_request_submit; the others are calls that block, on a thread of their own.
  const bool has_handle;
  // Of the keeper alone.
  RequestHandle* handle = nullptr;
  bool cancel_sent = false;
  std::atomic<bool> cancelled{false};
  std::atomic<bool> finished{false};
  std::atomic<bool> overflowed{false};
  // Guarded by the queue's mutex.
  bool ended = false;
};

}  // namespace onpar
