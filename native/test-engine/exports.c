// The functions of the ABI.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

static _Thread_local char last_error[512];

void clear_error(void) { memset(last_error, 0, sizeof last_error); }

int fail(int status, const char *message) {
  snprintf(last_error, sizeof last_error, "%s", message);
  return status;
}

#ifdef TEST_FOREIGN
EXPORT int something_else(void) { return 1; }
#else

EXPORT int32_t vllm_abi_version(void) { return TEST_REPORTED_ABI; }
EXPORT const char *vllm_version(void) { return "0.0.0+test-engine"; }
EXPORT const char *vllm_last_error(void) { return last_error; }

// Gives a structure by value whose size the caller cannot know: whoever calls it through this library has a fault.
EXPORT vllm_model_params vllm_model_params_default(void) { abort(); }

static int draft_budget_of(const vllm_model_params *params) {
#if TEST_ABI >= 6
  const char *at = params->speculative_config == NULL ? NULL : strstr(params->speculative_config, "\"num_speculative_tokens\":");
  return at == NULL ? 0 : atoi(at + strlen("\"num_speculative_tokens\":"));
#else
  (void)params;
  return 0;
#endif
}

EXPORT int32_t vllm_engine_load(const vllm_model_params *params, vllm_engine **out) {
  clear_error();
  if (out == NULL || params == NULL || params->model_path == NULL) return fail(VLLM_INVALID_ARGUMENT, "no model_path");
  *out = NULL;
  engine_script script;
  char error[256];
  if (!read_engine_script(params->model_path, &script, error, sizeof error)) return fail(VLLM_MODEL_LOAD, error);
  sleep_until(now_ns() + (uint64_t)script.load_ms * 1000000u);
  if (script.load_error[0] != '\0') return fail(VLLM_MODEL_LOAD, script.load_error);
  vllm_engine *engine = calloc(1, sizeof *engine);
  engine->script = script;
  engine->echo = echo_params(params);
  engine->context = params->max_model_len > 0 ? params->max_model_len : 4096;
  engine->slots = params->max_num_seqs > 0 ? params->max_num_seqs : 8;
  engine->draft_budget = draft_budget_of(params);
  pthread_mutex_init(&engine->mutex, NULL);
  pthread_cond_init(&engine->freed, NULL);
  *out = engine;
  return VLLM_OK;
}

EXPORT void vllm_engine_free(vllm_engine *engine) {
  if (engine == NULL) return;
  // The engine must outlive its requests.
  if (atomic_load(&engine->requests) != 0) abort();
  pthread_cond_destroy(&engine->freed);
  pthread_mutex_destroy(&engine->mutex);
  free(engine->echo);
  free(engine);
}

typedef struct vllm_request {
  vllm_engine *engine;
  generation generation;
  char *echo;
  vllm_token_callback callback;
  void *user_data;
  pthread_t thread;
  bool joined;
  atomic_bool cancelled;
  atomic_bool done;
  int status;
  const char *error;
} vllm_request;

// As the real library does it: a request that was cancelled or failed says nothing more.
static bool deliver(const char *piece, bool finished, void *data) {
  vllm_request *request = data;
  if (atomic_load(&request->cancelled)) return false;
  if (request->callback(piece, finished, request->user_data)) return true;
  atomic_store(&request->cancelled, true);
  return false;
}

static void *run_request(void *data) {
  vllm_request *request = data;
  request->status = run_generation(request->engine, &request->generation, request->echo, deliver, request,
                                   &request->cancelled, &request->error);
  atomic_store(&request->done, true);
  return NULL;
}

static char *echo_of(const vllm_engine *engine, const generation *g, const vllm_sampling_params *params) {
  if (g->script.echo == 'p') return strdup(engine->echo);
  return g->script.echo == 's' ? echo_sampling(params) : NULL;
}

#ifndef TEST_WITHOUT_SUBMIT
EXPORT int32_t vllm_request_submit(vllm_engine *engine, const char *prompt, const vllm_sampling_params *params,
                                   vllm_token_callback callback, void *user_data, vllm_request **out) {
  clear_error();
  *out = NULL;
  vllm_request *request = calloc(1, sizeof *request);
  const int status = begin_generation(engine, prompt, NULL, 0, params, &request->generation);
  if (status != VLLM_OK) {
    free(request);
    return status;
  }
  request->engine = engine;
  request->echo = echo_of(engine, &request->generation, params);
  request->callback = callback;
  request->user_data = user_data;
  request->error = "";
  if (pthread_create(&request->thread, NULL, run_request, request) != 0) {
    end_generation(&request->generation);
    free(request->echo);
    free(request);
    return fail(VLLM_RUNTIME, "no thread");
  }
  atomic_fetch_add(&engine->requests, 1);
  *out = request;
  return VLLM_OK;
}
#endif

EXPORT int32_t vllm_request_cancel(vllm_request *request) {
  clear_error();
  atomic_store(&request->cancelled, true);
  return VLLM_OK;
}

static void join(vllm_request *request) {
  if (!request->joined) pthread_join(request->thread, NULL);
  request->joined = true;
}

