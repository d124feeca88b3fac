import { fieldAt, isWithin } from "./fields.ts";
import { isSecretName, isSecretText, variableOf } from "./secrets.ts";
import { sloProblem } from "./slo.ts";
import { readWithUnit, unitOf } from "./units.ts";
import { isPlainObject } from "./values.ts";
import { mismatch, shownValue } from "./words.ts";

/**
 * What a single value must fulfil beyond the schema. Each check gets a value that the schema accepts and answers
 * with what is wrong, or null.
 */
type FieldCheck = (value: unknown) => string | null;

const STORED =
  "which would be stored with the result; put the key into an environment variable and name it with --api-key-env";

function refuseCredentials(value: unknown): string | null {
  if (typeof value !== "string") {
    return null;
  }
  const url = new URL(value);
  return url.username === "" && url.password === "" ? null : `holds a user name or password, ${STORED}`;
}

function checkBaseUrl(value: unknown): string | null {
  const credentials = refuseCredentials(value);
  if (credentials !== null || typeof value !== "string") {
    return credentials;
  }
  const url = new URL(value);
  return url.search === "" && url.hash === ""
    ? null
    : "must end with the path: a server root has no ?query and no #part";
}

function checkUrls(value: unknown): string | null {
  for (const url of Array.isArray(value) ? value.map(String) : []) {
    if (!/^https?:\/\//u.test(url) || !URL.canParse(url)) {
      return `expected http or https URLs, got ${shownValue("", url)}`;
    }
    const credentials = refuseCredentials(url);
    if (credentials !== null) {
      return credentials;
    }
  }
  return null;
}

/** Headers that the client itself decides; another value would break the exchange or the stamps. */
const ownHeaders = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "host",
  "transfer-encoding",
]);

function checkHeaders(value: unknown): string | null {
  for (const [name, text] of Object.entries(isPlainObject(value) ? value : {})) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/u.test(name) || typeof text !== "string" || /[\0\r\n]/u.test(text)) {
      return "expected names and values of HTTP headers, without line breaks";
    }
    if (ownHeaders.has(name.toLowerCase())) {
      return `the header ${name} is set by the client itself and cannot be chosen`;
    }
    if (variableOf(text) === null && (isSecretName(name) || isSecretText(text))) {
      return (
        `the header ${name} holds a secret, which would be stored with the result; put it into an environment ` +
        `variable and write ${name}=env:VARIABLE`
      );
    }
  }
  return null;
}

/** Fields of a request body, and the setting that sends each. */
const bodyFields: Readonly<Record<string, string>> = {
  model: "target.model",
  prompt: "datasetPath",
  messages: "datasetPath",
  input: "datasetPath",
  max_tokens: "maxTokens",
  max_completion_tokens: "maxTokens",
  min_tokens: "minTokens",
  ignore_eos: "ignoreEos",
  stop: "stop",
  temperature: "sampling.temperature",
  top_p: "sampling.topP",
  top_k: "sampling.topK",
  min_p: "sampling.minP",
  repetition_penalty: "sampling.repetitionPenalty",
  presence_penalty: "sampling.presencePenalty",
  frequency_penalty: "sampling.frequencyPenalty",
  seed: "seed",
  logprobs: "logprobs",
  top_logprobs: "logprobs",
  chat_template: "chatTemplate",
  chat_template_kwargs: "chatTemplateKwargs",
};

function checkExtraBody(value: unknown): string | null {
  for (const name of Object.keys(isPlainObject(value) ? value : {})) {
    const field = bodyFields[name];
    if (field !== undefined) {
      return `"${name}" is sent by a setting of its own; set ${field}`;
    }
    if (name === "stream" || name === "stream_options") {
      return `"${name}" is sent by the client itself: times are taken from a stream`;
    }
    if (name === "__proto__") {
      return '"__proto__" cannot be the name of a field';
    }
    if (isSecretName(name) && !name.endsWith("tokens") && !name.endsWith("token_ids")) {
      return `"${name}" names a secret, which would be stored with the result; send it as a header from a variable`;
    }
  }
  return null;
}

/** Names that every template gets anyway; transformers has them as parameters, so they cannot be variables. */
const fixedVariables = new Set(["messages", "tools", "documents", "add_generation_prompt"]);

