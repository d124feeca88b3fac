// Runs one generation by its timetable.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"

uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sleep_until(uint64_t at_ns) {
  for (;;) {
    const uint64_t now = now_ns();
    if (now >= at_ns) return;
    const uint64_t left = at_ns - now;
    const struct timespec pause = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    nanosleep(&pause, NULL);
  }
}

int begin_generation(vllm_engine *engine, const char *text, const int32_t *tokens, int n_tokens,
                     const vllm_sampling_params *params, generation *g) {
  memset(g, 0, sizeof *g);
  if (!(params->repetition_penalty > 0)) return fail(VLLM_INVALID_ARGUMENT, "repetition_penalty must be above 0");
  g->script = text != NULL ? read_request_script(text) : read_request_script("");
  g->prompt_tokens = text != NULL ? count_words(text) : n_tokens;
  if (g->prompt_tokens < 1) return fail(VLLM_INVALID_ARGUMENT, "the prompt is empty");
  if (g->prompt_tokens >= engine->context) return fail(VLLM_INVALID_ARGUMENT, "the prompt is longer than max_model_len");
  for (int i = 0; i < n_tokens; i++) {
    if (tokens[i] < 0 || tokens[i] >= VOCABULARY) return fail(VLLM_INVALID_ARGUMENT, "a token is not in the vocabulary");
  }
  if (g->script.refuse) return fail(VLLM_RUNTIME, "the request is refused, as its prompt asks");
  static atomic_ullong unseeded = 1;
  g->hash = 1469598103934665603u;
  if (text != NULL) g->hash = hash_bytes(g->hash, text, strlen(text));
  if (tokens != NULL) g->hash = hash_bytes(g->hash, tokens, (size_t)n_tokens * sizeof *tokens);
  if (params->temperature > 0) {
    const uint64_t seed = params->has_seed ? params->seed : atomic_fetch_add(&unseeded, 1);
    g->hash = hash_bytes(g->hash, &seed, sizeof seed);
  }
  g->eos_at = g->script.tokens >= 0 ? g->script.tokens : 12 + (int)((g->hash >> 8) % 20);
  g->context_left = engine->context - g->prompt_tokens;
  g->draft_budget = engine->draft_budget;
  g->engine = &engine->script;
  g->rules = copy_rules(params);
  return VLLM_OK;
}

void end_generation(generation *g) {
  free_rules(&g->rules);
  free(g->output.bytes);
}

static void take_slot(vllm_engine *engine) {
  pthread_mutex_lock(&engine->mutex);
  const long ticket = engine->next_ticket++;
  while (engine->running >= engine->slots || ticket != engine->served_ticket) {
    pthread_cond_wait(&engine->freed, &engine->mutex);
  }
  engine->served_ticket++;
  engine->running++;
  pthread_cond_broadcast(&engine->freed);
  pthread_mutex_unlock(&engine->mutex);
}

static void free_slot(vllm_engine *engine) {
  pthread_mutex_lock(&engine->mutex);
  engine->running--;
  pthread_cond_broadcast(&engine->freed);
  pthread_mutex_unlock(&engine->mutex);
}

static bool is_cancelled(atomic_bool *cancelled) { return cancelled != NULL && atomic_load(cancelled); }

// The text is gone as soon as the callback returns: whoever keeps the pointer reads rubbish.
static bool tell(piece_callback callback, void *data, const char *piece, bool finished) {
  char *copy = strdup(piece);
  const bool go_on = callback(copy, finished, data);
  memset(copy, '!', strlen(copy));
  free(copy);
  return go_on;
}

static int run_steps(vllm_engine *engine, generation *g, const char *echo, piece_callback callback, void *data,
                     atomic_bool *cancelled, const char **error) {
  if (echo != NULL) {
    g->finish_reason = "stop";
    tell(callback, data, echo, true);
    return VLLM_OK;
  }
  const int step_us = g->script.step_us >= 0 ? g->script.step_us : engine->script.step_us;
  const uint64_t start = now_ns();
  while (g->finish_reason == NULL && !is_cancelled(cancelled)) {
    if (step_us > 0) sleep_until(start + (uint64_t)(g->step + 1) * (uint64_t)step_us * 1000u);
    if (g->script.fail == g->step) {
      *error = "the request failed, as its prompt asks";
      return VLLM_RUNTIME;
    }
    while (g->script.stall == g->step && !is_cancelled(cancelled)) sleep_until(now_ns() + 200000u);
    if (is_cancelled(cancelled)) break;
    drafts drafts;
    char *piece = next_piece(g, &drafts);
    if (drafts.proposed > 0) {
      atomic_fetch_add(&engine->proposed, drafts.proposed);
      atomic_fetch_add(&engine->accepted, drafts.accepted);
      atomic_fetch_add(&engine->steps, 1);
    }
    bool go_on;
    if (g->script.stamp || g->script.bad) {
      char text[64];
      if (g->script.stamp) snprintf(text, sizeof text, "%" PRIu64 " ", now_ns());
      else snprintf(text, sizeof text, "a\xC3(\xF0\x9F\x99z\xFF ");
      go_on = tell(callback, data, text, g->finish_reason != NULL);
    } else {
      go_on = tell(callback, data, piece, g->finish_reason != NULL);
    }
    free(piece);
    if (!go_on) break;
  }
  if (g->finish_reason == NULL && g->script.hold_ms > 0) {
    sleep_until(now_ns() + (uint64_t)g->script.hold_ms * 1000000u);
  }
  return VLLM_OK;
}

int run_generation(vllm_engine *engine, generation *g, const char *echo, piece_callback callback, void *data,
                   atomic_bool *cancelled, const char **error) {
  take_slot(engine);
  const int status = run_steps(engine, g, echo, callback, data, cancelled, error);
  free_slot(engine);
  return status;
}
