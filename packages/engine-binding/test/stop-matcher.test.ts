import { describe, expect, it } from "vitest";
import { StopMatcher } from "../src/text/stop-matcher.ts";

function run(stops: readonly string[], pieces: readonly string[], endsFrom = 0) {
  const matcher = new StopMatcher(stops);
  const shown: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    const { text, matched } = matcher.push(piece, index >= endsFrom);
    shown.push(text);
    if (matched !== null) return { shown, matched };
  }
  shown.push(matcher.flush());
  return { shown, matched: null };
}

describe("StopMatcher", () => {
  it("passes text through when there is nothing to look for", () => {
    expect(run([], ["ab", "c"])).toEqual({ shown: ["ab", "c", ""], matched: null });
  });

  it("finds a stop string inside one piece and shows what comes before it", () => {
    expect(run(["END"], ["one END two"])).toEqual({ shown: ["one "], matched: "END" });
  });

  it("finds a stop string across pieces and never shows a part of it", () => {
    expect(run(["</s>"], ["a<", "/", "s", ">b"])).toEqual({ shown: ["a", "", "", ""], matched: "</s>" });
  });

  it("shows a tail as soon as it can no longer become a stop string", () => {
    expect(run(["</s>"], ["a</", "b>"])).toEqual({ shown: ["a", "</b>", ""], matched: null });
  });

  it("shows a held tail at the end", () => {
    expect(run(["\n\n"], ["a\n"])).toEqual({ shown: ["a", "\n"], matched: null });
  });

  it("goes back to a shorter beginning when a longer one fails", () => {
    expect(run(["aab"], ["aa", "ab"])).toEqual({ shown: ["", "a"], matched: "aab" });
  });

  it("takes the match that starts first, then the one listed first", () => {
    expect(run(["cd", "bc"], ["abcd"])).toEqual({ shown: ["a"], matched: "bc" });
    expect(run(["bcd", "bc"], ["abcd"])).toEqual({ shown: ["a"], matched: "bcd" });
  });

  it("ignores matches that come too early, but keeps a beginning that ends in time", () => {
    expect(run(["xx"], ["axxb", "xx"], 1)).toEqual({ shown: ["axxb", ""], matched: "xx" });
    expect(run(["xx"], ["xx", "x"], 1)).toEqual({ shown: ["x", ""], matched: "xx" });
  });
});
