// The deterministic generator: which tokens follow a prompt, where they end, and what was accepted on the way.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "script.h"
#include "vllm_abi.h"

#define VOCABULARY 1001
#define EOS 1000

typedef struct {
  char *bytes;
  size_t length;
  size_t capacity;
} text_buffer;

void append(text_buffer *buffer, const char *bytes, size_t length);

// The limits and rules of one request, copied from its parameters.
typedef struct {
  int max_tokens;
  int min_tokens;
  bool ignore_eos;
  bool json;
  char **stop;
  int n_stop;
} rules;

typedef struct {
  request_script script;
  rules rules;
  uint64_t hash;
  int prompt_tokens;
  int context_left;
  int eos_at;
  int draft_budget;
  const engine_script *engine;
  // How far it is.
  int step;
  int output_tokens;
  text_buffer output;
  size_t shown;
  const char *finish_reason;
  int32_t *token_ids;
  int token_capacity;
} generation;

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length);
int count_words(const char *text);
rules copy_rules(const vllm_sampling_params *params);
void free_rules(rules *rules);

// Draft tokens proposed and accepted in the step that was made.
typedef struct {
  int proposed;
  int accepted;
} drafts;

// One step: the tokens it adds, and the piece of text that may be shown after it, which the caller frees.
char *next_piece(generation *generation, drafts *drafts);
