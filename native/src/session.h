// An engine as a JavaScript thread uses it: events arrive there in batches, and the thread's end ends it.
#pragma once

#include <napi.h>

#include <chrono>
#include <memory>

#include "engine.h"

namespace onpar {

class Session : public std::enable_shared_from_this<Session> {
 public:
  // Starts loading. `on_events` is called with what happened, on the thread that it belongs to.
  static std::shared_ptr<Session> start(Napi::Env env, std::shared_ptr<Library> library, ModelParams params,
                                        Napi::Function on_events, std::chrono::milliseconds close_limit);
  ~Session() = default;

  // Throws a JavaScript error where no request may be made.
  Engine& usable(Napi::Env env);
  Engine& engine() { return *engine_; }

  // To be called once for each request: the process stays alive until it has ended.
  void began(Napi::Env env);
  void close();

 private:
  static void call_js(Napi::Env env, Napi::Function on_events, Session* session, void*);
  using Channel = Napi::TypedThreadSafeFunction<Session, void, &Session::call_js>;

  Session() = default;
  void deliver(napi_env env, napi_value on_events);
  // The thread ends: nothing may be called any more, and nothing may run on behind it.
  static void thread_ends(void* session);
  void finish();

  enum class State { kLoading, kLoaded, kClosing, kClosed };

  std::shared_ptr<Engine> engine_;
  // Alive while the engine may still say something.
  std::shared_ptr<Session> self_;
  napi_env env_ = nullptr;
  Channel channel_;
  State state_ = State::kLoading;
  size_t active_ = 0;
  std::chrono::milliseconds close_limit_{0};
};

}  // namespace onpar
