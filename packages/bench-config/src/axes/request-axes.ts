import type { JsonValue, LengthSpread, PartialProtocol } from "../protocol.ts";
import { fileName, observed, part, UNKNOWN, valuesInWords } from "./axis.ts";
import type { AxisDefinition, AxisPart, AxisState } from "./axis.ts";

type Rule = NonNullable<PartialProtocol["stoppingRule"]>;

function stopsOf(rule: Rule): string[] | null {
  return rule.stop == null ? null : [...new Set(rule.stop)].sort();
}

/** Least length that was asked for; unknown where nobody knows what was sent. */
function leastOf(rule: Rule): number | null {
  if (rule.sent == null) {
    return null;
  }
  const sent = rule.sent["min_tokens"] ?? rule.sent["minTokens"] ?? 0;
  return typeof sent === "number" ? sent : null;
}

function ruleParts({ stoppingRule: rule }: PartialProtocol): AxisPart[] {
  const parts = [
    part("rule", rule?.name),
    part("cap", rule?.cap),
    part("stop texts", rule == null ? null : stopsOf(rule)),
  ];
  // Where EOS is ignored or the least length is the cap, the least length says nothing more.
  return rule?.name === "eos" || rule?.name == null
    ? [...parts, part("min tokens", rule == null ? null : leastOf(rule))]
    : parts;
}

function ruleInWords({ stoppingRule: rule }: PartialProtocol): string {
  if (rule?.name == null) {
    return UNKNOWN;
  }
  const cap = rule.cap ?? "unknown";
  const length = rule.name === "eos" ? `cap ${cap}` : `exactly ${cap} tokens`;
  const least = rule.name === "eos" && (leastOf(rule) ?? 0) > 0 ? `, at least ${leastOf(rule)}` : "";
  const stop = (rule.stop ?? []).map((text) => JSON.stringify(text).replaceAll(" ", "\u00a0"));
  return `${rule.name}, ${length}${least}${stop.length === 0 ? "" : `, stop ${stop.join(" ")}`}`;
}

/** Lengths whose medians are further apart than this share of the larger one differ. */
const LENGTH_TOLERANCE = 0.1;

function spreadOf(value: JsonValue): LengthSpread | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return null;
  }
  const { min, p50, max } = value;
  return typeof min === "number" && typeof p50 === "number" && typeof max === "number"
    ? { min, p50, max }
    : null;
}

/** Lengths under EOS are an outcome, so they are equal when they overlap and their medians are near each other. */
function compareLengths(a: JsonValue, b: JsonValue): AxisState {
  const [one, other] = [spreadOf(a), spreadOf(b)];
  if (one === null || other === null) {
    return "unknown";
  }
  const isApart = one.max < other.min || other.max < one.min;
  const gap = Math.abs(one.p50 - other.p50);
  return isApart || gap > LENGTH_TOLERANCE * Math.max(one.p50, other.p50) ? "differs" : "equal";
}

function spreadValue(spread: PartialProtocol["outputTokens"]): JsonValue {
  const { min, p50, max } = spread ?? {};
  return min == null || p50 == null || max == null ? null : { min, p50, max };
}

/** What was observed; else what the rule leaves no choice about. */
function outputSpread({ stoppingRule: rule, outputTokens }: PartialProtocol): JsonValue {
  const seen = spreadValue(outputTokens);
  if (seen !== null || rule?.cap == null || rule.name == null || rule.name === "eos") {
    return seen;
  }
  return { min: rule.cap, p50: rule.cap, max: rule.cap };
}

function spreadInWords(value: JsonValue): string {
  const spread = spreadOf(value);
  if (spread === null) {
    return UNKNOWN;
  }
  return spread.min === spread.max
    ? `${spread.min} tokens`
    : `${spread.min}/${spread.p50}/${spread.max} tokens (min/p50/max)`;
}

function modelName({ model }: PartialProtocol): string | null {
  return model?.resolved ?? model?.requested ?? null;
}

/** A literal template can be a whole file on one line. */
function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}

/** The template as it was asked for, where its text is not known: a file by its name, a literal as it is. */
function templateAsked({ template }: PartialProtocol): string | null {
  const asked = template?.requested?.chatTemplate;
  return asked == null ? null : asked.includes("{") ? asked : fileName(asked);
}

function templateParts(protocol: PartialProtocol): AxisPart[] {
  const { template } = protocol;
  const mode = part("mode", template?.mode);
  return template?.mode === "none"
    ? [mode]
    : [mode, part("sha256", template?.sha256, { stated: template?.sha256 ?? templateAsked(protocol) })];
}

function kwargsOf({ template }: PartialProtocol): JsonValue {
  if (template?.mode === "none") {
    return "not used";
  }
  return template?.kwargs == null ? null : { ...template.kwargs };
}

