#include "script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_accept(engine_script *script, const char *list) {
  script->n_accept = 0;
  while (*list != '\0' && script->n_accept < MAX_ACCEPT) {
    char *end;
    script->accept[script->n_accept++] = (int)strtol(list, &end, 10);
    list = *end == ',' ? end + 1 : "";
  }
}

bool read_engine_script(const char *model_path, engine_script *script, char *error, int error_size) {
  memset(script, 0, sizeof *script);
  script->accept[0] = 2;
  script->n_accept = 1;
  char path[4096];
  snprintf(path, sizeof path, "%s/test-engine.txt", model_path);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    snprintf(error, (size_t)error_size, "no test-engine.txt in %.180s", model_path);
    return false;
  }
  char line[512];
  bool first = true;
  bool valid = false;
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\r\n")] = '\0';
    if (first) valid = strcmp(line, "test-engine") == 0;
    first = false;
    if (strncmp(line, "load_ms=", 8) == 0) script->load_ms = atoi(line + 8);
    if (strncmp(line, "load_error=", 11) == 0) snprintf(script->load_error, sizeof script->load_error, "%.250s", line + 11);
    if (strncmp(line, "step_us=", 8) == 0) script->step_us = atoi(line + 8);
    if (strncmp(line, "accept=", 7) == 0) read_accept(script, line + 7);
  }
  fclose(file);
  if (!valid) snprintf(error, (size_t)error_size, "%.180s/test-engine.txt is corrupt", model_path);
  return valid;
}

request_script read_request_script(const char *prompt) {
  request_script script = {.tokens = -1, .step_us = -1, .fail = -1, .stall = -1};
  const char *at = strstr(prompt, "@{");
  if (at == NULL) return script;
  at += 2;
  while (*at != '\0' && *at != '}') {
    char key[16];
    char value[32];
    int used = 0;
    if (sscanf(at, " %15[a-z]=%31[0-9a-z]%n", key, value, &used) != 2 || used == 0) break;
    at += used;
    const int number = atoi(value);
    if (strcmp(key, "tokens") == 0) script.tokens = number;
    if (strcmp(key, "us") == 0) script.step_us = number;
    if (strcmp(key, "fail") == 0) script.fail = number;
    if (strcmp(key, "stall") == 0) script.stall = number;
    if (strcmp(key, "hold") == 0) script.hold_ms = number;
    if (strcmp(key, "refuse") == 0) script.refuse = number != 0;
    if (strcmp(key, "stamp") == 0) script.stamp = number != 0;
    if (strcmp(key, "bad") == 0) script.bad = number != 0;
    if (strcmp(key, "echo") == 0) script.echo = value[0];
  }
  return script;
}
