#include "engine.h"

#include <stdexcept>
#include <utility>

#include "clock.h"
#include "request.h"
#include "utf8.h"

namespace onpar {

namespace {

// Deltas that may wait for the JavaScript thread; a request that would go past it is ended.
constexpr size_t kMaxQueuedBytes = size_t{256} << 20;
constexpr size_t kMaxQueuedDeltas = size_t{16} << 20;

}  // namespace

Engine::Engine(std::shared_ptr<Library> library, ModelParams params, std::function<void()> wake)
    : library_(std::move(library)), params_(std::move(params)), wake_(std::move(wake)) {}

Engine::~Engine() {
  if (keeper_.joinable()) keeper_.detach();
}

void Engine::start() {
  // The thread holds the engine, so that it lives as long as the thread does.
  keeper_ = std::thread([self = shared_from_this()] { self->keep(); });
}

// --- on the library's threads ---

bool Engine::on_delta(const char* delta, bool finished, void* user_data) noexcept {
  const uint64_t at_ns = monotonic_ns();
  auto& request = *static_cast<Request*>(user_data);
  if (request.cancelled.load(std::memory_order_relaxed)) return false;
  try {
    return request.engine.push_delta(request, at_ns, delta == nullptr ? "" : delta, finished);
  } catch (...) {
    // out of memory: nothing may be thrown across the ABI
    request.overflowed.store(true);
    request.cancelled.store(true);
    return false;
  }
}

bool Engine::push_delta(Request& request, uint64_t at_ns, const char* delta, bool finished) {
  {
    const std::lock_guard<std::mutex> lock(queue_mutex_);
    if (!delivering_ || request.ended) return false;
    if (delta[0] != '\0') {
      if (queue_.text.size() > kMaxQueuedBytes || queue_.requests.size() > kMaxQueuedDeltas) {
        request.overflowed.store(true);
        request.cancelled.store(true);
        return false;
      }
      queue_.lengths.push_back(append_utf8(queue_.text, delta));
      queue_.requests.push_back(request.id);
      queue_.times.push_back(at_ns);
    }
    if (finished && request.has_handle) {
      request.ended = true;
      Ending ending;
      ending.request = request.id;
      ending.at_ns = at_ns;
      queue_.endings.push_back(std::move(ending));
    }
    wake_if_needed();
  }
  if (finished && request.has_handle) {
    request.finished.store(true);
    const std::lock_guard<std::mutex> lock(mutex_);
    nudge();
  }
  return true;
}

void Engine::push_ending(Request& request, Ending ending) {
  const std::lock_guard<std::mutex> lock(queue_mutex_);
  if (request.ended) return;
  request.ended = true;
  if (!delivering_) return;
  ending.request = request.id;
  if (request.overflowed.load()) {
    ending.status = kUnknown;
    ending.error = "its output was not taken up in time: more than 256 MiB of text wait for the JavaScript thread";
  } else {
    ending.cancelled = request.cancelled.load();
  }
  queue_.endings.push_back(std::move(ending));
  wake_if_needed();
}

void Engine::push_notice(Notice notice) {
  const std::lock_guard<std::mutex> lock(queue_mutex_);
  if (!delivering_) return;
  queue_.notices.push_back(std::move(notice));
  wake_if_needed();
}

void Engine::wake_if_needed() {
  if (woken_) return;
  woken_ = true;
  wake_();
}

// --- on the JavaScript thread ---

Batch Engine::take() {
  const std::lock_guard<std::mutex> lock(queue_mutex_);
  woken_ = false;
  return std::exchange(queue_, Batch{});
}

void Engine::stop_delivery() {
  const std::lock_guard<std::mutex> lock(queue_mutex_);
  delivering_ = false;
  queue_ = Batch{};
}

std::shared_ptr<Engine::Request> Engine::add_request(uint32_t id, bool has_handle) {
  auto request = std::make_shared<Request>(*this, id, has_handle);
  requests_.emplace(id, request);
  return request;
}

void Engine::nudge() {
  nudged_ = true;
  changed_.notify_one();
}

void Engine::submit(uint32_t id, std::string prompt, Sampling sampling) {
  const std::lock_guard<std::mutex> lock(mutex_);
  submissions_.push_back({add_request(id, true), std::move(prompt), std::move(sampling)});
  nudge();
}

void Engine::complete(uint32_t id, std::vector<int32_t> prompt, Sampling sampling, int32_t capacity) {
  start_job(id, [this, prompt = std::move(prompt), sampling = std::move(sampling), capacity](Request&) {
    Ending ending;
    const AbiFunctions& f = library_->functions();
    const SamplingView view(sampling);
    ending.tokens.resize(static_cast<size_t>(capacity));
    int32_t written = 0;
    AbiCompletion completion{nullptr, nullptr, -1, -1};
    ending.status = f.complete_tokens(handle_, prompt.data(), static_cast<int32_t>(prompt.size()), view.get(),
                                      ending.tokens.data(), capacity, &written, &completion);
    ending.at_ns = monotonic_ns();
    if (ending.status != kOk) {
      ending.error = library_->last_error();
      ending.tokens.clear();
      return ending;
    }
    const int32_t count = written < 0 ? 0 : (written < capacity ? written : capacity);
    ending.tokens.resize(static_cast<size_t>(count));
    if (completion.text != nullptr) append_utf8(ending.text, completion.text);
    if (completion.finish_reason != nullptr) ending.finish_reason = completion.finish_reason;
    ending.prompt_tokens = completion.prompt_tokens;
    ending.completion_tokens = completion.completion_tokens;
    if (f.completion_free != nullptr) f.completion_free(&completion);
    return ending;
  });
}

void Engine::chat(uint32_t id, std::string request_json) {
  start_job(id, [this, json = std::move(request_json)](Request& request) {
    Ending ending;
    ending.status = library_->functions().chat_stream(handle_, json.c_str(), &Engine::on_delta, &request);
    ending.at_ns = monotonic_ns();
    if (ending.status != kOk) ending.error = library_->last_error();
    return ending;
  });
}

// Calls that block run on threads of their own, which hold the engine and the request.
void Engine::start_job(uint32_t id, const std::function<Ending(Request&)>& work) {
  std::shared_ptr<Request> request;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    request = add_request(id, false);
    jobs_++;
  }
  try {
    std::thread([self = shared_from_this(), request, work] { self->run_job(*request, work); }).detach();
  } catch (const std::exception& error) {
    const std::string message = error.what();
    run_job(*request, [&](Request&) -> Ending { throw std::runtime_error("no thread for it: " + message); });
  }
}

void Engine::run_job(Request& request, const std::function<Ending(Request&)>& work) {
  Ending ending;
  try {
    if (!request.cancelled.load()) ending = work(request);
  } catch (const std::exception& error) {
    ending.status = kUnknown;
    ending.error = error.what();
  }
  if (ending.at_ns == 0) ending.at_ns = monotonic_ns();
  push_ending(request, std::move(ending));
  const std::lock_guard<std::mutex> lock(mutex_);
  requests_.erase(request.id);
  jobs_--;
  nudge();
}

void Engine::cancel(uint32_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  found->second->cancelled.store(true);
  nudge();
}

bool Engine::acceptance(AbiSpecAcceptance& out) {
  const std::lock_guard<std::mutex> lock(handle_mutex_);
  const auto read = library_->functions().spec_acceptance;
  return handle_ != nullptr && read != nullptr && read(handle_, &out) == kOk;
}

void Engine::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closing_ = true;
  for (auto& [id, request] : requests_) request->cancelled.store(true);
  nudge();
}

bool Engine::wait_closed(std::chrono::milliseconds limit) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!closed_.wait_for(lock, limit, [this] { return done_; })) return false;
  }
  if (keeper_.joinable()) keeper_.join();
  return true;
}

}  // namespace onpar
