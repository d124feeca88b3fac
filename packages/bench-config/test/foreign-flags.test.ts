import { describe, expect, test } from "vitest";
import { benchFlags, configLayerFromFlags, foreignFlags, refusedFlags, resolveConfig } from "../src/index.ts";
import type { BenchConfigInput, FlagValues } from "../src/index.ts";
import { refusals } from "./support.ts";

/** A command line as a parser made from the tables reads it. */
function read(line: string): FlagValues {
  const words = line.split(" ").filter((word) => word !== "");
  const values: Record<string, (string | boolean)[]> = {};
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const own = benchFlags.find(
      ({ flag, negatable }) => flag === word || (negatable && flag.replace("--", "--no-") === word),
    );
    const foreign = foreignFlags.find(({ flag }) => flag === word);
    const refused = refusedFlags.find(({ flag }) => flag === word);
    const key = own?.key ?? foreign?.key ?? refused?.key;
    if (key === undefined) {
      throw new Error(`${word} is no known flag`);
    }
    const list = (values[key] ??= []);
    const isBare = own === undefined ? foreign?.argument === null || refused !== undefined : own.negatable;
    if (isBare) {
      list.push(own === undefined || own.flag === word);
      continue;
    }
    const next = words.findIndex((other, place) => place > index + 1 && other.startsWith("--"));
    const end = foreign?.repeats === true ? (next === -1 ? words.length : next) : index + 2;
    list.push(...words.slice(index + 1, end));
    index = end - 1;
  }
  return values;
}

test("no flag is spelled twice, and none of two tables", () => {
  const all = [...benchFlags, ...foreignFlags, ...refusedFlags].map(({ flag }) => flag);
  expect(new Set(all).size).toBe(all.length);
});

test("the flags of vllm bench serve, vllm-bench and sglang.bench_serving are all known", () => {
  const negated = benchFlags.flatMap(({ flag, negatable }) =>
    negatable ? [flag.replace("--", "--no-")] : [],
  );
  const known = new Set([
    ...negated,
    ...[...benchFlags, ...foreignFlags, ...refusedFlags].map(({ flag }) => flag),
  ]);
  const spelled = `
    --trust-remote-code --seed --num-prompts --label --backend --base-url --host --port --endpoint --header --insecure --model
    --served-model-name --tokenizer --tokenizer-mode --skip-tokenizer-init --request-id-prefix --no-stream --input-len
    --output-len --use-beam-search --logprobs --ready-check-timeout-sec --num-warmups --profile --disable-tqdm --extra-body
    --chat-template-kwargs --max-concurrency --request-rate --burstiness --probe-request-rate --ramp-up-strategy
    --ramp-up-start-rps --ramp-up-end-rps --self-timed --ignore-eos --temperature --top-p --top-k --min-p --frequency-penalty
    --presence-penalty --repetition-penalty --save-result --save-detailed --append-result --metadata --result-dir
    --result-filename --percentile-metrics --metric-percentiles --goodput --plot-timeline --timeline-itl-thresholds
    --plot-dataset-stats --lora-modules --lora-assignment --dataset-name --dataset-path --skip-chat-template
    --enable-multimodal-chat --disable-shuffle --custom-output-len --custom-ensure-client-side-data --spec-bench-output-len
    --spec-bench-category --sonnet-input-len --sonnet-output-len --sonnet-prefix-len --sharegpt-output-len
    --timed-trace-chunk-hash-size --timed-trace-sec-multiplier --timed-trace-label-timestamp --timed-trace-label-input-length
    --timed-trace-label-output-length --timed-trace-label-hash-ids --blazedit-min-distance --blazedit-max-distance
    --asr-max-audio-len-sec --asr-min-audio-len-sec --random-input-len --random-output-len --random-range-ratio
    --random-prefix-len --random-batch-size --no-reranker --random-mm-base-items-per-request
    --random-mm-num-mm-items-range-ratio --random-mm-limit-mm-per-prompt --random-mm-bucket-config --hf-subset --hf-split
    --hf-name --hf-output-len --bfcl-categories --prefix-repetition-prefix-len --prefix-repetition-suffix-len
    --prefix-repetition-num-prefixes --prefix-repetition-output-len --speed-bench-dataset-subset --speed-bench-output-len
    --speed-bench-category
    --sweep-max-concurrency --sweep-request-rate --sweep-num-prompts-factor --sweep-summary-percentiles --reset-prefix-cache
    --num-runs --compare --multi-turn --multi-turn-num-turns --multi-turn-min-turns --multi-turn-max-turns
    --multi-turn-concurrency --multi-turn-delay-ms --multi-turn-prefix-global-ratio --multi-turn-prefix-conversation-ratio
    --per-turn-input-len --prompt-token-ids --random-cache-hit-fraction --random-cache-ratio --profile-batch-threshold
    --profile-duration --steady-state-threshold --steady-state-min-window --no-steady-state --dry-run --max-model-len
    --hf-text-column --speed-bench-config --speed-bench-max-input-len
    --dataset-offset --agentic-max-turns --sharegpt-context-len --image-count --image-resolution --random-image-count
    --image-format --image-content --use-trace-timestamps --output-file --output-details --print-requests --disable-stream
    --return-logprob --top-logprobs-num --token-ids-logprob --logprob-start-len --return-routed-experts --cache-report
    --disable-ignore-eos --extra-request-body --apply-chat-template --plot-throughput --profile-activities
    --profile-start-step --profile-steps --profile-num-steps --profile-by-stage --profile-stages --profile-output-dir
    --profile-prefix --lora-name --lora-request-distribution --lora-zipf-alpha --prompt-suffix --pd-separated
    --profile-prefill-url --profile-decode-url --flush-cache --flush-cache-timeout --warmup-requests --tokenize-prompt
    --gsp-num-groups --gsp-prompts-per-group --gsp-system-prompt-len --gsp-question-len --gsp-output-len --gsp-range-ratio
    --gsp-fast-prepare --gsp-send-routing-key --gsp-num-turns --gsp-ordered --gsp-group-distribution --gsp-zipf-alpha
    --mooncake-slowdown-factor --mooncake-num-rounds --mooncake-workload --fake-prefill --tag`;
  expect(spelled.split(/\s+/u).filter((flag) => flag !== "" && !known.has(flag))).toEqual([]);
  // Spelled as the opposite of a flag of this program.
  expect(benchFlags.find(({ flag }) => flag === "--oversample")?.negatable).toBe(true);
});

