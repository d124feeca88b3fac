import { RenderError } from "../error.ts";
import { PyDict } from "../python/value.ts";
import { viewNames } from "../views/index.ts";

/** What stands where something else was expected, for a message. */
function shown(value: unknown): string {
  if (value === undefined) {
    return "nothing";
  }
  if (value === null || typeof value === "boolean" || typeof value === "number") {
    return String(value);
  }
  if (typeof value === "string") {
    return value.length > 40 ? "a text" : JSON.stringify(value);
  }
  return Array.isArray(value)
    ? "a list"
    : value instanceof Date
      ? "an invalid Date"
      : isObject(value)
        ? "another object"
        : `a ${typeof value}`;
}

function refuse(field: string, expected: string, value: unknown): never {
  throw new RenderError("MESSAGES_INVALID", `${field}: expected ${expected}, got ${shown(value)}`, { field });
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasText(value: unknown, field: "name" | "template"): boolean {
  return isObject(value) && typeof value[field] === "string";
}

/**
 * Looks at what callers without types may pass.
 *
 * @throws RenderError `TEMPLATE_MISSING`
 */
export function checkTemplate(template: unknown): void {
  const isTemplate = Array.isArray(template)
    ? template.every((each) => hasText(each, "name") && hasText(each, "template"))
    : typeof template === "string" || hasText(template, "template");
  if (!isTemplate) {
    const expected = "a text, what loadChatTemplate gave, or a list of { name, template }";
    const got = Array.isArray(template) ? "a list of something else" : shown(template);
    throw new RenderError("TEMPLATE_MISSING", `template: expected ${expected}, got ${got}`);
  }
}

type Check = readonly [name: string, expected: string, holds: (value: unknown) => boolean];

const names = viewNames.map((name) => JSON.stringify(name)).join(", ");

const checks: readonly Check[] = [
  ["addGenerationPrompt", "true or false", (value) => typeof value === "boolean"],
  [
    "continueFinalMessage",
    "true, false or the name of a field",
    (value) => typeof value === "boolean" || typeof value === "string",
  ],
  ["specialTokens", "an object of texts, or of lists of them", isTokens],
  ["kwargs", "an object of variables", isObject],
  ["chatTemplate", "a text", isText],
  ["now", "a Date", (value) => value instanceof Date && !Number.isNaN(value.getTime())],
  [
    "as",
    `one of ${names}, or a view`,
    (value) => typeof value === "function" || viewNames.some((name) => name === value),
  ],
  ["limits", "an object of numbers", isObject],
];

function isTokens(value: unknown): boolean {
  if (!isObject(value)) {
    return false;
  }
  for (const name in value) {
    const token = value[name] ?? null;
    if (token !== null && typeof token !== "string" && !(Array.isArray(token) && token.every(isText))) {
      return false;
    }
  }
  return true;
}

function checkLimits(limits: Readonly<Record<string, unknown>>): void {
  for (const [limit, most] of Object.entries(limits)) {
    if ((most ?? null) !== null && !(typeof most === "number" && most >= 0)) {
      refuse(`limits.${limit}`, "a number that is not below zero", most);
    }
  }
}

/**
 * @returns the options, without those that are null: what is not set in a file of settings
 * @throws RenderError `MESSAGES_INVALID`, naming what is wrong
 */
export function checkCall<Options extends object>(conversation: unknown, options: Options): Options {
  if (!isObject(conversation) || conversation instanceof PyDict) {
    refuse("conversation", "an object with `messages`", conversation);
  }
  const given: unknown = options;
  if (!isObject(given)) {
    return refuse("options", "an object", options);
  }
  let hasNulls = false;
  for (const [name, expected, holds] of checks) {
    const value = given[name];
    hasNulls ||= value === null;
    if (value !== undefined && value !== null && !holds(value)) {
      refuse(name, expected, value);
    }
  }
  if (isObject(given["limits"])) {
    checkLimits(given["limits"]);
  }
  return hasNulls ? withoutNulls(options) : options;
}

function withoutNulls<Options extends object>(options: Options): Options {
  const given = { ...options };
  for (const [name, value] of Object.entries(options)) {
    if (value === null) {
      Reflect.deleteProperty(given, name);
    }
  }
  return given;
}
