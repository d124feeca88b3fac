#include "arguments.h"

#include <cmath>
#include <limits>

namespace onpar {

namespace {

[[noreturn]] void refuse(Napi::Env env, const std::string& message) { throw Napi::TypeError::New(env, message); }

// A number, or the default where the property is not there.
double number_of(const Napi::Object& object, const char* name, double otherwise, double lowest, double highest) {
  const Napi::Value value = object.Get(name);
  if (value.IsUndefined()) return otherwise;
  if (!value.IsNumber()) refuse(object.Env(), std::string(name) + " must be a number");
  const double number = value.As<Napi::Number>().DoubleValue();
  if (!(number >= lowest && number <= highest)) refuse(object.Env(), std::string(name) + " is out of range");
  return number;
}

int32_t int32_of(const Napi::Object& object, const char* name, int32_t otherwise) {
  const double number = number_of(object, name, otherwise, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
  if (number != std::floor(number)) refuse(object.Env(), std::string(name) + " must be an integer");
  return static_cast<int32_t>(number);
}

float float_of(const Napi::Object& object, const char* name, float otherwise) {
  constexpr double limit = std::numeric_limits<float>::max();
  return static_cast<float>(number_of(object, name, otherwise, -limit, limit));
}

bool boolean_of(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (value.IsUndefined()) return false;
  if (!value.IsBoolean()) refuse(object.Env(), std::string(name) + " must be a boolean");
  return value.As<Napi::Boolean>().Value();
}

Napi::Object object_of(Napi::Env env, const Napi::Value& value, const char* name) {
  if (!value.IsObject()) refuse(env, std::string(name) + " must be an object");
  return value.As<Napi::Object>();
}

}  // namespace

std::string text_argument(Napi::Env env, const Napi::Value& value, const char* name) {
  if (!value.IsString()) refuse(env, std::string(name) + " must be a text");
  std::string text = value.As<Napi::String>().Utf8Value();
  if (text.find('\0') != std::string::npos) refuse(env, std::string(name) + " must not hold NUL");
  return text;
}

uint32_t id_argument(Napi::Env env, const Napi::Value& value) {
  if (!value.IsNumber()) refuse(env, "id must be a number");
  const double number = value.As<Napi::Number>().DoubleValue();
  if (!(number >= 0 && number <= std::numeric_limits<uint32_t>::max()) || number != std::floor(number)) {
    refuse(env, "id must be an integer of 32 bits");
  }
  return static_cast<uint32_t>(number);
}

std::vector<int32_t> tokens_argument(Napi::Env env, const Napi::Value& value, const char* name) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_int32_array) {
    refuse(env, std::string(name) + " must be an Int32Array");
  }
  const auto array = value.As<Napi::Int32Array>();
  return std::vector<int32_t>(array.Data(), array.Data() + array.ElementLength());
}

std::map<std::string, ParamValue> params_argument(Napi::Env env, const Napi::Value& value) {
  const Napi::Object object = object_of(env, value, "params");
  const Napi::Array names = object.GetPropertyNames();
  std::map<std::string, ParamValue> params;
  for (uint32_t i = 0; i < names.Length(); i++) {
    const std::string name = names.Get(i).As<Napi::String>().Utf8Value();
    const Napi::Value field = object.Get(name);
    if (field.IsString()) {
      params.emplace(name, text_argument(env, field, name.c_str()));
    } else if (field.IsNumber()) {
      const double number = field.As<Napi::Number>().DoubleValue();
      constexpr double limit = 9007199254740991.0;
      if (number == std::floor(number) && number >= -limit && number <= limit) {
        params.emplace(name, static_cast<int64_t>(number));
      } else {
        params.emplace(name, number);
      }
    } else {
      refuse(env, name + " must be a text or a number");
    }
  }
  return params;
}

Sampling sampling_argument(Napi::Env env, const Napi::Value& value) {
  const Napi::Object object = object_of(env, value, "sampling");
  Sampling sampling;
  sampling.temperature = float_of(object, "temperature", sampling.temperature);
  sampling.top_p = float_of(object, "topP", sampling.top_p);
  sampling.top_k = int32_of(object, "topK", sampling.top_k);
  sampling.min_p = float_of(object, "minP", sampling.min_p);
  sampling.max_tokens = int32_of(object, "maxTokens", sampling.max_tokens);
  const Napi::Value seed = object.Get("seed");
  if (!seed.IsUndefined()) {
    if (!seed.IsBigInt()) refuse(env, "seed must be a bigint");
    bool lossless = true;
    sampling.seed = seed.As<Napi::BigInt>().Uint64Value(&lossless);
    if (!lossless) refuse(env, "seed must be an integer of 64 bits without sign");
  }
  sampling.presence_penalty = float_of(object, "presencePenalty", sampling.presence_penalty);
  sampling.frequency_penalty = float_of(object, "frequencyPenalty", sampling.frequency_penalty);
  sampling.repetition_penalty = float_of(object, "repetitionPenalty", sampling.repetition_penalty);
  if (!(sampling.repetition_penalty > 0)) refuse(env, "repetitionPenalty must be above 0");
  sampling.min_tokens = int32_of(object, "minTokens", sampling.min_tokens);
  sampling.ignore_eos = boolean_of(object, "ignoreEos");
  const Napi::Value stop = object.Get("stop");
  if (!stop.IsUndefined()) {
    if (!stop.IsArray()) refuse(env, "stop must be an array");
    const auto texts = stop.As<Napi::Array>();
    for (uint32_t i = 0; i < texts.Length(); i++) sampling.stop.push_back(text_argument(env, texts.Get(i), "stop"));
  }
  const Napi::Value schema = object.Get("jsonSchema");
  if (!schema.IsUndefined()) sampling.json_schema = text_argument(env, schema, "jsonSchema");
  const Napi::Value grammar = object.Get("grammar");
  if (!grammar.IsUndefined()) sampling.grammar = text_argument(env, grammar, "grammar");
  sampling.json_object = boolean_of(object, "jsonObject");
  return sampling;
}

}  // namespace onpar
