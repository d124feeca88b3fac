// The clock of `process.hrtime.bigint()`, read without Node: nanoseconds of the same origin.
#pragma once

#include <cstdint>

#if defined(_WIN32)
#include <chrono>
#else
#include <time.h>
#endif

namespace onpar {

inline uint64_t monotonic_ns() noexcept {
#if defined(_WIN32)
  // Both this and Node's clock are the performance counter.
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
#else
#if defined(__APPLE__)
  const clockid_t clock = CLOCK_MONOTONIC_RAW;
#else
  const clockid_t clock = CLOCK_MONOTONIC;
#endif
  struct timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
#endif
}

}  // namespace onpar
