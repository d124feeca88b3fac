/** Answers of servers as they write them: the bytes of one stream, and what is to be read from it. */
export interface WireAnswer {
  readonly endpoint: "responses" | "llama-completion" | "sglang-generate" | "ollama-chat";
  readonly name: string;
  readonly stream: string;
  readonly whole: unknown;
  readonly content: string;
  readonly reasoning?: string;
  readonly finish: { readonly raw: string; readonly reason: string };
  readonly usage: Readonly<Record<string, number | null>>;
  readonly drafts?: { readonly draftTokens: number; readonly acceptedTokens: number };
  /** Tokens of the chunks, where they tell them. */
  readonly chunkTokens?: readonly (number | null)[] | null;
}

const sse = (...events: readonly unknown[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
type NamedEvent = { readonly type: string } & Readonly<Record<string, unknown>>;
const named = (...events: readonly NamedEvent[]): string =>
  events
    .map((event, index) => ({ ...event, sequence_number: index }))
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
const lines = (...documents: readonly unknown[]): string =>
  documents.map((document) => `${JSON.stringify(document)}\n`).join("");

const timings = {
  cache_n: 2,
  prompt_n: 5,
  predicted_n: 4,
  predicted_ms: 9.5,
  draft_n: 6,
  draft_n_accepted: 2,
};
const llamaEnd = {
  index: 0,
  content: "",
  tokens: [],
  id_slot: 0,
  stop: true,
  model: "m",
  tokens_predicted: 4,
  tokens_evaluated: 7,
  stop_type: "limit",
  stopping_word: "",
  tokens_cached: 10,
  truncated: false,
  timings,
};
const llamaPart = (content: string, predicted: number): unknown => ({
  index: 0,
  content,
  tokens: [],
  stop: false,
  id_slot: 0,
  tokens_predicted: predicted,
  tokens_evaluated: 7,
});

const sglang = (text: string, tokens: number, finish: unknown, more: object = {}): unknown => ({
  text,
  output_ids: Array.from({ length: tokens }, (_, index) => index + 10),
  meta_info: {
    id: "r1",
    finish_reason: finish,
    prompt_tokens: 7,
    completion_tokens: tokens,
    cached_tokens: 1,
    weight_version: "default",
    ...more,
  },
});
const sglangEnd = { spec_verify_ct: 2, spec_accepted_drafts: 2, spec_proposed_drafts: 6, e2e_latency: 0.1 };

const ollamaPart = (message: object): unknown => ({
  model: "m",
  created_at: "2026-08-21T10:00:00.000000Z",
  message: { role: "assistant", ...message },
  done: false,
});
const ollamaEnd = {
  model: "m",
  created_at: "2026-08-21T10:00:01.000000Z",
  message: { role: "assistant", content: "" },
  done: true,
  done_reason: "stop",
  total_duration: 1_234_567,
  prompt_eval_count: 7,
  prompt_eval_duration: 1000,
  eval_count: 4,
  eval_duration: 2000,
};

const response = (status: string, more: object = {}): object => ({
  id: "resp_1",
  object: "response",
  status,
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
  ...more,
});
const responseUsage = {
  input_tokens: 7,
  input_tokens_details: { cached_tokens: 2 },
  output_tokens: 6,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 13,
};

export const wireAnswers: readonly WireAnswer[] = [
  {
    endpoint: "llama-completion",
    name: "llama.cpp, cut by the cap, with drafts",
    stream: sse(llamaPart("Gr", 1), llamaPart("üß ", 2), llamaPart("\ud83d\ude00.", 4), llamaEnd),
    whole: { ...llamaEnd, content: "Grüß \ud83d\ude00." },
    content: "Grüß \ud83d\ude00.",
    finish: { raw: "limit", reason: "length" },
    usage: { promptTokens: 7, completionTokens: 4, cachedPromptTokens: 2 },
    drafts: { draftTokens: 6, acceptedTokens: 2 },
    chunkTokens: [1, 1, 2, 0],
  },
  {
    endpoint: "llama-completion",
    name: "llama.cpp before stop_type",
    stream: sse(llamaPart("a", 1), { content: "", stop: true, stopped_eos: true, tokens_predicted: 1 }),
    whole: { content: "a", stop: true, stopped_eos: true, tokens_predicted: 1, tokens_evaluated: 7 },
    content: "a",
    finish: { raw: "stopped_eos", reason: "eos" },
    usage: { promptTokens: 7, completionTokens: 1, cachedPromptTokens: null },
  },
  {
    endpoint: "sglang-generate",
    name: "SGLang, the whole text each time",
    stream: `${sse(
      sglang("Gr", 1, null),
      sglang("Grüß ", 2, null),
      sglang("Grüß \ud83d\ude00.", 4, { type: "stop", matched: 2 }, sglangEnd),
    )}data: [DONE]\n\n`,
    whole: sglang("Grüß \ud83d\ude00.", 4, { type: "stop", matched: 2 }, sglangEnd),
    content: "Grüß \ud83d\ude00.",
    finish: { raw: "stop", reason: "eos" },
    usage: { promptTokens: 7, completionTokens: 4, cachedPromptTokens: 1 },
    drafts: { draftTokens: 6, acceptedTokens: 2 },
    chunkTokens: [1, 1, 2, null],
  },
  {
    endpoint: "sglang-generate",
    name: "SGLang, the same piece twice, in whole texts without ids",
    stream: `${sse(
      { text: "ha", meta_info: { completion_tokens: 1, prompt_tokens: 7, finish_reason: null } },
      {
        text: "haha",
        meta_info: { completion_tokens: 2, prompt_tokens: 7, finish_reason: { type: "length", length: 2 } },
      },
    )}data: [DONE]\n\n`,
    whole: {
      text: "haha",
      meta_info: { completion_tokens: 2, prompt_tokens: 7, finish_reason: { type: "length", length: 2 } },
    },
    content: "haha",
    finish: { raw: "length", reason: "length" },
    usage: { promptTokens: 7, completionTokens: 2, cachedPromptTokens: null },
  },
  {
    endpoint: "sglang-generate",
    name: "SGLang, increments",
    stream: `${sse(
      {
        text: "ha",
        output_ids: [1],
        meta_info: { completion_tokens: 1, prompt_tokens: 7, finish_reason: null },
      },
      {
        text: "haha",
        output_ids: [1, 1],
        meta_info: { completion_tokens: 3, prompt_tokens: 7, finish_reason: null },
      },
      {
        text: "",
        output_ids: [],
        meta_info: { completion_tokens: 3, prompt_tokens: 7, finish_reason: { type: "stop", matched: "X" } },
      },
    )}data: [DONE]\n\n`,
    whole: {
      text: "hahaha",
      meta_info: { completion_tokens: 3, prompt_tokens: 7, finish_reason: { type: "stop", matched: "X" } },
    },
    content: "hahaha",
    finish: { raw: "stop", reason: "stop-string" },
    usage: { promptTokens: 7, completionTokens: 3, cachedPromptTokens: null },
  },
  {
    endpoint: "ollama-chat",
    name: "Ollama, with thinking",
    stream: lines(
      ollamaPart({ content: "", thinking: "Hm\u2026" }),
      ollamaPart({ content: "Gr" }),
      ollamaPart({ content: "üß \ud83d\ude00." }),
      ollamaEnd,
    ),
    whole: {
      ...ollamaEnd,
      message: { role: "assistant", content: "Grüß \ud83d\ude00.", thinking: "Hm\u2026" },
    },
    content: "Grüß \ud83d\ude00.",
    reasoning: "Hm\u2026",
    finish: { raw: "stop", reason: "stop" },
    usage: { promptTokens: 7, completionTokens: 4, cachedPromptTokens: null },
    chunkTokens: null,
  },
  {
    endpoint: "responses",
    name: "Responses, with reasoning, cut by the cap",
    stream: named(
      { type: "response.created", response: response("in_progress") },
      { type: "response.output_item.added", item: { type: "reasoning", summary: [] } },
      { type: "response.reasoning_text.delta", delta: "Hm\u2026" },
      { type: "response.output_item.added", item: { type: "message", role: "assistant", content: [] } },
      { type: "response.output_text.delta", delta: "Gr" },
      { type: "response.output_text.delta", delta: "üß \ud83d\ude00." },
      { type: "response.output_text.done", text: "Grüß \ud83d\ude00." },
      {
        type: "response.incomplete",
        response: response("incomplete", {
          incomplete_details: { reason: "max_output_tokens" },
          usage: responseUsage,
        }),
      },
    ),
    whole: response("incomplete", {
      incomplete_details: { reason: "max_output_tokens" },
      usage: responseUsage,
      output: [
        { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm\u2026" }] },
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "Grüß \ud83d\ude00." }],
        },
      ],
    }),
    content: "Grüß \ud83d\ude00.",
    reasoning: "Hm\u2026",
    finish: { raw: "max_output_tokens", reason: "length" },
    usage: { promptTokens: 7, completionTokens: 6, cachedPromptTokens: 2, reasoningTokens: 2 },
  },
  {
    endpoint: "responses",
    name: "Responses, to its own end",
    stream: named(
      { type: "response.output_text.delta", delta: "a" },
      { type: "response.completed", response: response("completed", { usage: responseUsage }) },
    ),
    whole: response("completed", {
      usage: responseUsage,
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] }],
    }),
    content: "a",
    finish: { raw: "completed", reason: "unknown" },
    usage: { promptTokens: 7, completionTokens: 6, cachedPromptTokens: 2 },
  },
];
