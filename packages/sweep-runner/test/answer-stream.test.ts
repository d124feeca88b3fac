import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerStream } from "../src/stream/answer-stream.ts";
import { answerFormats } from "../src/stream/formats.ts";
import { NOTHING, type AnswerFormat } from "../src/stream/stream-event.ts";
import { CHANNELS, seriesOf, StreamTrace } from "../src/stream/stream-trace.ts";

/** Everything that an answer shows, by parts that arrive at 1, 2, 3, … ns. */
function read(
  parts: readonly Buffer[],
  templates: boolean,
  format: AnswerFormat = answerFormats.openai,
  push: (stream: AnswerStream, part: Buffer, atNs: number) => void = (stream, part, atNs) =>
    stream.push(part, atNs),
) {
  const trace = new StreamTrace();
  const stream = new AnswerStream(format, trace, { templates });
  for (const [index, part] of parts.entries()) push(stream, part, index + 1);
  stream.end(parts.length + 1);
  return {
    series: seriesOf(trace),
    texts: CHANNELS.map((channel) => trace.text(channel).toString("hex")),
    finish: stream.finish,
    usage: stream.usage,
    error: stream.error,
    doneNs: stream.doneNs,
    tokenIdCount: stream.tokenIdCount,
    verdict: stream.verdict(),
  };
}

/** Reads what fits in memory that is overwritten afterwards, and pushes the rest: as connections are read. */
function inPlace(stream: AnswerStream, part: Buffer, atNs: number): void {
  const memory = Buffer.concat([Buffer.from('"'), part, Buffer.from("data: {}")]);
  const next = stream.readFitting(memory, 1, 1 + part.length, atNs);
  expect(next).toBeGreaterThanOrEqual(1);
  expect(next).toBeLessThanOrEqual(1 + part.length);
  const rest = Buffer.from(memory.subarray(next, 1 + part.length));
  memory.fill(0);
  if (rest.length > 0) stream.push(rest, atNs);
}

