// JavaScript values as the engine takes them; a value of another kind throws a JavaScript TypeError.
#pragma once

#include <napi.h>

#include <map>
#include <string>
#include <vector>

#include "model_params.h"
#include "sampling.h"

namespace onpar {

// A text without NUL: the library's texts end at one.
std::string text_argument(Napi::Env env, const Napi::Value& value, const char* name);

uint32_t id_argument(Napi::Env env, const Napi::Value& value);

std::vector<int32_t> tokens_argument(Napi::Env env, const Napi::Value& value, const char* name);

std::map<std::string, ParamValue> params_argument(Napi::Env env, const Napi::Value& value);

Sampling sampling_argument(Napi::Env env, const Napi::Value& value);

}  // namespace onpar