describe("known command lines run unchanged", () => {
  test.each<[string, BenchConfigInput]>([
    [
      "--backend vllm --model m --endpoint /v1/completions --dataset-name random --random-input-len 1024 " +
        "--random-output-len 128 --num-prompts 1000 --request-rate inf --ignore-eos --trust-remote-code",
      {
        target: { model: "m", endpoint: "completions" },
        dataset: { kind: "random-text" },
        inputLen: 1024,
        outputLen: 128,
        numPrompts: 1000,
        load: { kind: "closed-loop" },
      },
    ],
    [
      "--backend openai-chat --endpoint /v1/chat/completions --host 10.0.0.1 --port 9000 --served-model-name s --model org/m " +
        '--dataset-name sharegpt --dataset-path d.json --max-concurrency 8 --extra-body {"chat_template_kwargs":{"enable_thinking":false},"top_a":1}',
      {
        target: {
          baseUrl: "http://10.0.0.1:9000",
          model: "s",
          endpoint: "chat-completions",
          extraBody: { top_a: 1 },
        },
        declared: { repository: "org/m" },
        // There outputs are as long as the recorded answers, unless a length is named.
        dataset: { kind: "sharegpt", recordedLengths: true },
        concurrency: 8,
        chatTemplateKwargs: { enable_thinking: false },
        skipChatTemplate: false,
      },
    ],
    [
      "--dataset-name sharegpt --dataset-path d.json --sharegpt-output-len 64 --disable-stream",
      {
        target: { stream: false },
        dataset: { kind: "sharegpt", recordedLengths: false },
        outputLen: 64,
      },
    ],
    [
      "--backend openai --dataset-name random --request-rate 10 --burstiness 0.5 --max-concurrency 64 --goodput ttft:500 tpot:50 " +
        "--percentile-metrics ttft,tpot,itl --metric-percentiles 50,99 --save-result --result-dir out/ --num-warmups 4",
      {
        load: { kind: "gamma", rate: 10, burstiness: 0.5, maxInFlight: 64 },
        slos: ["ttft:500", "tpot:50"],
        outputJson: "out/onpar-result.json",
        warmupRequests: 4,
        concurrency: 1,
      },
    ],
    ["--request-rate 10 --burstiness inf", { load: { kind: "constant", rate: 10 } }],
    ["--request-rate inf --burstiness 1.0", { load: { kind: "closed-loop", burstiness: 1 } }],
    ["--request-rate 10 --burstiness 1", { load: { kind: "gamma", rate: 10, burstiness: 1 } }],
    [
      "--ramp-up-strategy exponential --ramp-up-start-rps 1 --ramp-up-end-rps 20",
      { load: { kind: "ramp", ramp: { fromRate: 1, toRate: 20, shape: "exponential" } } },
    ],
    [
      "--dataset-name prefix_repetition --prefix-repetition-prefix-len 256 --prefix-repetition-suffix-len 128 " +
        "--prefix-repetition-num-prefixes 10 --prefix-repetition-output-len 64",
      {
        dataset: { kind: "shared-prefix", sharedPrefixLen: 256, prefixGroups: 10 },
        inputLen: 128,
        outputLen: 64,
      },
    ],
    [
      "--sweep-max-concurrency 1,2,4 --num-runs 3 --reset-prefix-cache",
      {
        sweep: { axes: [{ field: "concurrency", values: [1, 2, 4] }] },
        repetition: { reps: 3 },
        cache: { policy: "reset" },
      },
    ],
    [
      "--sweep-request-rate 1,2.5",
      { sweep: { axes: [{ field: "load.rate", values: [1, 2.5] }] }, load: { kind: "poisson" } },
    ],
    [
      "--multi-turn --multi-turn-num-turns 3 --multi-turn-concurrency 4 --multi-turn-delay-ms 500 --dataset-path d.json " +
        "--endpoint chat-completions",
      { dataset: { kind: "multi-turn", turns: 3, turnDelayMs: 500 }, concurrency: 4 },
    ],
    [
      "--backend sglang --dataset-name random-ids --random-input-len 512 --disable-ignore-eos --flush-cache --warmup-requests 2 " +
        "--output-file r.jsonl --cache-report --disable-tqdm",
      {
        target: { endpoint: "sglang-generate" },
        dataset: { kind: "random-ids" },
        ignoreEos: false,
        cache: { policy: "reset" },
        warmupRequests: 2,
        output: "r.jsonl",
      },
    ],
    [
      "--dataset-name generated-shared-prefix --gsp-num-groups 8 --gsp-prompts-per-group 16 --gsp-system-prompt-len 2048 " +
        "--gsp-question-len 128 --gsp-output-len 256",
      {
        dataset: { kind: "shared-prefix", prefixGroups: 8, sharedPrefixLen: 2048 },
        numPrompts: 128,
        inputLen: 128,
      },
    ],
    [
      "--dataset-name mooncake --dataset-path t.jsonl --use-trace-timestamps --mooncake-slowdown-factor 2",
      { dataset: { kind: "trace" }, load: { kind: "trace", traceSpeed: 0.5 } },
    ],
    [
      "--model m.gguf --endpoint engine --dataset-path d.jsonl --num-prompts 20 --output-len 64 --concurrency 4 --seed 1 " +
        "--temperature 0 --max-num-batched-tokens 2048 --num-blocks 4736 --output-token-ids i.jsonl --output-json r.json " +
        '--speculative-config {"method":"ngram"} --kv-cache-dtype fp8 --no-ignore-eos --no-skip-chat-template --no-enable-thinking',
      {
        engine: { modelPath: "m.gguf", maxNumBatchedTokens: 2048, numBlocks: 4736, kvCacheDtype: "fp8" },
        outputTokenIds: "i.jsonl",
        ignoreEos: false,
        enableThinking: false,
      },
    ],
  ])("%s", (line, expected) => {
    const { config } = resolveConfig([configLayerFromFlags(read(line))]);
    expect(config).toMatchObject(expected);
  });
});

