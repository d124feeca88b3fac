// The C ABI at the version TEST_ABI, written as a C compiler sees it: an independent witness of the layouts.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifndef TEST_ABI
#error "TEST_ABI: the version of the ABI to build, 5 to 30"
#endif
#ifndef TEST_REPORTED_ABI
#define TEST_REPORTED_ABI TEST_ABI
#endif

#define EXPORT __attribute__((visibility("default")))

enum { VLLM_OK = 0, VLLM_INVALID_ARGUMENT = 1, VLLM_MODEL_LOAD = 2, VLLM_RUNTIME = 3, VLLM_UNKNOWN = 4 };

typedef struct {
  const char *model_path;
  const char *tokenizer_config_path;
  int32_t block_size;
  int32_t num_blocks;
  int32_t max_model_len;
  int32_t max_num_seqs;
  const char *tool_parser;
  const char *reasoning_parser;
#if TEST_ABI >= 6
  const char *speculative_config;
#endif
#if TEST_ABI >= 7
  int32_t enable_prefix_caching;
#endif
#if TEST_ABI >= 9
  int32_t max_num_batched_tokens;
  const char *scheduling_policy;
  const char *kv_transfer_config;
#endif
#if TEST_ABI >= 21
  const char *offload_config;
#endif
#if TEST_ABI >= 10
  int32_t enable_jump_forward;
#endif
#if TEST_ABI >= 26
  int32_t disable_sliding_window;
#endif
#if TEST_ABI >= 14
  int32_t device;
#endif
#if TEST_ABI >= 16
  double gpu_memory_utilization;
  int64_t kv_cache_memory_bytes;
#endif
#if TEST_ABI >= 19
  int32_t language_model_only;
  const char *limit_mm_per_prompt;
#endif
#if TEST_ABI >= 22
  const char *mmproj_path;
#endif
#if TEST_ABI >= 24
  const char *kv_cache_dtype;
#endif
} vllm_model_params;

typedef struct {
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
  const char *const *stop;
  int32_t n_stop;
  const char *structured_json;
  const char *structured_regex;
  const char *const *structured_choice;
  int32_t n_structured_choice;
  const char *structured_grammar;
  int32_t structured_json_object;
#if TEST_ABI >= 8
  void *logits_processor;
  void *logits_processor_user_data;
#endif
} vllm_sampling_params;

typedef struct {
  char *text;
  const char *finish_reason;
  int32_t prompt_tokens;
  int32_t completion_tokens;
} vllm_completion;

typedef struct {
  int64_t drafts_proposed;
  int64_t drafts_accepted;
  int64_t drafted_request_steps;
} vllm_spec_acceptance;

typedef bool (*vllm_token_callback)(const char *delta, bool finished, void *user_data);
