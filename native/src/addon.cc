// The exports: open(path), which gives a Library; library.load(params, onEvents), which gives an Engine.
#include <napi.h>

#include <memory>

#include "arguments.h"
#include "library.h"
#include "model_params.h"
#include "session.h"

namespace onpar {

namespace {

constexpr int64_t kMaxTokens = 1 << 20;
constexpr size_t kMaxErrorName = 4096;

class EngineObject : public Napi::ObjectWrap<EngineObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Engine",
                       {
                           InstanceMethod("submit", &EngineObject::submit),
                           InstanceMethod("complete", &EngineObject::complete),
                           InstanceMethod("chat", &EngineObject::chat),
                           InstanceMethod("cancel", &EngineObject::cancel),
                           InstanceMethod("acceptance", &EngineObject::acceptance),
                           InstanceMethod("close", &EngineObject::close),
                       });
  }

  explicit EngineObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<EngineObject>(info) {}

  // Whoever drops an engine without closing it gets it closed when the object is collected.
  ~EngineObject() override {
    if (session_ != nullptr) session_->close();
  }

  void take(std::shared_ptr<Session> session, std::shared_ptr<Library> library) {
    session_ = std::move(session);
    library_ = std::move(library);
  }

 private:
  Engine& usable(Napi::Env env) {
    if (session_ == nullptr) throw Napi::Error::New(env, "an engine is made by library.load");
    return session_->usable(env);
  }

  void submit(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    Engine& engine = usable(env);
    const uint32_t id = id_argument(env, info[0]);
    std::string prompt = text_argument(env, info[1], "prompt");
    Sampling sampling = sampling_argument(env, info[2]);
    session_->began(env);
    engine.submit(id, std::move(prompt), std::move(sampling));
  }

  void complete(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    Engine& engine = usable(env);
    if (library_->functions().complete_tokens == nullptr) {
      throw Napi::Error::New(env, "the library has no vllm_complete_tokens");
    }
    const uint32_t id = id_argument(env, info[0]);
    std::vector<int32_t> prompt = tokens_argument(env, info[1], "prompt");
    Sampling sampling = sampling_argument(env, info[2]);
    if (sampling.max_tokens < 1 || sampling.max_tokens > kMaxTokens) {
      throw Napi::TypeError::New(env, "maxTokens must be from 1 to 1048576");
    }
    const int32_t capacity = sampling.max_tokens;
    session_->began(env);
    engine.complete(id, std::move(prompt), std::move(sampling), capacity);
  }

  void chat(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    Engine& engine = usable(env);
    if (library_->functions().chat_stream == nullptr) throw Napi::Error::New(env, "the library has no vllm_chat_stream");
    const uint32_t id = id_argument(env, info[0]);
    std::string json = text_argument(env, info[1], "request");
    session_->began(env);
    engine.chat(id, std::move(json));
  }

  void cancel(const Napi::CallbackInfo& info) {
    const uint32_t id = id_argument(info.Env(), info[0]);
    if (session_ != nullptr) session_->engine().cancel(id);
  }

  Napi::Value acceptance(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    AbiSpecAcceptance counts{};
    if (session_ == nullptr || !session_->engine().acceptance(counts)) return env.Null();
    Napi::Object object = Napi::Object::New(env);
    object.Set("draftsProposed", Napi::Number::New(env, static_cast<double>(counts.drafts_proposed)));
    object.Set("draftsAccepted", Napi::Number::New(env, static_cast<double>(counts.drafts_accepted)));
    object.Set("draftedRequestSteps", Napi::Number::New(env, static_cast<double>(counts.drafted_request_steps)));
    return object;
  }

  void close(const Napi::CallbackInfo&) {
    if (session_ != nullptr) session_->close();
  }

  std::shared_ptr<Session> session_;
  std::shared_ptr<Library> library_;
};

