// What a test tells the engine to do: for all requests in a file of the model folder, for one in its prompt.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MAX_ACCEPT 64

// Lines `key=value` of test-engine.txt.
typedef struct {
  int load_ms;           // time that loading takes
  char load_error[256];  // loading fails with this
  int step_us;           // time between steps, in microseconds
  int accept[MAX_ACCEPT];  // draft tokens accepted in each step of a request, over and over
  int n_accept;
} engine_script;

// `@{key=value key=value}` anywhere in a prompt.
typedef struct {
  int tokens;   // index of EOS; -1: from the prompt's hash
  int step_us;  // -1: the engine's
  int fail;     // the step at which the request fails; -1: never
  int stall;    // the step from which it waits for its cancellation; -1: never
  int hold_ms;  // time that a cancellation takes
  bool refuse;  // submitting fails
  bool stamp;   // the text of each step is the time just before it is delivered, ns
  bool bad;     // the text is not UTF-8
  char echo;    // 'p': the text is the load parameters, 's': the sampling parameters
} request_script;

// False with a message when there is no such folder or its file is not a script.
bool read_engine_script(const char *model_path, engine_script *script, char *error, int error_size);

request_script read_request_script(const char *prompt);
