/** What the head of an answer says, as far as anybody asks. */
export interface ResponseHead {
  readonly status: number;
  readonly contentType: string;
  /** Lower case; `identity` without one. */
  readonly contentEncoding: string;
  readonly retryAfter: string | null;
  /** How long the server keeps an idle connection, s; null when it does not say. */
  readonly keepAliveS: number | null;
}

/** How the end of a body is found (RFC 9112, section 6.3). */
type BodyFraming =
  | { readonly kind: "sized"; readonly length: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "until-end" };

/** The head of an answer, read. */
export interface ParsedHead {
  readonly head: ResponseHead;
  readonly body: BodyFraming;
  /** Whether the connection may carry another request after this answer. */
  readonly keepsAlive: boolean;
}

/** Bytes that are no HTTP/1.1 answer. */
export class ProtocolError extends Error {
  readonly code = "HTTP_PROTOCOL";

  constructor(what: string) {
    super(`not an HTTP/1.1 answer: ${what}`);
    this.name = "ProtocolError";
  }
}

/**
 * Reads the head of an answer.
 *
 * @param text status line and headers, with the blank line
 * @throws {ProtocolError}
 */
export function parseHead(text: string): ParsedHead {
  const lineEnd = text.indexOf("\r\n");
  const [, minor, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(text.slice(0, lineEnd)) ?? [];
  if (code === undefined) throw new ProtocolError(JSON.stringify(text.slice(0, Math.min(lineEnd, 60))));
  const status = Number(code);
  let contentType = "";
  let contentEncoding = "identity";
  let retryAfter: string | null = null;
  let keepAliveS: number | null = null;
  let connection = "";
  let coding = "";
  let length: number | null = null;
  for (let from = lineEnd + 2; from < text.length - 2;) {
    const end = text.indexOf("\r\n", from);
    const colon = text.indexOf(":", from);
    if (colon === -1 || colon > end || colon === from) throw new ProtocolError("a header without a name");
    const value = text.slice(colon + 1, end).trim();
    switch (text.slice(from, colon).toLowerCase()) {
      case "content-length":
        length = lengthOf(value, length);
        break;
      case "transfer-encoding":
        coding = coding === "" ? value.toLowerCase() : `${coding}, ${value.toLowerCase()}`;
        break;
      case "connection":
        connection += `${value.toLowerCase()},`;
        break;
      case "content-type":
        contentType = value;
        break;
      case "content-encoding":
        if (value !== "") contentEncoding = value.toLowerCase();
        break;
      case "retry-after":
        retryAfter = value;
        break;
      case "keep-alive":
        keepAliveS = Number(/timeout=(\d+)/i.exec(value)?.[1] ?? NaN);
        if (Number.isNaN(keepAliveS)) keepAliveS = null;
        break;
      default:
    }
    from = end + 2;
  }
  if (status === 101) throw new ProtocolError("another protocol, which nobody asked for");
  return {
    head: { status, contentType, contentEncoding, retryAfter, keepAliveS },
    // A provisional answer has no body, and says nothing of the connection.
    body: status < 200 || status === 204 || status === 304 ? NO_BODY : framingOf(coding, length),
    keepsAlive: minor === "1" ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection),
  };
}

const NO_BODY: BodyFraming = { kind: "sized", length: 0 };

function framingOf(coding: string, length: number | null): BodyFraming {
  if (coding === "") return length === null ? { kind: "until-end" } : { kind: "sized", length };
  if (!/(^|,)\s*chunked\s*$/.test(coding)) return { kind: "until-end" };
  if (coding.trim() !== "chunked") throw new ProtocolError(`the transfer coding ${coding}`);
  return { kind: "chunked" };
}

function lengthOf(value: string, before: number | null): number {
  const length = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
  if (Number.isNaN(length) || (before !== null && before !== length))
    throw new ProtocolError(`the content length ${value.slice(0, 40)}`);
  return length;
}
