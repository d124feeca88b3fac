import type { ConfigIssue } from "../error.ts";
import type { FlagValues } from "../flag-values.ts";
import { isPlainObject } from "../values.ts";
import {
  backends,
  dataSets,
  isInfinite,
  joined,
  known,
  numberOf,
  numbersOf,
  paths,
  Refusal,
  refuseUntold,
  textOf,
  textsOf,
  toldFigures,
  toldPercentiles,
} from "./reading.ts";
import { shownValue } from "../words.ts";

/** What a foreign flag sets: a path, its value, and the flag as it was written. */
export interface Setting {
  readonly path: string;
  readonly value: unknown;
  readonly origin: string;
}

export interface Translation {
  readonly settings: Setting[];
  readonly issues: ConfigIssue[];
  /** Keys of own flags whose values are dealt with here. */
  readonly taken: Set<string>;
}

type Rule = (
  values: FlagValues,
  set: (path: string, value: unknown) => void,
  take: (key: string) => void,
) => void;

function hasFiniteRate(values: FlagValues): boolean {
  const rate = textOf(values, "requestRate");
  return rate !== null && !isInfinite(rate);
}

/** The meaning of each flag that is more than another name, by the flag that messages name. */
const rules: readonly (readonly [flag: string, key: string, rule: Rule])[] = [
  [
    "--backend",
    "backend",
    (values, set) => set("target.endpoint", known(backends, "backend", textOf(values, "backend") ?? "")),
  ],
  [
    "--endpoint",
    "endpoint",
    (values, set, take) => {
      const text = textOf(values, "endpoint") ?? "";
      if (text.startsWith("/")) {
        take("endpoint");
        set("target.endpoint", known(paths, "endpoint", text));
      }
    },
  ],
  [
    "--host",
    "host",
    (values, set) => {
      const host = textOf(values, "host") ?? "";
      if (!/^[\w.:[\]-]+$/u.test(host)) {
        throw new Refusal(`expected the name of a host, got ${shownValue("", host)}`);
      }
      const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
      set("target.baseUrl", `http://${name}:${textOf(values, "port") ?? "8000"}`);
    },
  ],
  [
    "--port",
    "port",
    (values, set) => {
      if (values["host"] === undefined) {
        set("target.baseUrl", `http://127.0.0.1:${numberOf(textOf(values, "port") ?? "")}`);
      }
    },
  ],
  [
    "--served-model-name",
    "servedModelName",
    (values, set, take) => {
      set("target.model", textOf(values, "servedModelName"));
      const model = textOf(values, "model");
      if (model !== null) {
        take("model");
        set("declared.repository", model);
      }
    },
  ],
  [
    "--tokenizer",
    "tokenizer",
    (values, set, take) => {
      // There the tokenizer counts and makes prompts; it has no part in a prompt that is sent as it is.
      const isForeign = values["backend"] !== undefined || values["datasetName"] !== undefined;
      const isRendered =
        textsOf(values, "skipChatTemplate").includes("false") || values["applyChatTemplate"] !== undefined;
      if (isForeign && !isRendered) {
        take("tokenizer");
        set("declared.tokenizer", textOf(values, "tokenizer"));
      }
    },
  ],
  [
    "--dataset-name",
    "datasetName",
    (values, set) => {
      const kind = known(dataSets, "data set", textOf(values, "datasetName") ?? "");
      set("dataset.kind", kind);
      // There outputs are as long as the recorded answers, unless a length is named.
      const isNamed = ["sharegptOutputLen", "outputLen", "maxTokens"].some(
        (key) => values[key] !== undefined,
      );
      if (kind === "sharegpt" && !isNamed) set("dataset.recordedLengths", true);
    },
  ],
  [
    "--max-concurrency",
    "maxConcurrency",
    (values, set) => {
      const limit = numberOf(textOf(values, "maxConcurrency") ?? "");
      set(hasFiniteRate(values) ? "load.maxInFlight" : "concurrency", limit);
    },
  ],
  [
    "--request-rate",
    "requestRate",
    (values, set, take) => {
      if (isInfinite(textOf(values, "requestRate"))) {
        take("requestRate");
        set("load.kind", "closed-loop");
      }
    },
  ],
  [
    "--burstiness",
    "burstiness",
    (values, set, take) => {
      if (isInfinite(textOf(values, "burstiness"))) {
        take("burstiness");
        set("load.kind", "constant");
      } else if (!hasFiniteRate(values) && values["requestRate"] !== undefined) {
        // Nothing arrives by chance at an infinite rate; 1, its default, says nothing.
        if (Number(textOf(values, "burstiness")) === 1) {
          take("burstiness");
        }
      } else if (hasFiniteRate(values) && values["load"] === undefined) {
        set("load.kind", "gamma");
      }
    },
  ],
  ["--goodput", "goodput", (values, set) => set("slos", textsOf(values, "goodput"))],
  [
    "--save-result",
    "saveResult",
    (values, set) => {
      const file = textOf(values, "resultFilename") ?? "onpar-result.json";
      set("outputJson", joined(textOf(values, "resultDir"), file));
    },
  ],
  [
    "--save-detailed",
    "saveDetailed",
    (values, set) => {
      const file = textOf(values, "resultFilename") ?? "onpar-result.json";
      set("output", joined(textOf(values, "resultDir"), `${file.replace(/\.json$/u, "")}-records.jsonl`));
      set("client.keepText", true);
    },
  ],
  [
    "--result-dir",
    "resultDir",
    (values) => {
      if (values["saveResult"] === undefined && values["saveDetailed"] === undefined) {
        throw new Refusal("says where a result goes, and none is saved; add --save-result");
      }
    },
  ],
  [
    "--result-filename",
    "resultFilename",
    (values) => {
      if (values["saveResult"] === undefined && values["saveDetailed"] === undefined) {
        throw new Refusal("names a result, and none is saved; add --save-result");
      }
    },
  ],
  [
    "--percentile-metrics",
    "percentileMetrics",
    (values) => {
      const names = (textOf(values, "percentileMetrics") ?? "").split(",").map((name) => name.trim());
      refuseUntold(names, (name) => toldFigures.has(name), [...toldFigures].join(", "));
    },
  ],
  [
    "--metric-percentiles",
    "metricPercentiles",
    (values) => {
      const names = (textOf(values, "metricPercentiles") ?? "").split(",").map((name) => name.trim());
      refuseUntold(names, (name) => toldPercentiles.has(Number(name)), [...toldPercentiles].join(", "));
    },
  ],
  [
    "--ready-check-timeout-sec",
    "readyCheckTimeoutSec",
    (values) => {
      if (numberOf(textOf(values, "readyCheckTimeoutSec") ?? "") !== 0) {
        throw new Refusal(
          "nothing waits for a server that is not ready; leave this out, or start the server with server.command",
        );
      }
    },
  ],
  [
    "--sweep-max-concurrency",
    "sweepMaxConcurrency",
    (values, set) =>
      set("sweep.axes", [
        { field: "concurrency", values: numbersOf(textOf(values, "sweepMaxConcurrency") ?? "") },
      ]),
  ],
  [
    "--sweep-request-rate",
    "sweepRequestRate",
    (values, set) => {
      set("sweep.axes", [
        { field: "load.rate", values: numbersOf(textOf(values, "sweepRequestRate") ?? "") },
      ]);
      set("load.kind", "poisson");
    },
  ],
  [
    "--multi-turn-delay-ms",
    "multiTurnDelayMs",
    (values, set) => set("dataset.turnDelayMs", numberOf(textOf(values, "multiTurnDelayMs") ?? "")),
  ],
  [
    "--gsp-prompts-per-group",
    "gspPromptsPerGroup",
    (values, set) => {
      const groups = numberOf(textOf(values, "gspNumGroups") ?? "64");
      set("dataset.prefixGroups", groups);
      set("numPrompts", groups * numberOf(textOf(values, "gspPromptsPerGroup") ?? ""));
    },
  ],
  [
    "--mooncake-slowdown-factor",
    "mooncakeSlowdownFactor",
    (values, set) => set("load.traceSpeed", 1 / numberOf(textOf(values, "mooncakeSlowdownFactor") ?? "")),
  ],
  ["--extra-request-body", "extraRequestBody", bodyRule("extraRequestBody", "extra-request-body")],
  ["--extra-body", "extraBody", bodyRule("extraBody", "extra-body")],
];

/** Template variables inside a body are the setting of that name. */
function bodyRule(key: string, name: string): Rule {
  return (values, set, take) => {
    const text = textOf(values, key) ?? "";
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = null;
    }
    if (!isPlainObject(body)) {
      if (key === "extraBody") {
        return;
      }
      throw new Refusal(`expected a JSON object after --${name}`);
    }
    const { chat_template_kwargs: kwargs, ...rest } = body;
    if (kwargs === undefined && key === "extraBody") {
      return;
    }
    take(key);
    if (kwargs !== undefined) {
      set("chatTemplateKwargs", kwargs);
    }
    if (Object.keys(rest).length > 0) {
      set("target.extraBody", rest);
    }
  };
}

/** What the computed flags of other harnesses set, and what is wrong with them. */
export function translate(values: FlagValues): Translation {
  const translation: Translation = { settings: [], issues: [], taken: new Set() };
  for (const [flag, key, rule] of rules) {
    if (values[key] === undefined) {
      continue;
    }
    try {
      rule(
        values,
        (path, value) => translation.settings.push({ path, value, origin: flag }),
        (taken) => translation.taken.add(taken),
      );
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      translation.issues.push({ path: flag, origin: flag, message: error.message });
    }
  }
  return translation;
}