function checkTemplateVariables(value: unknown): string | null {
  const names = isPlainObject(value) ? Object.keys(value) : [];
  const fixed = names.find((name) => fixedVariables.has(name));
  if (fixed !== undefined) {
    return `"${fixed}" is always passed to a template and cannot be set as a variable`;
  }
  return names.includes("__proto__") ? '"__proto__" cannot be the name of a variable' : null;
}

function checkSlos(value: unknown): string | null {
  for (const text of Array.isArray(value) ? value.map(String) : []) {
    const problem = sloProblem(text);
    if (problem !== null) {
      return `${problem}, got ${shownValue("slos", text)}`;
    }
  }
  return null;
}

/** A key as an argument would stand in the result, and in the list of processes. */
function checkCommand(value: unknown): string | null {
  const words = Array.isArray(value) ? value.map(String) : [];
  for (const [index, word] of words.entries()) {
    const flag = /^--?([\w-]+)(=.*)?$/u.exec(word);
    const follows = words[index + 1];
    const hasValue = flag?.[2] !== undefined || (follows !== undefined && !follows.startsWith("-"));
    if (isSecretText(word) || (flag?.[1] !== undefined && isSecretName(flag[1]) && hasValue)) {
      return (
        `${flag?.[1] === undefined ? "an argument" : `the argument --${flag[1].replace(/^-+/u, "")}`} holds a secret, which ` +
        "would be stored with the result; hand it over in a variable and name that in server.envNames"
      );
    }
  }
  return null;
}

/** Files that a run writes. */
export const outputFiles = [
  "output",
  "outputJson",
  "outputCsv",
  "outputMarkdown",
  "outputHtml",
  "outputTokenIds",
] as const;

/** Settings that describe the whole plan, or where results go: one point cannot have another value of them. */
const notSwept = ["preset", "sweep", "server", "repetition", "declared", "client", "slos", ...outputFiles];

function checkAxes(value: unknown): string | null {
  const seen = new Set<string>();
  for (const axis of Array.isArray(value) ? value : []) {
    const { field: path, values } = axis as { field: string; values: unknown[] };
    const field = fieldAt(path);
    if (field === undefined) {
      return `${shownValue("", path)} is no setting; name one by its path, such as concurrency or load.rate`;
    }
    if (notSwept.some((group) => isWithin(path, group))) {
      return `${path} is the same for all points and cannot be swept`;
    }
    if (seen.has(path)) {
      return `${path} is swept twice; keep one axis`;
    }
    seen.add(path);
    for (const one of values) {
      const read = withUnitRead(path, one);
      const complaint = field.schema.safeParse(read).success
        ? (fieldChecks.get(path)?.(read) ?? null)
        : mismatch(field, one);
      if (complaint !== null) {
        return `${path}: ${complaint}`;
      }
    }
    if (new Set(values.map((one) => JSON.stringify(withUnitRead(path, one)))).size < values.length) {
      return `${path} takes a value twice; to measure a point again use repetition.reps`;
    }
  }
  return null;
}

/** A text with its unit as the number that it stands for; everything else as it is. */
export function withUnitRead(path: string, value: unknown): unknown {
  const unit = unitOf(path);
  if (typeof value !== "string" || unit === null) {
    return value;
  }
  return readWithUnit(unit, value.trim()) ?? value;
}

/** Values of swept settings in the unit of each. */
export function readAxes(value: unknown): unknown {
  if (!Array.isArray(value)) {
    return value;
  }
  return value.map((axis: unknown) => {
    if (!isPlainObject(axis) || typeof axis["field"] !== "string" || !Array.isArray(axis["values"])) {
      return axis;
    }
    const path = axis["field"];
    return { ...axis, values: axis["values"].map((one: unknown) => withUnitRead(path, one)) };
  });
}

export const fieldChecks: ReadonlyMap<string, FieldCheck> = new Map<string, FieldCheck>([
  ["target.baseUrl", checkBaseUrl],
  ["target.metricsUrl", refuseCredentials],
  ["target.metricsUrls", checkUrls],
  ["target.headers", checkHeaders],
  ["target.extraBody", checkExtraBody],
  ["chatTemplateKwargs", checkTemplateVariables],
  ["slos", checkSlos],
  ["sweep.axes", checkAxes],
  ["server.command", checkCommand],
  ["server.readyUrl", refuseCredentials],
]);
