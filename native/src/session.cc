#include "session.h"

#include <utility>

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
  if (held == nullptr) return;
  try {
    held->deliver(env, on_events);
  } catch (const Napi::Error& error) {
    error.ThrowAsJavaScriptException();
  }
}

namespace {

template <typename Array, typename Value>
Array copy_array(Napi::Env env, const std::vector<Value>& values) {
  Array array = Array::New(env, values.size());
  if (!values.empty()) std::copy(values.begin(), values.end(), array.Data());
  return array;
}

Napi::Value text_or_null(Napi::Env env, const std::string& text) {
  if (text.empty()) return env.Null();
  return Napi::String::New(env, text);
}

Napi::Value count_or_null(Napi::Env env, int32_t count) {
  if (count < 0) return env.Null();
  return Napi::Number::New(env, count);
}

Napi::Object ending_object(Napi::Env env, const Ending& ending) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("request", Napi::Number::New(env, ending.request));
  object.Set("atNs", Napi::BigInt::New(env, ending.at_ns));
  object.Set("status", Napi::Number::New(env, ending.status));
  object.Set("cancelled", Napi::Boolean::New(env, ending.cancelled));
  object.Set("error", text_or_null(env, ending.error));
  object.Set("tokens", copy_array<Napi::Int32Array>(env, ending.tokens));
  object.Set("text", Napi::String::New(env, ending.text));
  object.Set("finishReason", text_or_null(env, ending.finish_reason));
  object.Set("promptTokens", count_or_null(env, ending.prompt_tokens));
  object.Set("completionTokens", count_or_null(env, ending.completion_tokens));
  return object;
}

Napi::Object notice_object(Napi::Env env, const Notice& notice) {
  static constexpr const char* kNames[] = {"loaded", "load-failed", "closed"};
  Napi::Object object = Napi::Object::New(env);
  object.Set("kind", Napi::String::New(env, kNames[notice.kind]));
  object.Set("status", Napi::Number::New(env, notice.status));
  object.Set("error", text_or_null(env, notice.error));
  return object;
}

}  // namespace

void Session::deliver(Napi::Env env, Napi::Function on_events) {
  const Batch batch = engine_->take();
  Napi::Array endings = Napi::Array::New(env, batch.endings.size());
  for (uint32_t i = 0; i < batch.endings.size(); i++) endings.Set(i, ending_object(env, batch.endings[i]));
  Napi::Array notices = Napi::Array::New(env, batch.notices.size());
  bool closed = false;
  for (uint32_t i = 0; i < batch.notices.size(); i++) {
    const Notice& notice = batch.notices[i];
    notices.Set(i, notice_object(env, notice));
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
  on_events.Call({Napi::String::New(env, batch.text), copy_array<Napi::Uint32Array>(env, batch.requests),
                  copy_array<Napi::Uint32Array>(env, batch.lengths), copy_array<Napi::BigUint64Array>(env, batch.times),
                  endings, notices});
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