// Per JavaScript thread: a worker has classes of its own.
struct Classes {
  Napi::FunctionReference library;
  Napi::FunctionReference engine;
};

class LibraryObject : public Napi::ObjectWrap<LibraryObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Library",
                       {
                           InstanceMethod("load", &LibraryObject::load),
                           InstanceAccessor("abiVersion", &LibraryObject::abi_version, nullptr),
                           InstanceAccessor("version", &LibraryObject::version, nullptr),
                           InstanceAccessor("missing", &LibraryObject::missing, nullptr),
                       });
  }

  explicit LibraryObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<LibraryObject>(info) {
    const std::string path = text_argument(info.Env(), info[0], "path");
    try {
      library_ = Library::open(path);
    } catch (const LibraryError& error) {
      const std::string message = error.what();
      throw Napi::Error::New(info.Env(), message.size() > kMaxErrorName ? message.substr(0, kMaxErrorName) : message);
    }
  }

 private:
  Napi::Value abi_version(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), library_->abi_version());
  }

  Napi::Value version(const Napi::CallbackInfo& info) { return Napi::String::New(info.Env(), library_->version()); }

  Napi::Value missing(const Napi::CallbackInfo& info) {
    Napi::Array names = Napi::Array::New(info.Env());
    for (uint32_t i = 0; i < library_->missing().size(); i++) {
      names.Set(i, Napi::String::New(info.Env(), library_->missing()[i]));
    }
    return names;
  }

  Napi::Value load(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    if (!info[1].IsFunction()) throw Napi::TypeError::New(env, "onEvents must be a function");
    int64_t close_limit_ms = 10000;
    if (info[2].IsNumber()) close_limit_ms = info[2].As<Napi::Number>().Int64Value();
    try {
      ModelParams params(library_->abi_version(), params_argument(env, info[0]));
      const Napi::Object engine = env.GetInstanceData<Classes>()->engine.New({});
      EngineObject::Unwrap(engine)->take(
          Session::start(env, library_, std::move(params), info[1].As<Napi::Function>(),
                         std::chrono::milliseconds(close_limit_ms < 0 ? 0 : close_limit_ms)),
          library_);
      return engine;
    } catch (const std::invalid_argument& error) {
      throw Napi::TypeError::New(env, error.what());
    }
  }

  std::shared_ptr<Library> library_;
};

Napi::Value open_library(const Napi::CallbackInfo& info) {
  return info.Env().GetInstanceData<Classes>()->library.New({info[0]});
}

// Where each field of the load parameters stands in a version.
Napi::Value params_layout(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsNumber()) throw Napi::TypeError::New(env, "the version must be a number");
  const ParamsLayout layout = layout_of(info[0].As<Napi::Number>().Int32Value());
  Napi::Object offsets = Napi::Object::New(env);
  for (const FieldPlace& field : layout.fields) {
    offsets.Set(field.name, Napi::Number::New(env, static_cast<double>(field.offset)));
  }
  Napi::Object result = Napi::Object::New(env);
  result.Set("size", Napi::Number::New(env, static_cast<double>(layout.size)));
  result.Set("offsets", offsets);
  return result;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  auto* classes = new Classes();
  classes->library = Napi::Persistent(LibraryObject::define(env));
  classes->engine = Napi::Persistent(EngineObject::define(env));
  env.SetInstanceData(classes);
  exports.Set("open", Napi::Function::New(env, open_library, "open"));
  exports.Set("paramsLayout", Napi::Function::New(env, params_layout, "paramsLayout"));
  exports.Set("oldestAbi", Napi::Number::New(env, kOldestAbi));
  exports.Set("newestAbi", Napi::Number::New(env, kNewestAbi));
  return exports;
}

}  // namespace

}  // namespace onpar

static Napi::Object init_addon(Napi::Env env, Napi::Object exports) { return onpar::init(env, exports); }

NODE_API_MODULE(onpar_vllm, init_addon)
