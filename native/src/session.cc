#include "session.h"

#include <utility>

#include "event_values.h"

namespace onpar {

std::shared_ptr<Session> Session::start(Napi::Env env, std::shared_ptr<Library> library, ModelParams params,
                                        Napi::Function on_events, std::chrono::milliseconds close_limit) {
  const std::shared_ptr<Session> session(new Session());
  session->env_ = env;
  session->close_limit_ = close_limit;
  session->channel_ = Channel::New(env, on_events, "onpar-vllm", 0, 1, session.get());
  // The queue holds at most one call: what waits is taken all at once when it is made.
  session->engine_ = std::make_shared<Engine>(std::move(library), std::move(params),
                                              [channel = session->channel_] { channel.NonBlockingCall(); });
  session->self_ = session;
  // Added after the channel's own, so it runs before the channel is closed.
  napi_add_env_cleanup_hook(env, &Session::thread_ends, session.get());
  session->engine_->start();
  return session;
}

Engine& Session::usable(Napi::Env env) {
  if (state_ == State::kLoading) throw Napi::Error::New(env, "the model is not loaded yet");
  if (state_ != State::kLoaded) throw Napi::Error::New(env, "the engine was closed");
  return *engine_;
}

void Session::began(Napi::Env env) {
  if (active_++ == 0) channel_.Ref(env);
}

void Session::close() {
  if (state_ == State::kClosing || state_ == State::kClosed) return;
  state_ = State::kClosing;
  channel_.Ref(Napi::Env(env_));
  engine_->close();
}

void Session::call_js(Napi::Env env, Napi::Function on_events, Session* session, void*) {
  // Without an environment the thread is ending, and thread_ends has done what is to be done.
  if (static_cast<napi_env>(env) == nullptr) return;
  const std::shared_ptr<Session> held = session->self_;
  if (held != nullptr) held->deliver(env, on_events);
}

void Session::deliver(napi_env env, napi_value on_events) {
  const Batch batch = engine_->take();
  bool closed = false;
  for (const Notice& notice : batch.notices) {
    if (notice.kind == Notice::kLoaded) {
      if (state_ == State::kLoading) state_ = State::kLoaded;
      if (state_ == State::kLoaded && active_ == 0) channel_.Unref(env);
    } else if (notice.kind == Notice::kLoadFailed) {
      state_ = State::kClosing;
    } else {
      closed = true;
    }
  }
  active_ -= batch.endings.size();
  if (!batch.endings.empty() && active_ == 0 && state_ == State::kLoaded) channel_.Unref(env);
  if (closed) finish();

  napi_value arguments[6];
  napi_value receiver = nullptr;
  napi_get_undefined(env, &receiver);
  if (!event_arguments(env, batch, arguments)) return;
  if (napi_call_function(env, receiver, on_events, 6, arguments, nullptr) != napi_pending_exception) return;
  // The listener's fault, and nobody of whom it could be caught: it is the thread's uncaught exception.
  napi_value error = nullptr;
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

void Session::finish() {
  state_ = State::kClosed;
  napi_remove_env_cleanup_hook(env_, &Session::thread_ends, this);
  // It has said its last word and is at its end.
  engine_->wait_closed(close_limit_);
  channel_.Release();
  self_.reset();
}

void Session::thread_ends(void* pointer) {
  const std::shared_ptr<Session> session = std::move(static_cast<Session*>(pointer)->self_);
  if (session == nullptr) return;
  session->state_ = State::kClosed;
  session->engine_->stop_delivery();
  session->engine_->close();
  session->engine_->wait_closed(session->close_limit_);
  session->channel_.Abort();
}

}  // namespace onpar
