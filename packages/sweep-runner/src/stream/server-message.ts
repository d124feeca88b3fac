import { oneLine } from "../errors.ts";

/** Longest part of an answer that is read for its error message, bytes. */
export const ERROR_BODY_LIMIT = 64 * 1024;
const MESSAGE_LIMIT = 400;

/**
 * The error inside a JSON answer or stream event, or null when it carries none. Servers write
 * `{"error": {"message"}}`, `{"error": "text"}`, flat `{"object": "error", "message"}` or `{"detail"}`.
 */
export function errorInJson(json: unknown): string | null {
  if (!isObject(json)) return null;
  const { error } = json;
  if (typeof error === "string" && error !== "") return bounded(error);
  if (isObject(error))
    return withCode(textOf(error.message) ?? textOf(json.message) ?? JSON.stringify(error), error.code);
  if (json.object === "error") return withCode(textOf(json.message) ?? "error without a message", json.code);
  return null;
}

/** What an error answer says, from its body: JSON in any of the shapes above, FastAPI's `detail`, or plain text. */
export function errorInBody(body: string, contentType: string): string {
  const text = body.trim();
  if (text === "") return "empty answer";
  const json = /^[[{"]/.test(text) ? parseJson(text) : undefined;
  if (json !== undefined) return errorInJson(json) ?? otherMessage(json) ?? bounded(text);
  if (/html/i.test(contentType) || /^<(!doctype|html)/i.test(text)) return htmlTitle(text);
  return bounded(text);
}

/** JSON, or undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function otherMessage(json: unknown): string | null {
  if (typeof json === "string") return bounded(json);
  if (!isObject(json)) return null;
  const direct = textOf(json.message) ?? textOf(json.detail) ?? textOf(json.msg);
  if (direct !== null) return bounded(direct);
  if (!Array.isArray(json.detail)) return null;
  const lines = (json.detail as unknown[]).slice(0, 3).map((item) => {
    if (!isObject(item)) return String(item);
    const where = Array.isArray(item.loc) ? `${item.loc.join(".")}: ` : "";
    return `${where}${textOf(item.msg) ?? "invalid"}`;
  });
  return bounded(lines.join("; "));
}

function htmlTitle(text: string): string {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(text)?.[1]?.trim();
  return title === undefined || title === "" ? "an HTML page" : bounded(`an HTML page titled "${title}"`);
}

function withCode(message: string, code: unknown): string {
  const known = typeof code === "number" || (typeof code === "string" && code !== "");
  return known && !message.includes(String(code))
    ? `${bounded(message)} (code ${bounded(String(code))})`
    : bounded(message);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function bounded(text: string): string {
  return oneLine(text, MESSAGE_LIMIT);
}
