// The part of libvllm's C ABI that is used here, declared by what the ABI fixes: names, argument types, layouts. The
// library is opened at run time, so nothing of it is needed to build this.
#pragma once

#include <cstdint>

namespace onpar {

// Versions that this code knows. Newer libraries are tried: their structures grow in ways that zeroes leave switched off.
inline constexpr int32_t kOldestAbi = 5;
inline constexpr int32_t kNewestAbi = 30;

struct EngineHandle;
struct RequestHandle;

enum Status : int32_t { kOk = 0, kInvalidArgument = 1, kModelLoad = 2, kRuntime = 3, kUnknown = 4 };

// Version 8's layout; older libraries read a beginning of it.
struct AbiSampling {
  float temperature;
  float top_p;
  int32_t top_k;
  float min_p;
  int32_t max_tokens;
  uint64_t seed;
  int32_t has_seed;
  float presence_penalty;
  float frequency_penalty;
  float repetition_penalty;
  int32_t min_tokens;
  int32_t ignore_eos;
  const char* const* stop;
  int32_t n_stop;
  const char* structured_json;
  const char* structured_regex;
  const char* const* structured_choice;
  int32_t n_structured_choice;
  const char* structured_grammar;
  int32_t structured_json_object;
  void* logits_processor;
  void* logits_processor_user_data;
  // Room for fields that later versions may append.
  uint8_t reserved[256];
};

struct AbiCompletion {
  char* text;
  const char* finish_reason;
  int32_t prompt_tokens;
  int32_t completion_tokens;
};

struct AbiSpecAcceptance {
  int64_t drafts_proposed;
  int64_t drafts_accepted;
  int64_t drafted_request_steps;
};

using DeltaCallback = bool (*)(const char* delta, bool finished, void* user_data);

// Every function of the library that is called. Null: the library does not have it.
struct AbiFunctions {
  int32_t (*abi_version)();
  const char* (*version)();
  const char* (*last_error)();
  int32_t (*engine_load)(const void* params, EngineHandle** out);
  void (*engine_free)(EngineHandle*);
  int32_t (*request_submit)(EngineHandle*, const char* prompt, const AbiSampling*, DeltaCallback, void* user_data,
                            RequestHandle** out);
  int32_t (*request_cancel)(RequestHandle*);
  int32_t (*request_wait)(RequestHandle*);
  bool (*request_done)(const RequestHandle*);
  void (*request_free)(RequestHandle*);
  // From here on a library may lack what its version does not have yet.
  int32_t (*chat_stream)(EngineHandle*, const char* request_json, DeltaCallback, void* user_data);
  int32_t (*complete_tokens)(EngineHandle*, const int32_t* prompt, int32_t n_prompt, const AbiSampling*,
                             int32_t* out_tokens, int32_t capacity, int32_t* n_out, AbiCompletion* out);
  void (*completion_free)(AbiCompletion*);
  int32_t (*spec_acceptance)(const EngineHandle*, AbiSpecAcceptance*);
};

}  // namespace onpar