EXPORT int32_t vllm_request_wait(vllm_request *request) {
  clear_error();
  join(request);
  return request->status == VLLM_OK ? VLLM_OK : fail(request->status, request->error);
}

EXPORT bool vllm_request_done(const vllm_request *request) {
  clear_error();
  return request != NULL && atomic_load(&((vllm_request *)request)->done);
}

EXPORT const char *vllm_request_error(const vllm_request *request) { return request->error; }

EXPORT void vllm_request_free(vllm_request *request) {
  clear_error();
  if (request == NULL) return;
  atomic_store(&request->cancelled, true);
  join(request);
  atomic_fetch_sub(&request->engine->requests, 1);
  end_generation(&request->generation);
  free(request->echo);
  free(request);
}

EXPORT void vllm_string_free(char *text) { free(text); }

typedef struct {
  vllm_token_callback callback;
  void *user_data;
  int chunks;
} chat_state;

static bool chat_chunk(chat_state *chat, const char *key, const char *text, const char *reason) {
  char *json = NULL;
  const int length =
      asprintf(&json,
               "{\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"%s\":\"%s\"},"
               "\"finish_reason\":%s%s%s}]}",
               key, text, reason == NULL ? "" : "\"", reason == NULL ? "null" : reason, reason == NULL ? "" : "\"");
  if (length < 0) return false;
  const bool go_on = chat->callback(json, false, chat->user_data);
  memset(json, '!', (size_t)length);
  free(json);
  return go_on;
}

static bool deliver_chat(const char *piece, bool finished, void *data) {
  (void)finished;
  chat_state *chat = data;
  if (chat->chunks++ == 0 && !chat_chunk(chat, "role", "assistant", NULL)) return false;
  return piece[0] == '\0' || chat_chunk(chat, "content", piece, NULL);
}

EXPORT int32_t vllm_chat_stream(vllm_engine *engine, const char *request_json, vllm_token_callback callback,
                                void *user_data) {
  clear_error();
  if (request_json[0] != '{') return fail(VLLM_INVALID_ARGUMENT, "the request is not a JSON object");
  vllm_sampling_params params = {.repetition_penalty = 1, .top_p = 1, .max_tokens = 0};
  const char *cap = strstr(request_json, "\"max_tokens\":");
  if (cap != NULL) params.max_tokens = atoi(cap + strlen("\"max_tokens\":"));
  generation g;
  const int status = begin_generation(engine, request_json, NULL, 0, &params, &g);
  if (status != VLLM_OK) return status;
  chat_state chat = {callback, user_data, 0};
  const char *error = "";
  const int ran = run_generation(engine, &g, NULL, deliver_chat, &chat, NULL, &error);
  if (ran == VLLM_OK && g.finish_reason != NULL) {
    bool go_on = chat_chunk(&chat, "content", "", g.finish_reason);
    if (go_on && strstr(request_json, "\"include_usage\":true") != NULL) {
      char usage[160];
      snprintf(usage, sizeof usage,
               "{\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"total_tokens\":%d}}",
               g.prompt_tokens, g.output_tokens, g.prompt_tokens + g.output_tokens);
      go_on = callback(usage, false, user_data);
    }
    if (go_on) callback("", true, user_data);
  }
  end_generation(&g);
  return ran == VLLM_OK ? VLLM_OK : fail(ran, error);
}

#if TEST_ABI >= 13
static bool keep_going(const char *piece, bool finished, void *data) {
  (void)piece;
  (void)finished;
  (void)data;
  return true;
}

EXPORT int32_t vllm_complete_tokens(vllm_engine *engine, const int32_t *prompt, int32_t n_prompt,
                                    const vllm_sampling_params *params, int32_t *out_tokens, int32_t capacity,
                                    int32_t *n_out, vllm_completion *out) {
  clear_error();
  *n_out = 0;
  generation g;
  const int status = begin_generation(engine, NULL, prompt, n_prompt, params, &g);
  if (status != VLLM_OK) return status;
  g.token_ids = out_tokens;
  g.token_capacity = capacity;
  const char *error = "";
  const int ran = run_generation(engine, &g, NULL, keep_going, NULL, NULL, &error);
  *n_out = g.output_tokens < capacity ? g.output_tokens : capacity;
  if (out != NULL) {
    out->text = strdup(g.output.bytes == NULL ? "" : g.output.bytes);
    out->finish_reason = g.finish_reason;
    out->prompt_tokens = g.prompt_tokens;
    out->completion_tokens = g.output_tokens;
  }
  end_generation(&g);
  return ran == VLLM_OK ? VLLM_OK : fail(ran, error);
}
#endif

EXPORT void vllm_completion_free(vllm_completion *out) {
  if (out == NULL) return;
  free(out->text);
  memset(out, 0, sizeof *out);
}

#if TEST_ABI >= 25
EXPORT int32_t vllm_engine_spec_acceptance(const vllm_engine *engine, vllm_spec_acceptance *out) {
  clear_error();
  vllm_engine *counted = (vllm_engine *)engine;
  out->drafts_proposed = atomic_load(&counted->proposed);
  out->drafts_accepted = atomic_load(&counted->accepted);
  out->drafted_request_steps = atomic_load(&counted->steps);
  return VLLM_OK;
}
#endif

#endif
