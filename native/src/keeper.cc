// The keeper thread of an engine: it makes the calls that block, from loading to freeing.
#include <utility>

#include "clock.h"
#include "engine.h"
#include "request.h"

namespace onpar {

namespace {

// How often requests are looked at that say nothing: a request that fails or is cancelled calls nobody.
constexpr std::chrono::milliseconds kIdlePoll{20};
constexpr std::chrono::milliseconds kCancelPoll{1};

}  // namespace

bool Engine::load() {
  EngineHandle* handle = nullptr;
  const int32_t status = library_->functions().engine_load(params_.data(), &handle);
  if (status != kOk || handle == nullptr) {
    std::string error = library_->last_error();
    if (status == kOk) error = "the library returned no engine";
    push_notice({Notice::kLoadFailed, status, std::move(error)});
    return false;
  }
  {
    const std::lock_guard<std::mutex> lock(handle_mutex_);
    handle_ = handle;
  }
  push_notice({Notice::kLoaded, kOk, {}});
  return true;
}

void Engine::keep() {
  const bool loaded = load();
  for (;;) {
    std::vector<Submission> submissions;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      bool live = false;
      bool cancelling = false;
      for (const auto& [id, request] : requests_) {
        if (request->handle == nullptr) continue;
        live = true;
        if (request->cancelled.load()) cancelling = true;
      }
      if (live) {
        changed_.wait_for(lock, cancelling ? kCancelPoll : kIdlePoll, [this] { return nudged_; });
      } else {
        // The model is free to go once nothing uses it any more.
        const auto over = [&] { return (closing_ || !loaded) && requests_.empty() && jobs_ == 0; };
        changed_.wait(lock, [&] { return nudged_ || over(); });
        if (over()) break;
      }
      nudged_ = false;
      submissions.swap(submissions_);
    }
    for (const Submission& submission : submissions) submit_now(submission);
    reap();
  }
  EngineHandle* handle = nullptr;
  {
    const std::lock_guard<std::mutex> lock(handle_mutex_);
    handle = std::exchange(handle_, nullptr);
  }
  if (handle != nullptr) library_->functions().engine_free(handle);
  push_notice({Notice::kClosed, kOk, {}});
  const std::lock_guard<std::mutex> lock(mutex_);
  done_ = true;
  closed_.notify_all();
}

void Engine::submit_now(const Submission& submission) {
  Request& request = *submission.request;
  Ending refusal;
  if (!request.cancelled.load()) {
    const SamplingView view(submission.sampling);
    RequestHandle* handle = nullptr;
    refusal.status = library_->functions().request_submit(handle_, submission.prompt.c_str(), view.get(),
                                                          &Engine::on_delta, &request, &handle);
    if (refusal.status == kOk && handle != nullptr) {
      request.handle = handle;
      return;
    }
    refusal.error = refusal.status == kOk ? "the library returned no request" : library_->last_error();
    if (refusal.status == kOk) refusal.status = kUnknown;
  }
  refusal.at_ns = monotonic_ns();
  push_ending(request, std::move(refusal));
  const std::lock_guard<std::mutex> lock(mutex_);
  requests_.erase(request.id);
}

void Engine::reap() {
  const AbiFunctions& f = library_->functions();
  std::vector<std::shared_ptr<Request>> live;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [id, request] : requests_) {
      if (request->handle != nullptr) live.push_back(request);
    }
  }
  for (const auto& request : live) {
    if (request->cancelled.load() && !std::exchange(request->cancel_sent, true)) f.request_cancel(request->handle);
    // A finished one is about to return from its last callback; of the others only those that are done are waited for.
    if (!request->finished.load() && !f.request_done(request->handle)) continue;
    Ending ending;
    ending.status = f.request_wait(request->handle);
    ending.at_ns = monotonic_ns();
    if (ending.status != kOk) ending.error = library_->last_error();
    f.request_free(request->handle);
    request->handle = nullptr;
    push_ending(*request, std::move(ending));
    const std::lock_guard<std::mutex> lock(mutex_);
    requests_.erase(request->id);
  }
}

}  // namespace onpar
