import { fieldAt, isWithin } from "./fields.ts";
import { isSecretName, isSecretText, variableOf } from "./secrets.ts";
import { sloProblem } from "./slo.ts";
import { readWithUnit, unitOf } from "./units.ts";
import { isPlainObject } from "./values.ts";
import { mismatch, shownValue } from "./words.ts";

/** What is wrong with a value, and with which part of it. */
interface Unfulfilled {
  readonly message: string;
  readonly at: readonly (string | number)[];
}

/**
 * What a single value must fulfil beyond the schema. Each check gets a value that the schema accepts and answers
 * with what is wrong, or null.
 */
type FieldCheck = (value: unknown) => Unfulfilled | null;

function wrong(message: string, ...at: (string | number)[]): Unfulfilled {
  return { message, at };
}

const STORED =
  "which would be stored with the result; put the key into an environment variable and name it with --api-key-env";

function refuseCredentials(value: unknown): Unfulfilled | null {
  if (typeof value !== "string") {
    return null;
  }
  const url = new URL(value);
  return url.username === "" && url.password === ""
    ? null
    : wrong(`holds a user name or password, ${STORED}`);
}

function checkBaseUrl(value: unknown): Unfulfilled | null {
  const credentials = refuseCredentials(value);
  if (credentials !== null || typeof value !== "string") {
    return credentials;
  }
  const url = new URL(value);
  return url.search === "" && url.hash === ""
    ? null
    : wrong("must end with the path: a server root has no ?query and no #part");
}

function checkUrls(value: unknown): Unfulfilled | null {
  for (const [index, url] of (Array.isArray(value) ? value.map(String) : []).entries()) {
    if (!/^https?:\/\//u.test(url) || !URL.canParse(url)) {
      return wrong(`expected http or https URLs, got ${shownValue("", url)}`, index);
    }
    const credentials = refuseCredentials(url);
    if (credentials !== null) {
      return wrong(credentials.message, index);
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

function checkHeaders(value: unknown): Unfulfilled | null {
  for (const [name, text] of Object.entries(isPlainObject(value) ? value : {})) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/u.test(name) || typeof text !== "string" || /[\0\r\n]/u.test(text)) {
      return wrong("expected names and values of HTTP headers, without line breaks", name);
    }
    if (ownHeaders.has(name.toLowerCase())) {
      return wrong(`the header ${name} is set by the client itself and cannot be chosen`, name);
    }
    if (variableOf(text) === null && (isSecretName(name) || isSecretText(text))) {
      return wrong(
        `the header ${name} holds a secret, which would be stored with the result; put it into an environment ` +
          `variable and write ${name}=env:VARIABLE`,
        name,
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

function checkExtraBody(value: unknown): Unfulfilled | null {
  for (const name of Object.keys(isPlainObject(value) ? value : {})) {
    const field = bodyFields[name];
    if (field !== undefined) {
      return wrong(`"${name}" is sent by a setting of its own; set ${field}`, name);
    }
    if (name === "stream" || name === "stream_options") {
      return wrong(`"${name}" is sent by the client itself: times are taken from a stream`, name);
    }
    if (name === "__proto__") {
      return wrong('"__proto__" cannot be the name of a field', name);
    }
    if (isSecretName(name)) {
      return wrong(
        `"${name}" names a secret, which would be stored with the result; send it as a header from a variable`,
        name,
      );
    }
  }
  return null;
}

/** Names that every template gets anyway; transformers has them as parameters, so they cannot be variables. */
const fixedVariables = new Set(["messages", "tools", "documents", "add_generation_prompt"]);

function checkTemplateVariables(value: unknown): Unfulfilled | null {
  const names = isPlainObject(value) ? Object.keys(value) : [];
  const fixed = names.find((name) => fixedVariables.has(name));
  if (fixed !== undefined) {
    return wrong(`"${fixed}" is always passed to a template and cannot be set as a variable`, fixed);
  }
  return names.includes("__proto__") ? wrong('"__proto__" cannot be the name of a variable') : null;
}

function checkSlos(value: unknown): Unfulfilled | null {
  for (const [index, text] of (Array.isArray(value) ? value.map(String) : []).entries()) {
    const problem = sloProblem(text);
    if (problem !== null) {
      return wrong(`${problem}, got ${shownValue("slos", text)}`, index);
    }
  }
  return null;
}

/** A key as an argument would stand in the result, and in the list of processes. */
function checkCommand(value: unknown): Unfulfilled | null {
  const words = Array.isArray(value) ? value.map(String) : [];
  for (const [index, word] of words.entries()) {
    const flag = /^--?([\w-]+)(=.*)?$/u.exec(word);
    const follows = words[index + 1];
    const hasValue = flag?.[2] !== undefined || (follows !== undefined && !follows.startsWith("-"));
    if (isSecretText(word) || (flag?.[1] !== undefined && isSecretName(flag[1]) && hasValue)) {
      const what = flag?.[1] === undefined ? "an argument" : `the argument --${flag[1].replace(/^-+/u, "")}`;
      return wrong(
        `${what} holds a secret, which would be stored with the result; hand it over in a variable and name that in ` +
          "server.envNames",
        index,
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

/** The axes of a value that the schema accepts. */
function axesOf(value: unknown): readonly { readonly field: string; readonly values: readonly unknown[] }[] {
  return (Array.isArray(value) ? value : []).flatMap((axis: unknown) => {
    const field = isPlainObject(axis) ? axis["field"] : undefined;
    const values: unknown = isPlainObject(axis) ? axis["values"] : undefined;
    return typeof field === "string" && Array.isArray(values) ? [{ field, values }] : [];
  });
}

function checkAxes(value: unknown): Unfulfilled | null {
  const seen = new Set<string>();
  for (const [index, { field: path, values }] of axesOf(value).entries()) {
    const field = fieldAt(path);
    if (field === undefined) {
      const message = `${shownValue("", path)} is no setting; name one by its path, such as concurrency or load.rate`;
      return wrong(message, index, "field");
    }
    if (notSwept.some((group) => isWithin(path, group))) {
      return wrong(`${path} is the same for all points and cannot be swept`, index, "field");
    }
    if (seen.has(path)) {
      return wrong(`${path} is swept twice; keep one axis`, index, "field");
    }
    seen.add(path);
    for (const [place, one] of values.entries()) {
      const read = withUnitRead(path, one);
      const complaint = field.schema.safeParse(read).success
        ? (fieldChecks.get(path)?.(read)?.message ?? null)
        : mismatch(field, one);
      if (complaint !== null) {
        return wrong(`${path}: ${complaint}`, index, "values", place);
      }
    }
    if (new Set(values.map((one) => JSON.stringify(withUnitRead(path, one)))).size < values.length) {
      return wrong(
        `${path} takes a value twice; to measure a point again use repetition.reps`,
        index,
        "values",
      );
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
