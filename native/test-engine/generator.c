#include "generator.h"

#include <stdlib.h>
#include <string.h>

// Words with characters of one to four bytes.
static const char *const WORDS[] = {
    "amber ", "brook ",  "cedar ", "dune ",  "ember ", "fjord ",  "grove ", "heath ",
    "inlet ", "juniper ", "kelp ",  "lichen ", "marsh ", "na\xC3\xAFve ", "oak ",   "pebble ",
    "quartz ", "ridge ", "slate ", "thorn ", "umber ", "vale ", "\xE6\xBC\xA2\xE5\xAD\x97 ", "yarrow ",
    "zephyr ", "\xF0\x9F\x99\x82 ", "birch ", "clover ", "delta ", "elm ", "fern ", "glen ",
};

void append(text_buffer *buffer, const char *bytes, size_t length) {
  if (buffer->length + length + 1 > buffer->capacity) {
    buffer->capacity = (buffer->length + length + 1) * 2;
    buffer->bytes = realloc(buffer->bytes, buffer->capacity);
  }
  memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
  buffer->bytes[buffer->length] = '\0';
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < length; i++) hash = (hash ^ at[i]) * 1099511628211u;
  return hash;
}

int count_words(const char *text) {
  int words = 0;
  bool inside = false;
  for (; *text != '\0'; text++) {
    const bool space = *text == ' ' || *text == '\n' || *text == '\t';
    if (!space && !inside) words++;
    inside = !space;
  }
  return words;
}

rules copy_rules(const vllm_sampling_params *params) {
  rules copy = {
      .max_tokens = params->max_tokens <= 0 ? 1000000 : params->max_tokens,
      .min_tokens = params->min_tokens,
      .ignore_eos = params->ignore_eos != 0,
      .json = params->structured_json != NULL || params->structured_json_object != 0,
      .n_stop = params->n_stop,
  };
  copy.stop = calloc((size_t)copy.n_stop + 1, sizeof *copy.stop);
  for (int i = 0; i < copy.n_stop; i++) copy.stop[i] = strdup(params->stop[i]);
  return copy;
}

void free_rules(rules *rules) {
  for (int i = 0; i < rules->n_stop; i++) free(rules->stop[i]);
  free(rules->stop);
}

static int token_at(const generation *g, int index) {
  if (index == g->eos_at) return EOS;
  const uint64_t hash = hash_bytes(g->hash, &index, sizeof index);
  return (int)((hash >> 20) % EOS);
}

// Length of the output before the first stop string; -1 when there is none.
static long find_stop(const generation *g) {
  long first = -1;
  for (int i = 0; i < g->rules.n_stop; i++) {
    const char *found = g->output.bytes == NULL ? NULL : strstr(g->output.bytes + g->shown, g->rules.stop[i]);
    if (found == NULL) continue;
    const long at = found - g->output.bytes;
    if (first < 0 || at < first) first = at;
  }
  return first;
}

// Adds one token; true when the output ends with it.
static bool add_token(generation *g) {
  const int token = token_at(g, g->output_tokens);
  if (g->token_ids != NULL && g->output_tokens < g->token_capacity) g->token_ids[g->output_tokens] = token;
  g->output_tokens++;
  const bool may_end = g->output_tokens > g->rules.min_tokens;
  if (token != EOS) {
    const char *word = WORDS[(size_t)token % (sizeof WORDS / sizeof *WORDS)];
    append(&g->output, word, strlen(word));
  } else if (!g->rules.ignore_eos && may_end) {
    g->finish_reason = "stop";
    return true;
  }
  const long stop = may_end ? find_stop(g) : -1;
  if (stop >= 0) {
    g->output.length = (size_t)stop;
    g->output.bytes[stop] = '\0';
    g->finish_reason = "stop";
    return true;
  }
  if (g->output_tokens >= g->rules.max_tokens || g->output_tokens >= g->context_left) {
    g->finish_reason = "length";
    return true;
  }
  return false;
}

// Bytes that may be shown: a tail that could become a stop string is held back.
static size_t showable(const generation *g) {
  if (g->finish_reason != NULL || g->rules.n_stop == 0) return g->output.length;
  size_t longest = 1;
  for (int i = 0; i < g->rules.n_stop; i++) {
    const size_t length = strlen(g->rules.stop[i]);
    if (length > longest) longest = length;
  }
  size_t end = g->output.length > longest - 1 ? g->output.length - (longest - 1) : 0;
  while (end > 0 && end < g->output.length && ((unsigned char)g->output.bytes[end] & 0xC0u) == 0x80u) end--;
  return end > g->shown ? end : g->shown;
}

char *next_piece(generation *g, drafts *drafts) {
  drafts->proposed = 0;
  drafts->accepted = 0;
  if (g->rules.json) {
    g->output_tokens = 1;
    g->finish_reason = "stop";
    append(&g->output, "{\"answer\":1}", 12);
  } else {
    // The first step reads the prompt and gives one token; one of each later step is the target's own.
    const int left = g->rules.max_tokens - g->output_tokens;
    if (g->step > 0 && g->draft_budget > 0 && left > 1) {
      drafts->proposed = left - 1 < g->draft_budget ? left - 1 : g->draft_budget;
      const int wanted = g->engine->accept[(g->step - 1) % g->engine->n_accept];
      drafts->accepted = wanted < drafts->proposed ? wanted : drafts->proposed;
    }
    for (int i = 0; i <= drafts->accepted; i++) {
      if (add_token(g)) break;
    }
  }
  g->step++;
  const size_t end = showable(g);
  char *piece = malloc(end - g->shown + 1);
  if (end > g->shown) memcpy(piece, g->output.bytes + g->shown, end - g->shown);
  piece[end - g->shown] = '\0';
  g->shown = end;
  return piece;
}
