import { describe, expect, it } from "vitest";
import { IncrementalDetokenizer } from "../src/text/incremental-detokenizer.ts";

/** One token per byte, as the smallest pieces of a byte-level vocabulary are; 256 has no text, as special tokens. */
const detokenize = (tokens: readonly number[]): string =>
  Buffer.from(tokens.filter((token) => token < 256)).toString("utf8");

/** Words of which only those after the first keep the space before them, as in a SentencePiece vocabulary. */
const WORDS = ["hello", "world", "again"];
const joinWords = (tokens: readonly number[]): string => tokens.map((token) => WORDS[token]).join(" ");

function pieces(
  tokens: readonly number[],
  decode: (tokens: readonly number[]) => string = detokenize,
  context: readonly number[] = [],
): string[] {
  const detokenizer = new IncrementalDetokenizer(decode, context);
  return [...tokens.map((token) => detokenizer.push(token)), detokenizer.flush()];
}

describe("IncrementalDetokenizer", () => {
  it("holds a character back until its last byte", () => {
    expect(pieces([...Buffer.from("a€b")])).toEqual(["a", "", "", "€", "b", ""]);
    expect(pieces([...Buffer.from("🦙")])).toEqual(["", "", "", "🦙", ""]);
  });

  it("shows an unfinished character at the end as U+FFFD, as all tokens together are decoded", () => {
    const tokens = [...Buffer.from("a€")].slice(0, 3);
    expect(pieces(tokens)).toEqual(["a", "", "", "\uFFFD"]);
    expect(pieces(tokens).join("")).toBe(detokenize(tokens));
  });

  it("gives all text in the end when bytes are no UTF-8", () => {
    const tokens = [0x61, 0xff, 0x62, 0xc3, 0x28, 0xe2, 0x82, 0x63];
    expect(pieces(tokens).join("")).toBe(detokenize(tokens));
  });

  it("does not wait for ever for bytes that never become a character", () => {
    const tokens = Array.from({ length: 40 }, () => 0xff);
    const shown = pieces(tokens);
    expect(shown.slice(0, 20).join("")).not.toBe("");
    expect(shown.join("")).toBe(detokenize(tokens));
  });

  it("gives no text for special tokens, however many come", () => {
    let longest = 0;
    const watching = (tokens: readonly number[]): string => {
      longest = Math.max(longest, tokens.length);
      return detokenize(tokens);
    };
    const tokens = [0x61, ...Array.from({ length: 500 }, () => 256), 0x62];
    expect(pieces(tokens, watching).join("")).toBe("ab");
    expect(longest).toBeLessThan(10);
  });

  it("decides on spaces by the tokens before", () => {
    expect(pieces([0, 1, 2], joinWords)).toEqual(["hello", " world", " again", ""]);
    expect(pieces([1, 2], joinWords, [0])).toEqual([" world", " again", ""]);
  });

  it("is not led astray by a prompt that ends inside a character", () => {
    expect(pieces([...Buffer.from("xy")], detokenize, [0xe2, 0x82]).join("")).toBe("xy");
  });
});
