#include "event_values.h"

#include <cstring>

namespace onpar {

namespace {

// Makes values until one cannot be made; from then on everything is null.
class Maker {
 public:
  explicit Maker(napi_env env) : env_(env) {}

  bool well() const { return well_; }

  napi_value text(const std::string& from) {
    napi_value value = nullptr;
    keep(napi_create_string_utf8(env_, from.data(), from.size(), &value));
    return value;
  }

  napi_value text_or_null(const std::string& from) { return from.empty() ? null() : text(from); }

  napi_value number(int64_t from) {
    napi_value value = nullptr;
    keep(napi_create_int64(env_, from, &value));
    return value;
  }

  napi_value count_or_null(int32_t from) { return from < 0 ? null() : number(from); }

  napi_value bigint(uint64_t from) {
    napi_value value = nullptr;
    keep(napi_create_bigint_uint64(env_, from, &value));
    return value;
  }

  napi_value boolean(bool from) {
    napi_value value = nullptr;
    keep(napi_get_boolean(env_, from, &value));
    return value;
  }

  napi_value null() {
    napi_value value = nullptr;
    keep(napi_get_null(env_, &value));
    return value;
  }

  template <typename Value>
  napi_value typed_array(napi_typedarray_type type, const std::vector<Value>& from) {
    void* data = nullptr;
    napi_value buffer = nullptr;
    napi_value value = nullptr;
    const size_t bytes = from.size() * sizeof(Value);
    keep(napi_create_arraybuffer(env_, bytes, &data, &buffer));
    if (!well_) return nullptr;
    if (bytes > 0) std::memcpy(data, from.data(), bytes);
    keep(napi_create_typedarray(env_, type, from.size(), buffer, 0, &value));
    return value;
  }

  template <typename Item, typename Make>
  napi_value array(const std::vector<Item>& items, Make make) {
    napi_value value = nullptr;
    keep(napi_create_array_with_length(env_, items.size(), &value));
    for (uint32_t i = 0; well_ && i < items.size(); i++) keep(napi_set_element(env_, value, i, make(items[i])));
    return value;
  }

  napi_value object() {
    napi_value value = nullptr;
    keep(napi_create_object(env_, &value));
    return value;
  }

  void set(napi_value target, const char* name, napi_value value) {
    if (well_) keep(napi_set_named_property(env_, target, name, value));
  }

 private:
  void keep(napi_status status) {
    if (status != napi_ok) well_ = false;
  }

  const napi_env env_;
  bool well_ = true;
};

napi_value ending_value(Maker& make, const Ending& ending) {
  const napi_value object = make.object();
  make.set(object, "request", make.number(ending.request));
  make.set(object, "atNs", make.bigint(ending.at_ns));
  make.set(object, "status", make.number(ending.status));
  make.set(object, "cancelled", make.boolean(ending.cancelled));
  make.set(object, "error", make.text_or_null(ending.error));
  make.set(object, "tokens", make.typed_array(napi_int32_array, ending.tokens));
  make.set(object, "text", make.text(ending.text));
  make.set(object, "finishReason", make.text_or_null(ending.finish_reason));
  make.set(object, "promptTokens", make.count_or_null(ending.prompt_tokens));
  make.set(object, "completionTokens", make.count_or_null(ending.completion_tokens));
  return object;
}

napi_value notice_value(Maker& make, const Notice& notice) {
  static constexpr const char* kNames[] = {"loaded", "load-failed", "closed"};
  const napi_value object = make.object();
  make.set(object, "kind", make.text(kNames[notice.kind]));
  make.set(object, "status", make.number(notice.status));
  make.set(object, "error", make.text_or_null(notice.error));
  return object;
}

}  // namespace

bool event_arguments(napi_env env, const Batch& batch, napi_value (&arguments)[6]) {
  Maker make(env);
  arguments[0] = make.text(batch.text);
  arguments[1] = make.typed_array(napi_uint32_array, batch.requests);
  arguments[2] = make.typed_array(napi_uint32_array, batch.lengths);
  arguments[3] = make.typed_array(napi_biguint64_array, batch.times);
  arguments[4] = make.array(batch.endings, [&](const Ending& ending) { return ending_value(make, ending); });
  arguments[5] = make.array(batch.notices, [&](const Notice& notice) { return notice_value(make, notice); });
  return make.well();
}

}  // namespace onpar
