import * as fc from "fast-check";

/** Arbitrary settings that are valid together. */

const text = fc.string({ minLength: 1, maxLength: 20 });
const number = (min: number, max: number): fc.Arbitrary<number> =>
  fc
    .double({ min, max, noNaN: true, noDefaultInfinity: true })
    .map((value) => (Object.is(value, -0) ? 0 : value));
const tokens = fc.integer({ min: 1, max: 4096 });
const loadRate = number(0.001, 1000);

function some(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(fields, { requiredKeys: [] });
}

const kwargs = fc.dictionary(
  fc
    .string()
    .filter(
      (name) =>
        !["__proto__", "messages", "tools", "documents", "enable_thinking", "add_generation_prompt"].includes(
          name,
        ),
    ),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  { maxKeys: 4, noNullPrototype: true },
);

const headers = fc.dictionary(
  fc.constantFrom("X-Team", "X-Run", "X-Api-Key"),
  fc.constantFrom("env:TEAM_KEY", "env:OTHER"),
  { noNullPrototype: true },
);

const target = some({
  model: text,
  apiKeyEnv: fc.constantFrom("KEY", "_k2"),
  headers,
  extraBody: fc.dictionary(fc.constantFrom("top_a", "priority"), fc.oneof(fc.integer(), fc.boolean(), text), {
    noNullPrototype: true,
  }),
  metricsUrls: fc.array(fc.constantFrom("http://a:1/m", "http://b:2/m"), { maxLength: 2 }),
});

const rule = fc.oneof(
  some({ ignoreEos: fc.constant(true), maxTokens: tokens }),
  some({
    ignoreEos: fc.constant(false),
    stop: fc.array(text, { maxLength: 4 }),
    outputLen: fc.constant(4096),
    minTokens: fc.integer({ min: 0, max: 128 }),
  }).map((value) => ({ ...value, ignoreEos: false })),
);

const load = fc.oneof(
  fc.record({
    concurrency: fc.integer({ min: 1, max: 65_536 }),
    load: some({ startTogether: fc.boolean(), durationS: number(0.1, 1000) }),
  }),
  fc.record({
    load: fc.record({
      kind: fc.constantFrom("constant", "poisson"),
      rate: loadRate,
      maxInFlight: fc.integer({ min: 1, max: 99 }),
    }),
  }),
  fc.record({ load: fc.record({ kind: fc.constant("gamma"), rate: loadRate, burstiness: number(0.1, 10) }) }),
  fc.record({
    load: fc.record({ kind: fc.constant("ramp"), ramp: fc.record({ fromRate: loadRate, toRate: loadRate }) }),
  }),
);

const dataset = fc.oneof(
  some({ inputLen: tokens, dataset: some({ rangeRatio: number(0, 1), sharedPrefixLen: tokens }) }),
  fc.record({
    dataset: fc.record({
      kind: fc.constant("shared-prefix"),
      prefixGroups: fc.integer({ min: 1, max: 9 }),
      sharedPrefixLen: tokens,
    }),
  }),
  fc.record({
    cache: fc.record({ policy: fc.constantFrom("none", "nonce") }),
    dataset: fc.record({ kind: fc.constant("shared-prefix"), hitRate: number(0, 1) }),
  }),
  fc.record({ dataset: fc.record({ kind: fc.constant("source-code"), task: text, sourcePath: text }) }),
  fc.record({
    datasetPath: text,
    dataset: fc.record({ kind: fc.constantFrom("auto", "prompts", "sharegpt"), shuffle: fc.boolean() }),
  }),
  fc.record({
    datasetPath: text,
    dataset: fc.record({ kind: fc.constantFrom("auto", "sharegpt"), recordedLengths: fc.boolean() }),
  }),
);

const template = fc.oneof(
  fc.constant({}),
  some({ chatTemplate: text, tokenizer: text, chatTemplateKwargs: kwargs, enableThinking: fc.boolean() }).map(
    (value) => ({
      ...value,
      skipChatTemplate: false,
    }),
  ),
);

const rest = some({
  sampling: some({
    temperature: number(0, 10),
    topP: number(1e-9, 1),
    topK: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
    minP: number(0, 1),
    repetitionPenalty: number(1e-6, 10),
    presencePenalty: number(-2, 2),
  }),
  seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  logprobs: fc.integer({ min: 0, max: 20 }),
  numPrompts: fc.integer({ min: 1, max: 10_000 }),
  warmupRequests: fc.nat({ max: 10_000 }),
  cache: some({ policy: fc.constantFrom("none", "nonce", "reset") }),
  client: some({
    workers: fc.oneof(fc.constant("auto"), fc.integer({ min: 1, max: 256 })),
    keepText: fc.boolean(),
  }),
  slos: fc.array(fc.constantFrom("ttft<=500ms", "p99(tpot)<=50ms", "error-rate<=1%"), { maxLength: 3 }),
  repetition: some({ reps: fc.integer({ min: 1, max: 100 }), cooldownS: number(0, 100) }),
  sweep: fc.record({
    axes: fc.constant([{ field: "sampling.temperature", values: [0, 0.5, 1] }]),
    order: fc.constantFrom("given", "shuffled"),
  }),
  speculation: some({ method: text, draftTokens: fc.nat({ max: 64 }) }),
  declared: some({ revision: text, hardware: text, engine: fc.constantFrom("vllm 0.25", "sglang") }),
  requestTimeoutMs: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  retries: fc.nat({ max: 100 }),
  outputJson: text.map((name) => `r${name}`),
});

/** Settings as a file has them. */
export const validSettings: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(fc.record({ target }), rule, load, template, rest, dataset)
  .map((parts) => Object.assign({}, ...parts) as Record<string, unknown>);
