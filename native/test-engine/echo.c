// What arrived, as JSON: what a test compares with what it sent.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

static void put(text_buffer *out, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void put(text_buffer *out, const char *name, const char *format, ...) {
  char *value = NULL;
  va_list args;
  va_start(args, format);
  const int length = vasprintf(&value, format, args);
  va_end(args);
  if (length < 0) return;
  append(out, out->length <= 1 ? "\"" : ",\"", out->length <= 1 ? 1 : 2);
  append(out, name, strlen(name));
  append(out, "\":", 2);
  append(out, value, (size_t)length);
  free(value);
}

static void put_text(text_buffer *out, const char *name, const char *text) {
  if (text == NULL) {
    put(out, name, "null");
    return;
  }
  text_buffer escaped = {0};
  append(&escaped, "", 0);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') append(&escaped, "\\", 1);
    append(&escaped, text, 1);
  }
  put(out, name, "\"%s\"", escaped.bytes);
  free(escaped.bytes);
}

char *echo_params(const vllm_model_params *p) {
  text_buffer out = {0};
  append(&out, "{", 1);
  put_text(&out, "model_path", p->model_path);
  put_text(&out, "tokenizer_config_path", p->tokenizer_config_path);
  put(&out, "block_size", "%d", p->block_size);
  put(&out, "num_blocks", "%d", p->num_blocks);
  put(&out, "max_model_len", "%d", p->max_model_len);
  put(&out, "max_num_seqs", "%d", p->max_num_seqs);
  put_text(&out, "tool_parser", p->tool_parser);
  put_text(&out, "reasoning_parser", p->reasoning_parser);
#if TEST_ABI >= 6
  put_text(&out, "speculative_config", p->speculative_config);
#endif
#if TEST_ABI >= 7
  put(&out, "enable_prefix_caching", "%d", p->enable_prefix_caching);
#endif
#if TEST_ABI >= 9
  put(&out, "max_num_batched_tokens", "%d", p->max_num_batched_tokens);
  put_text(&out, "scheduling_policy", p->scheduling_policy);
  put_text(&out, "kv_transfer_config", p->kv_transfer_config);
#endif
#if TEST_ABI >= 21
  put_text(&out, "offload_config", p->offload_config);
#endif
#if TEST_ABI >= 10
  put(&out, "enable_jump_forward", "%d", p->enable_jump_forward);
#endif
#if TEST_ABI >= 26
  put(&out, "disable_sliding_window", "%d", p->disable_sliding_window);
#endif
#if TEST_ABI >= 14
  put(&out, "device", "%d", p->device);
#endif
#if TEST_ABI >= 16
  put(&out, "gpu_memory_utilization", "%.17g", p->gpu_memory_utilization);
  put(&out, "kv_cache_memory_bytes", "%lld", (long long)p->kv_cache_memory_bytes);
#endif
#if TEST_ABI >= 19
  put(&out, "language_model_only", "%d", p->language_model_only);
  put_text(&out, "limit_mm_per_prompt", p->limit_mm_per_prompt);
#endif
#if TEST_ABI >= 22
  put_text(&out, "mmproj_path", p->mmproj_path);
#endif
#if TEST_ABI >= 24
  put_text(&out, "kv_cache_dtype", p->kv_cache_dtype);
#endif
  put(&out, "sizeof", "%zu", sizeof *p);
  append(&out, "}", 1);
  return out.bytes;
}

char *echo_sampling(const vllm_sampling_params *p) {
  text_buffer out = {0};
  append(&out, "{", 1);
  put(&out, "temperature", "%.9g", (double)p->temperature);
  put(&out, "top_p", "%.9g", (double)p->top_p);
  put(&out, "top_k", "%d", p->top_k);
  put(&out, "min_p", "%.9g", (double)p->min_p);
  put(&out, "max_tokens", "%d", p->max_tokens);
  put(&out, "seed", "\"%llu\"", (unsigned long long)p->seed);
  put(&out, "has_seed", "%d", p->has_seed);
  put(&out, "presence_penalty", "%.9g", (double)p->presence_penalty);
  put(&out, "frequency_penalty", "%.9g", (double)p->frequency_penalty);
  put(&out, "repetition_penalty", "%.9g", (double)p->repetition_penalty);
  put(&out, "min_tokens", "%d", p->min_tokens);
  put(&out, "ignore_eos", "%d", p->ignore_eos);
  put(&out, "n_stop", "%d", p->n_stop);
  put_text(&out, "first_stop", p->n_stop > 0 ? p->stop[0] : NULL);
  put_text(&out, "structured_json", p->structured_json);
  put_text(&out, "structured_grammar", p->structured_grammar);
  put(&out, "structured_json_object", "%d", p->structured_json_object);
#if TEST_ABI >= 8
  put(&out, "logits_processor", "%d", p->logits_processor != NULL);
#endif
  append(&out, "}", 1);
  return out.bytes;
}
