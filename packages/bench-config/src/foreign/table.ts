import { keyOf } from "./foreign-flag.ts";
import type { ForeignFlag, Harness } from "./foreign-flag.ts";

const V: Harness = "vllm bench serve";
const R: Harness = "vllm-bench";
const S: Harness = "sglang.bench_serving";

type AliasRow = readonly [flag: string, path: string, argument: string, harness: Harness];

/** Flags that are another name of a setting, and are read as its own flag is. */
const aliasRows: readonly AliasRow[] = [
  ["--num-warmups", "warmupRequests", "N", V],
  ["--random-input-len", "inputLen", "N", V],
  ["--random-output-len", "outputLen", "N", V],
  ["--random-range-ratio", "dataset.rangeRatio", "X", V],
  ["--random-prefix-len", "dataset.sharedPrefixLen", "N", V],
  ["--sharegpt-output-len", "outputLen", "N", V],
  ["--custom-output-len", "outputLen", "N", V],
  ["--prefix-repetition-prefix-len", "dataset.sharedPrefixLen", "N", V],
  ["--prefix-repetition-suffix-len", "inputLen", "N", V],
  ["--prefix-repetition-num-prefixes", "dataset.prefixGroups", "N", V],
  ["--prefix-repetition-output-len", "outputLen", "N", V],
  ["--timed-trace-chunk-hash-size", "dataset.traceBlockTokens", "N", V],
  ["--ramp-up-strategy", "load.ramp.shape", "SHAPE", V],
  ["--ramp-up-start-rps", "load.ramp.fromRate", "X", V],
  ["--ramp-up-end-rps", "load.ramp.toRate", "X", V],
  ["--num-runs", "repetition.reps", "N", R],
  ["--multi-turn-num-turns", "dataset.turns", "N", R],
  ["--multi-turn-concurrency", "concurrency", "N", R],
  ["--warmup-requests", "warmupRequests", "N", S],
  ["--output-file", "output", "FILE", S],
  ["--gsp-num-groups", "dataset.prefixGroups", "N", S],
  ["--gsp-system-prompt-len", "dataset.sharedPrefixLen", "N", S],
  ["--gsp-question-len", "inputLen", "N", S],
  ["--gsp-output-len", "outputLen", "N", S],
  ["--gsp-num-turns", "dataset.turns", "N", S],
];

/** The setting that a flag is another name of, by its key. */
export const aliases: ReadonlyMap<string, { readonly flag: string; readonly path: string }> = new Map(
  aliasRows.map(([flag, path]) => [keyOf(flag), { flag, path }]),
);

type FixedRow = readonly [flag: string, path: string, value: unknown, meaning: string, harness: Harness];

/** Flags without an argument that set a setting to one value. */
const fixedRows: readonly FixedRow[] = [
  ["--disable-shuffle", "dataset.shuffle", false, "rows in the file's order (`--no-shuffle`)", V],
  ["--reset-prefix-cache", "cache.policy", "reset", "`--cache reset`", R],
  ["--multi-turn", "dataset.kind", "multi-turn", "`--dataset-kind multi-turn`", R],
  ["--prompt-token-ids", "dataset.kind", "random-ids", "`--dataset-kind random-ids`", R],
  ["--disable-ignore-eos", "ignoreEos", false, "`--no-ignore-eos`", S],
  ["--disable-stream", "target.stream", false, "`--no-stream`", S],
  ["--flush-cache", "cache.policy", "reset", "`--cache reset`", S],
  ["--apply-chat-template", "skipChatTemplate", false, "`--no-skip-chat-template`", S],
  ["--tokenize-prompt", "dataset.kind", "random-ids", "`--dataset-kind random-ids`", S],
  ["--use-trace-timestamps", "load.kind", "trace", "`--load trace`", S],
];

/** What a flag without an argument sets, by its key. */
export const fixed: ReadonlyMap<
  string,
  { readonly flag: string; readonly path: string; readonly value: unknown }
> = new Map(fixedRows.map(([flag, path, value]) => [keyOf(flag), { flag, path, value }]));

type GrantedRow = readonly [flag: string, meaning: string, harness: Harness];

/** Flags that ask for what is done anyway, or permit what is not needed. */
const grantedRows: readonly GrantedRow[] = [
  ["--trust-remote-code", "permits what is not needed: no code of a model is run", V],
  ["--cache-report", "done anyway: tokens from the prefix cache are always told", S],
  ["--disable-tqdm", "no progress is drawn", V],
];

/** Flags whose effect depends on their argument, or on other flags. */
const computedRows: readonly (readonly [
  flag: string,
  argument: string | null,
  meaning: string,
  harness: Harness,
  repeats?: true,
])[] = [
  ["--backend", "NAME", "`--endpoint` of that backend", V],
  ["--host", "NAME", "host of `--base-url`", V],
  ["--port", "N", "port of `--base-url`", V],
  ["--served-model-name", "NAME", "`--model`; a `--model` beside it is stated as the repository", V],
  ["--dataset-name", "NAME", "`--dataset-kind` of that data set", V],
  ["--max-concurrency", "N", "`--concurrency`; `--max-in-flight` beside a finite `--request-rate`", V],
  ["--goodput", "FIGURE:MS", "`--slo`, milliseconds", V, true],
  ["--save-result", null, "`--output-json`; `onpar-result.json` unless named", V],
  ["--save-detailed", null, "`--output` beside the result, with `--keep-text`", V],
  ["--result-dir", "DIR", "folder of the result", V],
  ["--result-filename", "FILE", "name of the result", V],
  ["--percentile-metrics", "LIST", "accepted where all of them are told anyway: ttft, tpot, itl, e2el", V],
  ["--metric-percentiles", "LIST", "accepted where all of them are told anyway: 50, 90, 99", V],
  ["--ready-check-timeout-sec", "N", "accepted when 0: nothing waits for a server that is not ready", V],
  ["--sweep-max-concurrency", "LIST", "`--sweep concurrency=…`", R],
  ["--sweep-request-rate", "LIST", "`--sweep load.rate=…` with Poisson arrivals", R],
  ["--multi-turn-delay-ms", "MS", "`--turn-delay`", R],
  ["--extra-request-body", "JSON", "`--extra-body`", S],
  ["--gsp-prompts-per-group", "N", "`--num-prompts`, as many in each group", S],
  ["--mooncake-slowdown-factor", "X", "`--trace-speed` of one part in that many", S],
];

const computedFlags = computedRows.map(([flag, argument, meaning, harness, repeats]): ForeignFlag => {
  return { flag, key: keyOf(flag), argument, repeats: repeats ?? false, harness, meaning };
});

/** Every flag of another harness that is understood, beside those that are spelled as here. */
export const foreignFlags: readonly ForeignFlag[] = [
  ...computedFlags,
  ...aliasRows.map(([flag, path, argument, harness]) => {
    return { flag, key: keyOf(flag), argument, repeats: false, harness, meaning: `sets \`${path}\`` };
  }),
  ...fixedRows.map(([flag, , , meaning, harness]) => {
    return { flag, key: keyOf(flag), argument: null, repeats: false, harness, meaning };
  }),
  ...grantedRows.map(([flag, meaning, harness]) => {
    return { flag, key: keyOf(flag), argument: null, repeats: false, harness, meaning };
  }),
].sort((a, b) => (a.harness === b.harness ? (a.flag < b.flag ? -1 : 1) : a.harness < b.harness ? 1 : -1));
