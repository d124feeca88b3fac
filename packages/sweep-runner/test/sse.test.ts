import { createParser } from "eventsource-parser";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseReader, SseOverflowError, type SseEvent } from "../src/stream/sse.ts";

/** Reads parts that arrive at 1, 2, 3, … ns. */
function read(parts: readonly Buffer[], limit?: number): SseEvent[] {
  const events: SseEvent[] = [];
  const reader = createSseReader((event) => events.push(event), limit);
  for (const [index, part] of parts.entries()) reader.push(part, index + 1);
  reader.end(parts.length + 1);
  return events;
}

const data = (parts: readonly Buffer[]): string[] => read(parts).map((event) => event.data);
const bytes = (text: string): Buffer => Buffer.from(text, "utf8");

/** Everything that the format allows at once. */
const MIXED = [
  "\uFEFF: comment\n\n",
  'data: {"a": "你🌍é"}\n\n',
  "data:no space\r\n\r\n",
  'event: error\rdata: {\ndata: "x": 1\r\ndata: }\r\r',
  "id: 7\nretry: 10\nunknown: y\n\n",
  "data\n\n",
  "data:\n\n",
  'error: {"message": "old spelling"}\n\n',
  "data: [DONE]",
].join("");

const MIXED_EVENTS = [
  { name: "", data: '{"a": "你🌍é"}', cutOff: false },
  { name: "", data: "no space", cutOff: false },
  { name: "error", data: '{\n"x": 1\n}', cutOff: false },
  { name: "", data: "", cutOff: false },
  { name: "", data: "", cutOff: false },
  { name: "error", data: '{"message": "old spelling"}', cutOff: false },
  { name: "", data: "[DONE]", cutOff: true },
];

const withoutTimes = (events: readonly SseEvent[]): unknown[] =>
  events.map(({ name, data, cutOff }) => ({ name, data, cutOff }));

describe("event streams", () => {
  it("reads every line end, comments, several data lines, missing values and a last event without its blank line", () => {
    expect(withoutTimes(read([bytes(MIXED)]))).toEqual(MIXED_EVENTS);
  });

  it("gives the same events however the bytes are cut: at every border", () => {
    const whole = bytes(MIXED);
    for (let cut = 0; cut <= whole.length; cut++) {
      expect(withoutTimes(read([whole.subarray(0, cut), whole.subarray(cut)])), `cut at ${cut}`).toEqual(
        MIXED_EVENTS,
      );
    }
    expect(withoutTimes(read([...whole].map((byte) => Buffer.from([byte]))))).toEqual(MIXED_EVENTS);
  });

  it("stamps an event with the arrival of the bytes that completed it", () => {
    const parts = ["da", "ta: a\n", "\nda", "ta: b\n\nda", "ta: c"].map(bytes);
    expect(read(parts).map(({ data, atNs }) => [data, atNs])).toEqual([
      ["a", 3],
      ["b", 4],
      ["c", 6],
    ]);
  });

  it("takes a CR that ends a read as a line end, and the LF of the next read as part of it", () => {
    expect(data([bytes("data: a\r"), bytes("\n\r"), bytes("\ndata: b\r\r")])).toEqual(["a", "b"]);
  });

  it("keeps an event within bounds, in one line or in many", () => {
    expect(() => read([bytes(`data: ${"x".repeat(200)}`)], 100)).toThrow(SseOverflowError);
    expect(() => read([bytes(`data: ${"x".repeat(200)}\n\n`)], 100)).toThrow(SseOverflowError);
    expect(() => read([bytes("data: xxxxxxxxxx\n".repeat(20))], 100)).toThrow(SseOverflowError);
    expect(data([bytes("data: xxxxxxxxxx\n\n".repeat(20))])).toHaveLength(20);
  });

  it("reads what eventsource-parser reads, from any text cut anywhere", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "data: x",
        "data:y",
        "data",
        ": ping",
        "event: e",
        "id: 1",
        "",
        "",
        "data: é🌍",
        "other: z",
        "data:  two",
      ),
      fc.string({ maxLength: 6 }).map((text) => `data: ${text.replace(/[\r\n\0]/g, "")}`),
    );
    const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
    const document = fc.array(fc.tuple(line, lineEnd), { maxLength: 25 });
    fc.assert(
      fc.property(document, fc.array(fc.nat(400), { maxLength: 6 }), (lines, cuts) => {
        // A closing blank line: whether an unfinished event counts is a choice, not part of the format.
        const text = `${lines.map(([content, end]) => content + end).join("")}\n\n`;
        const whole = bytes(text);
        const borders = [
          0,
          ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
          whole.length,
        ];
        const parts = borders.slice(1).map((end, index) => whole.subarray(borders[index], end));
        const theirs: string[] = [];
        const parser = createParser({
          onEvent: (event) => theirs.push(`${event.event ?? ""}|${event.data}`),
        });
        parser.feed(text);
        expect(read(parts).map((event) => `${event.name}|${event.data}`)).toEqual(theirs);
      }),
      { numRuns: 500 },
    );
  });
});
