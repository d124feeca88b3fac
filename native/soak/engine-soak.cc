// The engine without Node: many requests with random cancellations, cancelled and closed from several threads.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "../src/engine.h"

using namespace onpar;

namespace {

struct Doorbell {
  std::mutex mutex;
  std::condition_variable rung;
  bool ringing = false;

  void ring() {
    const std::lock_guard<std::mutex> lock(mutex);
    ringing = true;
    rung.notify_one();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    rung.wait(lock, [this] { return ringing; });
    ringing = false;
  }
};

void start_one(Engine& engine, uint32_t id, std::mt19937& random) {
  const auto up_to = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  const std::string script = "@{us=" + std::to_string(up_to(3) * 50) + " tokens=" + std::to_string(up_to(60)) + "}";
  Sampling sampling;
  sampling.max_tokens = static_cast<int32_t>(1 + up_to(80));
  switch (up_to(4)) {
    case 0:
      engine.chat(id, "{\"messages\":\"" + script + std::to_string(id) + "\"}");
      break;
    case 1:
      engine.complete(id, {1, 2, static_cast<int32_t>(up_to(900))}, sampling, sampling.max_tokens);
      break;
    default:
      if (up_to(5) == 0) sampling.stop = {"oak", "dune elm"};
      engine.submit(id, script + std::to_string(id), sampling);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: engine-soak LIBRARY MODEL REQUESTS\n");
    return 2;
  }
  const auto total = static_cast<uint32_t>(std::atoi(argv[3]));
  std::mt19937 random(11);
  const auto library = Library::open(argv[1]);
  Doorbell doorbell;
  const auto engine = std::make_shared<Engine>(
      library,
      ModelParams(library->abi_version(),
                  {{"model_path", std::string(argv[2])}, {"speculative_config", std::string("{\"num_speculative_tokens\":4}")}}),
      [&doorbell] { doorbell.ring(); });
  engine->start();

  uint32_t started = 0;
  uint32_t ended = 0;
  uint32_t cancelled = 0;
  size_t bytes = 0;
  bool loaded = false;
  bool closed = false;
  // Cancels what may have ended, be running, or not exist yet.
  std::atomic<uint32_t> newest{0};
  std::atomic<bool> over{false};
  std::thread canceller([&] {
    std::mt19937 other(13);
    while (!over.load()) {
      const uint32_t last = newest.load();
      if (last > 0) engine->cancel(last - other() % (last < 32 ? last : 32));
      AbiSpecAcceptance counts{};
      engine->acceptance(counts);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  while (!closed) {
    doorbell.wait();
    const Batch batch = engine->take();
    bytes += batch.text.size();
    for (const Notice& notice : batch.notices) {
      if (notice.kind == Notice::kLoaded) loaded = true;
      if (notice.kind == Notice::kClosed) closed = true;
    }
    for (const Ending& ending : batch.endings) {
      ended++;
      if (ending.cancelled) cancelled++;
    }
    while (loaded && started < total && started - ended < 32) {
      start_one(*engine, ++started, random);
      newest.store(started);
    }
    if (ended == total) engine->close();
  }
  over.store(true);
  canceller.join();
  if (!engine->wait_closed(std::chrono::seconds(10))) return 1;
  std::printf("{\"started\":%u,\"ended\":%u,\"cancelled\":%u,\"bytes\":%zu}\n", started, ended, cancelled, bytes);
  return started == total && ended == total ? 0 : 1;
}
