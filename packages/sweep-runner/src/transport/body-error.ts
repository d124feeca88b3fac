import type { RecordedError } from "../record.ts";
import { ERROR_BODY_LIMIT, errorInBody, errorInJson, parseJson } from "../stream/server-message.ts";

/** Why an answer that is no event stream is a failure, where a stream was asked for. */
export function bodyError(status: number, contentType: string, parts: readonly Buffer[]): RecordedError {
  const body = Buffer.concat(parts).toString("utf8", 0, ERROR_BODY_LIMIT);
  if (status >= 300) return { kind: "http", message: errorInBody(body, contentType) };
  const json = parseJson(body);
  const error = errorInJson(json);
  if (error !== null) return { kind: "stream-error", message: error };
  if (json === undefined)
    return { kind: "stream-error", message: `not an event stream: ${errorInBody(body, contentType)}` };
  const message = "the server answered with a whole JSON body although a stream was asked for";
  return { kind: "stream-error", message };
}
