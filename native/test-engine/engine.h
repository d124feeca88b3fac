// What the files of the engine share.
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "generator.h"

typedef struct vllm_engine {
  engine_script script;
  char *echo;  // the load parameters as JSON
  int context;
  int draft_budget;
  // Requests take turns: as many run as there are slots.
  pthread_mutex_t mutex;
  pthread_cond_t freed;
  int slots;
  int running;
  long next_ticket;
  long served_ticket;
  atomic_int requests;
  atomic_llong proposed;
  atomic_llong accepted;
  atomic_llong steps;
} vllm_engine;

// Every call of the ABI begins with it: an error lasts until the next call on its thread.
void clear_error(void);
int fail(int status, const char *message);

uint64_t now_ns(void);
void sleep_until(uint64_t at_ns);

char *echo_params(const vllm_model_params *params);
char *echo_sampling(const vllm_sampling_params *params);

// Tells a piece of an output; false ends it.
typedef bool (*piece_callback)(const char *piece, bool finished, void *data);

// Makes a generation of what was asked for; 0, or a status with its error set.
int begin_generation(vllm_engine *engine, const char *text, const int32_t *tokens, int n_tokens,
                     const vllm_sampling_params *params, generation *generation);
// Runs it to its end and tells every piece. `cancelled` may be null. 0, or a status with `error` set.
int run_generation(vllm_engine *engine, generation *generation, const char *echo, piece_callback callback, void *data,
                   atomic_bool *cancelled, const char **error);
void end_generation(generation *generation);