describe("refusals", () => {
  test.each<[string, string[]]>([
    [
      "--backend tgi",
      [
        '--backend: no backend of this program is "tgi"; known are vllm, openai, openai-chat, vllm-chat, sglang, ' +
          "sglang-native, sglang-oai, sglang-oai-chat, lmdeploy, lmdeploy-chat, llama.cpp",
      ],
    ],
    [
      "--dataset-name sonnet",
      [
        '--dataset-name: no data set of this program is "sonnet"; known are random, random-ids, sharegpt, ' +
          "custom, openai, prefix_repetition, generated-shared-prefix, timed_trace, mooncake",
      ],
    ],
    [
      "--endpoint /v1/embeddings",
      [
        '--endpoint: no endpoint of this program is "/v1/embeddings"; known are /v1/completions, ' +
          "/v1/chat/completions, /v1/responses, /completion, /generate, /api/chat",
      ],
    ],
    [
      "--max-concurrency 4 --concurrency 8",
      ["--max-concurrency: sets concurrency to 4, and --concurrency sets it to 8; keep one"],
    ],
    [
      "--random-input-len 4 --input-len 8",
      ["--random-input-len: sets inputLen to 4, and --input-len sets it to 8; keep one"],
    ],
    [
      "--random-input-len 4 --random-input-len 8",
      ['--random-input-len: is given with different values ("4", "8"); keep one'],
    ],
    ["--max-concurrency many", ['--max-concurrency: expected a number, got "many"']],
    ["--random-output-len x", ['--random-output-len: expected a whole number from 1 to 16777216, got "x"']],
    ["--custom-output-len -1", ["--custom-output-len: expected a whole number from 1 to 16777216, got -1"]],
    [
      "--percentile-metrics ttft,rtfx",
      ["--percentile-metrics: cannot be honoured for rtfx; told are ttft, tpot, itl, e2el"],
    ],
    ["--metric-percentiles 99.9", ["--metric-percentiles: cannot be honoured for 99.9; told are 50, 90, 99"]],
    [
      "--ready-check-timeout-sec 60",
      [
        "--ready-check-timeout-sec: nothing waits for a server that is not ready; leave this out, or " +
          "start the server with server.command",
      ],
    ],
    ["--result-dir out", ["--result-dir: says where a result goes, and none is saved; add --save-result"]],
    ["--result-filename r", ["--result-filename: names a result, and none is saved; add --save-result"]],
    [
      "--goodput speed:1",
      [
        "--goodput: speed is no figure (known are ttft, ttfa, tpot, itl, e2el, queue, ttft-scheduled, " +
          "e2el-scheduled, decode, error-rate, goodput, requests-per-s, output-tokens-per-s, total-tokens-per-s, acceptance-rate, " +
          'acceptance-length), got "speed:1"',
      ],
    ],
    ["--extra-request-body [1]", ["--extra-request-body: expected a JSON object after --extra-request-body"]],
    [
      '--extra-body {"max_tokens":4}',
      ['--extra-body: "max_tokens" is sent by a setting of its own; set maxTokens'],
    ],
    ["--host a/b", ['--host: expected the name of a host, got "a/b"']],
    [
      "--flush-cache --cache none",
      ['--flush-cache: sets cache.policy to "reset", and --cache sets it to "none"; keep one'],
    ],
    [
      "--profile --lora-name a",
      [
        "--profile: cannot be honoured: the profiler is the server's; start it there",
        "--lora-name: cannot be honoured: adapters are chosen by the model's name; name one with --model",
      ],
    ],
    [
      "--dataset-path f.jsonl --tokenizer t",
      [
        "--tokenizer: cannot be honoured while the chat template is skipped (the default, --skip-chat-template): " +
          "prompts are sent as they are; add --no-skip-chat-template or leave this out",
      ],
    ],
  ])("%s", (line, expected) => {
    const values = read(line.replace("--lora-name a", "--lora-name"));
    expect(refusals(configLayerFromFlags(values))).toEqual(expected);
  });

  test.each(refusedFlags)("$flag is refused by its name", ({ flag, key, reason }) => {
    expect(refusals(configLayerFromFlags({ [key]: true }))).toEqual([
      `${flag}: cannot be honoured: ${reason}`,
    ]);
  });

  test("a command that has no use for a setting refuses its foreign name too", () => {
    const few = benchFlags.filter(({ path }) => path === "seed");
    const layer = configLayerFromFlags({ seed: "1", randomInputLen: "5" }, few);
    expect(refusals(layer)).toEqual(["--random-input-len: means nothing for this command"]);
  });
});