/** `enable_thinking` is always named: unset is not false. */
function kwargsInWords(protocol: PartialProtocol): string {
  const kwargs = kwargsOf(protocol);
  if (typeof kwargs === "string") {
    return kwargs;
  }
  if (typeof kwargs !== "object" || kwargs === null || Array.isArray(kwargs)) {
    return UNKNOWN;
  }
  const set = valuesInWords(kwargs);
  if (Object.hasOwn(kwargs, "enable_thinking")) {
    return set;
  }
  return set === "" ? "none set; enable_thinking unset" : `${set}; enable_thinking unset`;
}

const samplingNames = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  minP: "min_p",
  repetitionPenalty: "repetition_penalty",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  seed: "seed",
} as const;

const samplingKeys = [
  "temperature",
  "topP",
  "topK",
  "minP",
  "repetitionPenalty",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
] as const satisfies readonly (keyof typeof samplingNames)[];

/** A value that was left to the server is equal to another that was, and to a number that was sent nobody knows. */
function compareSampling(a: JsonValue, b: JsonValue): AxisState {
  if (a === b) {
    return "equal";
  }
  return a === "unset" || b === "unset" ? "unknown" : "differs";
}

function samplingInWords({ sampling, extraBody }: PartialProtocol): string {
  if (sampling == null) {
    return UNKNOWN;
  }
  const other = valuesInWords({ ...extraBody });
  const values = samplingKeys
    .map((key) => {
      const value = sampling[key];
      const greedy = key === "temperature" && value === 0 ? " (greedy)" : "";
      return `${samplingNames[key]}=${value ?? "unknown"}${greedy}`;
    })
    .join(", ");
  return other === "" ? values : `${values}, ${other}`;
}

function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

/** The axes that a request shows. */
export const ruleAxis: AxisDefinition = {
  axis: "stopping rule",
  decisive: true,
  parts: ruleParts,
  words: ruleInWords,
};

export const requestAxes: readonly AxisDefinition[] = [
  {
    axis: "model",
    decisive: true,
    // Several files may carry one name: quantisations of a model do.
    parts: (protocol) => [
      part("name", modelName(protocol)),
      ...(protocol.model?.file == null ? [] : [part("file", fileName(protocol.model.file))]),
    ],
    words: (protocol) => {
      const file = fileName(protocol.model?.file);
      return `${modelName(protocol) ?? UNKNOWN}${file === null ? "" : ` in ${file}`}`;
    },
  },
  {
    axis: "weights",
    decisive: true,
    parts: ({ model }) => [
      part("repository", model?.repository),
      part("revision", model?.revision),
      part("quantisation", model?.quantization),
      part("KV dtype", model?.kvDtype),
    ],
    words: ({ model }) => {
      const { repository, revision, quantization, kvDtype } = model ?? {};
      const known = [
        repository == null ? null : `${repository}${revision == null ? "" : `@${revision}`}`,
        quantization,
        kvDtype == null ? null : `KV ${kvDtype}`,
      ].filter((text) => text != null);
      return known.length === 0 ? UNKNOWN : known.join(", ");
    },
  },
  {
    axis: "tokenizer",
    decisive: false,
    parts: ({ tokenizer }) => [part("tokenizer", tokenizer)],
    words: ({ tokenizer }) => tokenizer ?? UNKNOWN,
  },
  {
    axis: "endpoint",
    decisive: true,
    parts: ({ endpoint, delivery }) => [
      part("endpoint", endpoint),
      // Who says nothing of it streams.
      part("delivery", endpoint == null ? null : (delivery ?? "stream")),
    ],
    words: ({ endpoint, delivery }) => `${endpoint ?? UNKNOWN}${delivery == null ? "" : ", not streamed"}`,
  },
  {
    axis: "template",
    decisive: false,
    // Two servers' own templates may differ however equal the requests were.
    parts: templateParts,
    words: (protocol) => {
      const { mode, sha256 } = protocol.template ?? {};
      if (mode == null) {
        return UNKNOWN;
      }
      const asked = templateAsked(protocol);
      const source =
        sha256 == null ? (asked === null ? "" : `, ${shorten(asked)}`) : `, sha256 ${shortHash(sha256)}`;
      return `${mode}${mode === "none" ? "" : source}`;
    },
  },
  {
    axis: "template kwargs",
    decisive: false,
    parts: (protocol) => [part("variables", kwargsOf(protocol))],
    words: kwargsInWords,
  },
  {
    axis: "sampling",
    decisive: false,
    parts: ({ sampling, extraBody }) => [
      ...samplingKeys.map((key) => part(samplingNames[key], sampling?.[key], { compare: compareSampling })),
      part("other fields", extraBody == null ? null : { ...extraBody }),
    ],
    words: samplingInWords,
  },
];

export const outputLengthAxis: AxisDefinition = {
  axis: "output length",
  decisive: false,
  parts: (protocol) => [observed("output tokens", outputSpread(protocol), compareLengths)],
  words: (protocol) => spreadInWords(outputSpread(protocol)),
};