/** Texts as models write them, and as nobody would: quotes, escapes, line ends, half characters, brackets. */
const word = fc.oneof(
  fc.constantFrom(
    " the",
    " a",
    "\n",
    '"',
    "\\",
    "\\n",
    "é",
    "🌍",
    "你",
    "",
    "\u2028",
    "null",
    "{",
    "]}",
    "data: ",
    "\u0000",
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom("\ud83c", "\udf0d"),
);
const spelling = fc.constantFrom<(text: string) => string>(
  (text) => JSON.stringify(text),
  // As Python writes it.
  (text) =>
    JSON.stringify(text).replace(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
);
const shape = fc.record({
  chat: fc.boolean(),
  reasoning: fc.constantFrom("reasoning", "reasoning_content"),
  created: fc.constantFrom("1", "1764546000", "12.5"),
  before: fc.constantFrom("", '"content":"decoy",', '"text":" a",', '"usage":null,', '"error":null,'),
  after: fc.constantFrom(
    "",
    ',"logprobs":null',
    ',"token_ids":[1]',
    ',"text":"last one wins"',
    ',"stop_reason":null',
  ),
  end: fc.constantFrom("\n\n", "\r\n\r\n", "\n\r\n", "\r\r", "\n: ping\n\n", "\nid: 4\n\n"),
  space: fc.constantFrom(
    "data: ",
    "data:",
    "data:  ",
    "\n\ndata: ",
    "event: message\ndata: ",
    "event: error\ndata: ",
  ),
  usage: fc.boolean(),
});
const event = fc.record({ text: word, spelling, think: fc.boolean(), odd: fc.option(shape, { freq: 6 }) });

type Shape = typeof shape extends fc.Arbitrary<infer Value> ? Value : never;
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

function eventText(usual: Shape, { text, spelling: spell, think, odd }: Event, index: number): string {
  const { chat, reasoning, created, before, after, end, space, usage } = odd ?? usual;
  const literal = spell(text);
  const field = chat ? `"delta":{"${think ? reasoning : "content"}":${literal}}` : `"text":${literal}`;
  const counted = usage ? `,"usage":{"prompt_tokens":3,"completion_tokens":${index + 1}}` : "";
  return `${space}{"id":"x","created":${created},${before}"choices":[{"index":0,${field}${after},"finish_reason":null}]${counted}}${end}`;
}

/** Cuts bytes at the given shares of their length. */
function cut(bytes: Buffer, shares: readonly number[]): Buffer[] {
  const borders = [...new Set([0, ...shares.map((share) => Math.floor(share * bytes.length)), bytes.length])];
  borders.sort((a, b) => a - b);
  return borders.slice(1).map((to, index) => bytes.subarray(borders[index], to));
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

describe("events that are read by template", () => {
  it("show what the same events show that are parsed one by one", () => {
    fc.assert(
      fc.property(shape, fc.array(event, { minLength: 4, maxLength: 30 }), cuts, (usual, events, shares) => {
        const whole = events.map((one, index) => eventText(usual, one, index)).join("");
        const bytes = Buffer.from(`${whole}data: [DONE]\n\n`);
        const parts = cut(bytes, shares);
        const full = read(parts, false);
        expect(read(parts, true)).toEqual(full);
        expect(read(parts, true, answerFormats.openai, inPlace)).toEqual(full);
      }),
      { numRuns: 400 },
    );
  });

  it("stay the same when a stream is damaged anywhere", () => {
    const usual: Shape = {
      chat: false,
      reasoning: "reasoning",
      created: "1",
      before: "",
      after: "",
      end: "\n\n",
      space: "data: ",
      usage: false,
    };
    const plain = Buffer.from(
      Array.from({ length: 12 }, (_, index) =>
        eventText(usual, { text: ` w${index}`, spelling: JSON.stringify, think: false, odd: null }, index),
      ).join(""),
    );
    fc.assert(
      fc.property(fc.nat(plain.length - 1), fc.integer({ min: 0, max: 255 }), cuts, (at, byte, shares) => {
        const bytes = Buffer.from(plain);
        bytes[at] = byte;
        const parts = cut(bytes, shares);
        const full = read(parts, false);
        expect(read(parts, true)).toEqual(full);
        expect(read(parts, true, answerFormats.openai, inPlace)).toEqual(full);
      }),
      { numRuns: 600 },
    );
  });

  it("are what most events of a plain stream are: JSON is parsed for the first ones only", () => {
    let parsed = 0;
    const counting: AnswerFormat = {
      ...answerFormats.openai,
      createReader: () => (json, name) => {
        parsed++;
        return answerFormats.openai.createReader()(json, name);
      },
    };
    const events = Array.from(
      { length: 200 },
      (_, index) => `data: {"id":"a","choices":[{"text":" w${index}","finish_reason":null}]}\n\n`,
    );
    const seen = read([Buffer.from(events.join(""))], true, counting);
    expect(seen.series.kinds).toBe("c".repeat(200));
    expect(parsed).toBeLessThan(8);
  });

  it("are read in place, all but the first ones", () => {
    let pushed = 0;
    const parts = Array.from({ length: 100 }, (_, index) =>
      Buffer.from(`data: {"choices":[{"text":" w${index}","finish_reason":null}]}\n\n`),
    );
    const seen = read(parts, true, answerFormats.openai, (stream, part, atNs) => {
      const next = stream.readFitting(part, 0, part.length, atNs);
      if (next === part.length) return;
      pushed++;
      stream.push(part.subarray(next), atNs);
    });
    expect(seen.series.kinds).toBe("c".repeat(100));
    expect(pushed).toBeLessThan(8);
  });

  it("are given up where every event differs: token ids, growing usage", () => {
    let parsed = 0;
    const counting: AnswerFormat = {
      ...answerFormats.openai,
      createReader: () => (json, name) => {
        parsed++;
        return answerFormats.openai.createReader()(json, name);
      },
    };
    const events = Array.from(
      { length: 100 },
      (_, index) => `data: {"created":${index},"choices":[{"text":" w","finish_reason":null}]}\n\n`,
    );
    read([Buffer.from(events.join(""))], true, counting);
    // Each event once, and the few candidates that were proved.
    expect(parsed).toBeLessThan(112);
  });
});

describe("streams of one JSON document per line", () => {
  const lines: AnswerFormat = {
    framing: "lines",
    stateless: true,
    createReader: () => (json) => ({ ...NOTHING, kind: "content", content: JSON.stringify(json) }),
    readWhole: () => NOTHING,
  };

  it("are read however they are cut, with and without their last line end", () => {
    const bytes = Buffer.from('{"a":"é"}\n\r\n{"b":2}\r\n{"c":3}');
    for (let at = 0; at <= bytes.length; at++) {
      const { texts, series } = read([bytes.subarray(0, at), bytes.subarray(at)], true, lines);
      expect(Buffer.from(texts[1] ?? "", "hex").toString()).toBe('{"a":"é"}{"b":2}{"c":3}');
      expect(series.kinds).toBe("ccc");
    }
  });
});

describe("the text of a channel", () => {
  it("joins the halves of a character that came in two events", () => {
    const trace = new StreamTrace();
    trace.add(1, "content", { content: "a\ud83c" }, null);
    trace.add(2, "content", { content: "\udf0db" }, null);
    expect(trace.text("content").toString()).toBe("a🌍b");
    trace.add(3, "content", { content: "\ud83c" }, null);
    expect(trace.text("content").toString()).toBe("a🌍b\ufffd");
  });
});
