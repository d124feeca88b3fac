import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProtocolError, type ResponseHead } from "../src/transport/response-head.ts";
import { ResponseParser } from "../src/transport/response-parser.ts";

interface Seen {
  readonly heads: ResponseHead[];
  body: string;
  readonly reusable: boolean[];
}

/**
 * Feeds parts through one memory that is overwritten by the next one, as sockets are read.
 *
 * @param inPlace how many of the bytes that are offered to be read in place are
 */
function parse(parts: readonly Buffer[], end = false, inPlace: (offered: number) => number = () => 0): Seen {
  const seen: Seen = { heads: [], body: "", reusable: [] };
  const bodies: Buffer[] = [];
  const parser = new ResponseParser({
    onHead: (head) => seen.heads.push(head),
    readInPlace(memory, from, to) {
      const next = from + inPlace(to - from);
      bodies.push(Buffer.from(memory.subarray(from, next)));
      return next;
    },
    onBody: (bytes) => bodies.push(bytes),
    onComplete: (reusable) => seen.reusable.push(reusable),
  });
  const memory = Buffer.alloc(Math.max(0, ...parts.map(({ length }) => length)));
  for (const part of parts) {
    part.copy(memory);
    parser.execute(memory, part.length);
  }
  if (end) parser.end();
  seen.body = Buffer.concat(bodies).toString("utf8");
  return seen;
}

const text = (...lines: readonly string[]): Buffer => Buffer.from(lines.join("\r\n"), "latin1");
const OK = "HTTP/1.1 200 OK";
const CHUNKED = text(
  "HTTP/1.1 100 Continue",
  "",
  OK,
  "Content-Type: text/event-stream",
  "Transfer-Encoding: chunked",
  "Keep-Alive: timeout=7, max=100",
  "",
  "5;name=value",
  "hello",
  "00a",
  " wonderful",
  "1",
  "!",
  "0",
  "Trailer: x",
  "",
  "",
);

describe("answers of HTTP/1.1", () => {
  it("gives the same, however the bytes are cut", () => {
    const whole = parse([CHUNKED]);
    expect(whole).toMatchObject({ body: "hello wonderful!", reusable: [true] });
    expect(whole.heads).toEqual([
      {
        status: 200,
        contentType: "text/event-stream",
        contentEncoding: "identity",
        retryAfter: null,
        keepAliveS: 7,
      },
    ]);
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: CHUNKED.length - 1 })), (cuts) => {
        const borders = [0, ...cuts.sort((a, b) => a - b), CHUNKED.length];
        const parts = borders.slice(1).map((to, index) => CHUNKED.subarray(borders[index], to));
        expect(parse(parts)).toEqual(whole);
      }),
    );
    expect(parse([...CHUNKED].map((byte) => Buffer.from([byte])))).toEqual(whole);
  });

  it("gives the same where some of the body is read in place", () => {
    const bytes = Buffer.concat([CHUNKED, text(OK, "content-length: 9", "", "then more")]);
    const whole = parse([bytes.subarray(0, CHUNKED.length), bytes.subarray(CHUNKED.length)]);
    expect(whole.body).toBe("hello wonderful!then more");
    const border = fc.integer({ min: 1, max: bytes.length - 1 });
    fc.assert(
      fc.property(fc.uniqueArray(border), fc.array(fc.nat(12)), (cuts, taken) => {
        const borders = [...new Set([0, CHUNKED.length, ...cuts, bytes.length])].sort((a, b) => a - b);
        const parts = borders.slice(1).map((to, index) => bytes.subarray(borders[index], to));
        const next = [...taken];
        expect(parse(parts, false, (offered) => Math.min(offered, next.shift() ?? 0))).toEqual(whole);
      }),
    );
  });

  it("offers nothing to be read in place after what waits, and nothing of a long read", () => {
    const offers: number[] = [];
    const note = (offered: number): number => {
      offers.push(offered);
      return 0;
    };
    parse([text(OK, "transfer-encoding: chunked", "", "1", "a", "2", "bc", "0", "", "")], false, note);
    expect(offers).toEqual([1]);
    parse([text(OK, "content-length: 5000", "", "x".repeat(5000))], false, note);
    expect(offers).toEqual([1]);
  });

  it("gives the body of one read in one piece", () => {
    const pieces: string[] = [];
    const parser = new ResponseParser({
      onHead() {},
      readInPlace: (_memory, from) => from,
      onBody: (bytes) => pieces.push(bytes.toString()),
      onComplete() {},
    });
    parser.execute(text(OK, "transfer-encoding: chunked", "", "1", "a", "1", "b", "2", "c"));
    parser.execute(text("d", "1", "e", "0", "", ""));
    expect(pieces).toEqual(["abc", "de"]);
  });

  it("reads answers with a length, without a body, and those that end with their connection", () => {
    expect(parse([text(OK, "content-length: 3", "", "abc")])).toMatchObject({
      body: "abc",
      reusable: [true],
    });
    expect(parse([text("HTTP/1.1 204 No Content", "", "")])).toMatchObject({ body: "", reusable: [true] });
    expect(parse([text(OK, "content-length: 0", "", "")])).toMatchObject({ body: "", reusable: [true] });
    const open = text(OK, "content-type: text/plain", "", "to the end");
    expect(parse([open]).reusable).toEqual([]);
    expect(parse([open], true)).toMatchObject({ body: "to the end", reusable: [false] });
  });

  it("knows which connections can be used again", () => {
    const ends = (...headers: readonly string[]): boolean | undefined =>
      parse([text(OK, ...headers, "content-length: 1", "", "x")]).reusable[0];
    expect(ends("connection: Keep-Alive")).toBe(true);
    expect(ends("connection: close")).toBe(false);
    expect(parse([text("HTTP/1.0 200 OK", "content-length: 0", "", "")]).reusable).toEqual([false]);
    expect(
      parse([text("HTTP/1.0 200 OK", "connection: keep-alive", "content-length: 0", "", "")]).reusable,
    ).toEqual([true]);
    // Bytes that nobody asked for.
    expect(parse([text(OK, "content-length: 1", "", "xyz")])).toMatchObject({ body: "x", reusable: [false] });
  });

  it.each([
    ["no HTTP at all", text("SSH-2.0-OpenSSH_9.6", "")],
    ["another version", text("HTTP/2 200", "", "")],
    ["a status that is no number", text("HTTP/1.1 2x0 OK", "", "")],
    ["a header without a name", text(OK, "nonsense", "", "")],
    ["two lengths", text(OK, "content-length: 1", "content-length: 2", "", "x")],
    ["a length that is no number", text(OK, "content-length: -1", "", "x")],
    ["a chunk size that is no number", text(OK, "transfer-encoding: chunked", "", "xyz", "")],
    ["a chunk without a size", text(OK, "transfer-encoding: chunked", "", "", "a")],
    ["a chunk that is too long", text(OK, "transfer-encoding: chunked", "", "1", "ab", "")],
    ["a chunk of an absurd size", text(OK, "transfer-encoding: chunked", "", "fffffffffffffff", "")],
    ["a coding that nobody asked for", text(OK, "transfer-encoding: gzip, chunked", "", "1", "a", "")],
    ["an upgrade", text("HTTP/1.1 101 Switching Protocols", "", "")],
    ["a head without an end", Buffer.alloc(70_000, "HTTP/1.1 200 OK\r\nx: y")],
  ])("refuses %s", (_, bytes) => {
    expect(() => parse([bytes])).toThrow(ProtocolError);
    expect(() => parse([...bytes].map((byte) => Buffer.from([byte])))).toThrow(ProtocolError);
  });
});
