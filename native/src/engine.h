// One loaded model: its requests, and the thread that makes the calls which block.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "events.h"
#include "library.h"
#include "model_params.h"
#include "sampling.h"

namespace onpar {

// The keeper thread loads the model, submits requests, cancels them, reaps those that ended, and frees the model: the
// JavaScript thread never waits for the library. Deltas are stamped and queued by the library's own threads. Public
// functions may be called from any thread.
class Engine : public std::enable_shared_from_this<Engine> {
 public:
  // `wake` is called when the queue stops being empty, on any thread, and must not block.
  Engine(std::shared_ptr<Library> library, ModelParams params, std::function<void()> wake);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Starts loading; a notice tells how it went.
  void start();

  // Each of these ends with exactly one Ending for its id, which the caller chooses and uses once.
  void submit(uint32_t id, std::string prompt, Sampling sampling);
  void complete(uint32_t id, std::vector<int32_t> prompt, Sampling sampling, int32_t capacity);
  void chat(uint32_t id, std::string request_json);

  // Ends a request early; of no effect when it has ended.
  void cancel(uint32_t id);

  // Acceptance since the load; false when the library or the moment has none.
  bool acceptance(AbiSpecAcceptance& out);

  // Cancels what is in flight and frees the model; a notice tells when that is done.
  void close();

  // Nothing is queued and nobody is woken any more.
  void stop_delivery();

  // Waits until the keeper has ended and joins it; past the limit the keeper is left to itself and false returned.
  bool wait_closed(std::chrono::milliseconds limit);

  // What happened since the last call.
  Batch take();

 private:
  struct Request;
  struct Submission {
    std::shared_ptr<Request> request;
    std::string prompt;
    Sampling sampling;
  };

  static bool on_delta(const char* delta, bool finished, void* user_data) noexcept;
  bool push_delta(Request& request, uint64_t at_ns, const char* delta, bool finished);
  void push_ending(Request& request, Ending ending);
  void push_notice(Notice notice);
  void wake_if_needed();

  void keep();
  bool load();
  void submit_now(const Submission& submission);
  void reap();
  void start_job(uint32_t id, const std::function<Ending(Request&)>& work);
  void run_job(Request& request, const std::function<Ending(Request&)>& work);
  void nudge();
  std::shared_ptr<Request> add_request(uint32_t id, bool has_handle);

  const std::shared_ptr<Library> library_;
  ModelParams params_;
  const std::function<void()> wake_;

  // Guards the model's handle against being freed while its counters are read.
  std::mutex handle_mutex_;
  EngineHandle* handle_ = nullptr;

  // Guards the queue of events.
  std::mutex queue_mutex_;
  Batch queue_;
  bool woken_ = false;
  bool delivering_ = true;

  // Guards what the keeper is asked for.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable closed_;
  std::unordered_map<uint32_t, std::shared_ptr<Request>> requests_;
  std::vector<Submission> submissions_;
  bool nudged_ = false;
  bool closing_ = false;
  bool done_ = false;
  size_t jobs_ = 0;
  std::thread keeper_;
};

}  // namespace onpar
